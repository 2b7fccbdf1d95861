# Module mcmc: draws whose moments are known, within their errors; the bits are those of one key.
use mcmc
use logp

# Back by the same steps: where it was, and the energy is what it was.
#: => (true, true)
fn hop() =
    let density = (q) => -q^4/4 - q
    let scale = 0.7
    let start = mcmc.state(density, 0.5, 0.3)
    let there = scan (z = start, i < 20) => mcmc.hop(density, scale, z, 0.05)
    let back = scan (z = there, i < 20) => mcmc.hop(density, scale, z, -0.05)
    let energy = (z) => mcmc.kinetic(scale, z.p) - z.value
    in (abs(back.q - 0.5) + abs(back.p - 0.3) < 1e-13, abs(energy(there) - energy(start)) < 1e-4)

# A way that goes straight on does not turn; one whose end looks back does.
#: => (false, true, true)
fn turns() = (
    mcmc.turns([1.0, 1.0], [1.0, 0.5], [0.8, 0.6], [2.6, 1.7]),
    mcmc.turns([1.0, 1.0], [1.0, 0.5], [-0.8, -0.6], [1.2, 0.9]),
    mcmc.turns([1.0, 1.0], [-1.0, 0.5], [0.8, 0.6], [0.8, 1.9]))

# Widths of 1 and 2 that go together by 0.6, around 1 and -1: as a structure.
let wide = {a = 1.0, b = -1.0}
fn slanted(q) =
    let (u, v) = (q.a - 1, (q.b + 1)/2)
    in -(u^2 - 2*0.6*u*v + v^2)/(2*(1 - 0.36))

fn moments(q) =
    let (a, b) = (q.a - mean(q.a), q.b - mean(q.b))
    in [mean(q.a) - 1, mean(q.b) + 1, mean(a*a) - 1, mean(b*b) - 4, mean(a*b) - 1.2]

# means within 0.1 and 0.2, second moments within 0.15, 0.6 and 0.25: three errors of 1,000 draws and more
#fast: k='key(2)' => (true, true, true, 0)
#fast: k='key(3)' => (true, true, true, 0)
fn nuts(k: key) =
    let r = mcmc.nuts(slanted, wide, k, warmup = 500, draws = 2000)
    let m = abs(moments(r.q))
    in (m[0] < 0.1 and m[1] < 0.2, m[2] < 0.15 and m[3] < 0.6 and m[4] < 0.25,
        0.7 < r.accept < 0.95 and abs(r.scale.a - 1) < 0.25 and abs(r.scale.b - 2) < 0.5, r.diverged)

#fast: k='key(2)' => (true, true, true, 0)
fn hmc(k: key) =
    let r = mcmc.hmc(slanted, wide, k, warmup = 500, draws = 2000, leaps = 7)
    let m = abs(moments(r.q))
    in (m[0] < 0.1 and m[1] < 0.2, m[2] < 0.15 and m[3] < 0.6 and m[4] < 0.25, 0.7 < r.accept < 0.99,
        r.diverged)

# A density that falls off a wall: every way that meets it ends, and says so.
#: k='key(1)' => true
fn diverges(k: key) = mcmc.nuts((q) => -exp(40*abs(q)), 0.1, k, warmup = 0, draws = 5, h = 5.0).diverged > 0

# Draws are the same by either way of computing, and by one key.
#native: k='key(9)' => true
fn same(k: key) =
    let run = (k) => mcmc.nuts(slanted, wide, k, warmup = 20, draws = 10).q
    in norm(run(k).a - run(k[0][0]).a) > 0 and norm(run(k).a - run(k).a) == 0

# Chains side by side are those one after another.
#native: k='key(4)' => 0
fn side_by_side(k: key) =
    let run = (k) => mcmc.nuts(slanted, wide, k, warmup = 10, draws = 8).q
    let (all, each) = (mcmc.chains(3, run, k), scan (i < 3) => run(k[i]))
    in norm(all.a - each.a) + norm(all.b - each.b)

# Eight schools (Gelman and others 2013, 5.5), mu normal with a deviation of 5, tau half Cauchy with 5, the effects told by
# how many tau they are off mu.  Published: mu 4.4 with a deviation of 3.3, tau 3.6 with 3.2.
let effects = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0]
let errors = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0]

fn schools(q) =
    let tau = exp(q.log_tau)
    in logp.normal(q.mu, 0, 5) + logp.half_cauchy(tau, 5) + q.log_tau + sum(logp.normal(q.away, 0, 1))
        + sum(logp.normal(effects, q.mu + tau*q.away, errors))

#fast: k='key(1)' => (true, true, true, true, true)
fn eight_schools(k: key) =
    let start = {mu = 0.0, log_tau = 0.0, away = f64[8](0)}
    let r = mcmc.chains(4, (k) => mcmc.nuts(schools, start, k, warmup = 300, draws = 500).q, k)
    let tau = exp(r.log_tau)
    in (abs(mean(r.mu) - 4.4) < 0.3, abs(deviation(r.mu) - 3.3) < 0.3, abs(mean(tau) - 3.6) < 0.4,
        abs(deviation(tau) - 3.2) < 0.5, mcmc.r_hat(r.mu) < 1.02)

# The halves [1, 2], [2, 5], [4, 3] and [3, 7], in Python
#: => 1.0540925533894598 within 1e-15
fn r_hat() = mcmc.r_hat([[1.0, 2.0, 4.0, 3.0], [2.0, 5.0, 3.0, 7.0]])

# Without warming up the step is that which is given.
#: => (0.01, 0.25) within 1e-12
fn as_given() =
    let step = (h) => mcmc.hmc((x) => -x^2/2, 0.0, key(1), warmup = 0, draws = 3, h = h).h
    in (step(0.01), step(0.25))
