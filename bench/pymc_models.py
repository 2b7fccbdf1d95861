"""Twenty models of PyMC's, over data that are made here: MODELS[name]() gives one."""
import math

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt

MODELS = {}


def model(f):
    def make():
        with pm.Model() as made:
            f(np.random.default_rng(len(f.__name__)))
        return made
    MODELS[f.__name__] = make
    return f


@model
def eight_schools(rng):
    y, sd = np.array([28.0, 8, -3, 7, -1, 1, 18, 12]), np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    mu, tau = pm.Normal("mu", 0, 5), pm.HalfCauchy("tau", 5)
    z = pm.Normal("z", shape=8)
    pm.Normal("y", mu + tau*z, sd, observed=y)


@model
def radon(rng):
    county, floor = rng.integers(0, 85, 919), rng.integers(0, 2, 919).astype(float)
    a, b = pm.Normal("a", pm.Normal("mu_a"), pm.HalfNormal("sd_a"), shape=85), \
        pm.Normal("b", pm.Normal("mu_b"), pm.HalfNormal("sd_b"), shape=85)
    pm.Normal("y", a[county] + b[county]*floor, pm.HalfNormal("sd"), observed=rng.normal(size=919))


@model
def logistic(rng):
    x = rng.normal(size=(500, 10))
    w, b = pm.Normal("w", shape=10), pm.Normal("b")
    pm.Bernoulli("y", logit_p=x @ w + b, observed=rng.integers(0, 2, 500))


@model
def gaussian_process(rng):
    x = np.sort(rng.uniform(0, 5, 30))[:, None]
    size, length = pm.HalfNormal("size"), pm.Gamma("length", 2, 1)
    gp = pm.gp.Marginal(cov_func=size**2*pm.gp.cov.ExpQuad(1, ls=length))
    gp.marginal_likelihood("y", X=x, y=np.sin(x[:, 0]) + 0.1*rng.normal(size=30), sigma=pm.HalfNormal("sd"))


@model
def mixture(rng):
    w = pm.Dirichlet("w", np.ones(3))
    mu, sd = pm.Normal("mu", np.array([-2.0, 0, 2]), 1, shape=3), pm.HalfNormal("sd", shape=3)
    pm.NormalMixture("y", w, mu, sigma=sd, observed=rng.normal(size=300))


@model
def autoregression(rng):
    rho, sd = pm.Normal("rho", 0, 0.5, shape=3), pm.HalfNormal("sd")
    pm.AR("y", rho, sigma=sd, constant=True, init_dist=pm.Normal.dist(0, 1), observed=rng.normal(size=300))


@model
def hidden_markov(rng):
    y = rng.normal(size=100)
    mu, p = pm.Normal("mu", np.array([-1.0, 0, 1]), 1, shape=3), pm.Dirichlet("p", np.ones((3, 3)))
    seen = pm.logp(pm.Normal.dist(mu, 1), y[:, None])
    step = pt.log(p)
    alpha = pytensor.scan(lambda e, a, step: pt.logsumexp(a[:, None] + step, axis=0) + e, sequences=[seen[1:]],
                          outputs_info=[seen[0] - math.log(3)], non_sequences=[step], return_updates=False)
    pm.Potential("y", pt.logsumexp(alpha[-1]))


@model
def stochastic_volatility(rng):
    step = pm.Exponential("step", 10)
    h = pm.GaussianRandomWalk("h", sigma=step, init_dist=pm.Normal.dist(0, 1), steps=199)
    pm.StudentT("y", pm.Exponential("nu", 0.1), sigma=pt.exp(-h), observed=0.1*rng.normal(size=200))


@model
def negative_binomial(rng):
    x = rng.normal(size=(200, 4))
    w, n = pm.Normal("w", shape=4), pm.Exponential("n", 1)
    pm.NegativeBinomial("y", mu=pt.exp(x @ w), alpha=n, observed=rng.poisson(3.0, 200))


@model
def ordinal(rng):
    x = rng.normal(size=300)
    cuts = pm.Normal("cuts", np.array([-1.0, 0, 1]), 1, shape=3, transform=pm.distributions.transforms.ordered)
    pm.OrderedLogistic("y", eta=pm.Normal("b")*x, cutpoints=cuts, observed=rng.integers(0, 4, 300))


@model
def lkj(rng):
    lower, _, _ = pm.LKJCholeskyCov("cov", n=3, eta=2, sd_dist=pm.Exponential.dist(1.0, shape=3))
    pm.MvNormal("y", pm.Normal("mu", shape=3), chol=lower, observed=rng.normal(size=(100, 3)))


@model
def horseshoe(rng):
    x = rng.normal(size=(100, 30))
    local, all_ = pm.HalfCauchy("local", 1, shape=30), pm.HalfCauchy("all", 1)
    pm.Normal("y", x @ (pm.Normal("z", shape=30)*local*all_), pm.HalfNormal("sd"), observed=rng.normal(size=100))


@model
def network(rng):
    x = rng.normal(size=(150, 6))
    a, b, c = pm.Normal("a", shape=(6, 8)), pm.Normal("b", shape=8), pm.Normal("c", shape=8)
    pm.Normal("y", pt.tanh(x @ a + b) @ c, pm.HalfNormal("sd"), observed=rng.normal(size=150))


@model
def poisson(rng):
    x, group = rng.normal(size=(400, 3)), rng.integers(0, 20, 400)
    a, w = pm.Normal("a", pm.Normal("mu"), pm.HalfNormal("sd"), shape=20), pm.Normal("w", shape=3)
    pm.Poisson("y", pt.exp(a[group] + x @ w), observed=rng.poisson(2.0, 400))


@model
def robust(rng):
    x = rng.normal(size=300)
    pm.StudentT("y", nu=pm.Gamma("nu", 2, 0.1), mu=pm.Normal("a") + pm.Normal("b")*x, sigma=pm.HalfNormal("sd"),
                observed=2*x + rng.standard_t(3, size=300))


@model
def zero_inflated(rng):
    y = rng.poisson(3.0, 300)*rng.integers(0, 2, 300)
    pm.ZeroInflatedPoisson("y", pm.Beta("p", 2, 2), pm.Gamma("rate", 2, 1), observed=y)


@model
def survival(rng):
    x = rng.normal(size=200)
    scale = pt.exp(pm.Normal("a") + pm.Normal("b")*x)
    pm.Censored("y", pm.Weibull.dist(pm.Gamma("shape", 2, 1), scale), lower=None, upper=2.0,
                observed=np.minimum(rng.weibull(1.5, 200), 2.0))


@model
def item_response(rng):
    person, item = np.repeat(np.arange(60), 20), np.tile(np.arange(20), 60)
    ability, hard, sharp = pm.Normal("ability", shape=60), pm.Normal("hard", shape=20), pm.LogNormal("sharp", 0, 0.5, shape=20)
    pm.Bernoulli("y", logit_p=sharp[item]*(ability[person] - hard[item]), observed=rng.integers(0, 2, 1200))


@model
def multinomial(rng):
    x = rng.normal(size=(200, 5))
    w = pm.Normal("w", shape=(5, 4))
    pm.Categorical("y", logit_p=x @ w, observed=rng.integers(0, 4, 200))


@model
def beta_binomial(rng):
    a, b = pm.Exponential("a", 0.1), pm.Exponential("b", 0.1)
    rate = pm.Beta("rate", a, b, shape=70)
    pm.Binomial("y", rng.integers(10, 50, 70), rate, observed=rng.integers(0, 10, 70))
