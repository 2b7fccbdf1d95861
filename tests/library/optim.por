# Module optim: minima that are known.
use optim

fn rosenbrock(x) = sum(100*(x[1:] - x[:-1]^2)^2 + (1 - x[:-1])^2)

# The minimum of two, and one of four numbers that is not the least (mpmath.findroot of the gradient)
#native: x='[-1.2, 1]' => {x = [1, 1], value = 0, met = true} within 1e-7
#: x='[-1.2, 1, 0.5, 2]' => {x = [-0.77565922656535262, 0.61309336548504346, 0.38206284633839315, 0.14597201855219461], value = 3.7014286104300175, met = true} within 1e-8
#: x='[1, 1]' => {x = [1, 1], value = 0, met = true}
fn lbfgs(x: f64[n]) =
    let r = optim.lbfgs(rosenbrock, x)
    in (r.x, r.value, r.met)

#: x='[-1.2, 1]' => {x = [1, 1], value = 0, met = true} within 1e-7
#: x='[-1.2, 1, 0.5, 2]' => {x = [-0.77565922656535262, 0.61309336548504346, 0.38206284633839315, 0.14597201855219461], value = 3.7014286104300175, met = true} within 1e-8
fn newton_cg(x: f64[n]) =
    let r = optim.newton_cg(rosenbrock, x)
    in (r.x, r.value, r.met)

# Of structures: a and [a, 2a]
#: a=2.0 => (2, 2, 4, 2, 2, 4) within 1e-6
fn structures(a: f64) =
    let f = (p) => (p.u - a)^2 + sum((p.v - p.u* [1.0, 2.0])^2)
    let (p, q) =
        (optim.lbfgs(f, {u = 0.0, v = [3.0, 4.0]}).x, optim.newton_cg(f, {u = 0.0, v = [3.0, 4.0]}).x)
    in (p.u, p.v, q.u, q.v)

# No minimum
#: => (false, 20)
fn none() =
    let r = optim.lbfgs((x) => exp(-x), 0.0, tol = 0, most = 20)
    in (r.met, r.steps)

# A thousand numbers, each with a scale of its own
#: => (true, true)
fn many() =
    let c = 1 + f64(iota[1000]())
    let f = (x) => sum(c*(x - 1/c)^2) + sum((x[1:] - x[:-1])^4)
    let (p, q) = (optim.lbfgs(f, f64[1000](0)), optim.newton_cg(f, f64[1000](0)))
    in (p.met and q.met, norm(p.x - q.x) < 1e-7)

# cosine and warm-up: rates of steps 0, 1, 2 and 4 of 4
#: => (1, 0.85355339059327378, 0.5, 0, 0.5, 1, 0.5, 0.25, 0.1, 0.25) within 1e-15
fn schedules() =
    let c = optim.cosine(4)
    let w = optim.warmup(2, optim.cosine(4))
    in (c(0), c(1), c(2), c(4), w(0), w(2), w(4), optim.exponential_decay(5)(10), optim.step_decay(10)(19),
        optim.linear(4)(3))

# Steps of 0.1*2*(0 - 3) with rates of 1 and then of a half: 0.6, and 0.6 + 0.24; cut to 1: 0.1; to a length of 1: 0.1*[3, 4]/5
#: => (0.84, 0.1, 0.1, 0.06, 0.08) within 1e-15
fn parts() =
    let f = (x) => (x - 3)^2
    let by = optim.scheduled(optim.sgd(rate = 0.1), optim.step_decay(1, by = 0.5))
    let g = (x) => -dot(x, [3.0, 4.0])
    in (optim.minimise(by, f, 0.0, steps = 2).x,
        optim.minimise(optim.clipped(optim.sgd(rate = 0.1), 1), g, [0.0, 0.0], steps = 1).x,
        optim.minimise(optim.shortened(optim.sgd(rate = 0.1), 1), g, [0.0, 0.0], steps = 1).x)

# Adam with a schedule, to the minimum of a parabola; the path goes down
#: => (3, true) within 1e-3
fn adam() =
    let r = optim.minimise(optim.scheduled(optim.adam(rate = 0.3), optim.cosine(300)), (x) =>
        (x - 3)^2, 0.0, steps = 300)
    in (r.x, r.path[0] == 9 and len(r.path) == 300)

# A minimiser inside a minimiser: x is where the inner one is least, and the outer one moves a until x is [1, 2].  That is at
# a0 = 1.4 and a0*a1 = 2.2.
fn inner(a: f64[2]) =
    let f = (x) => (x[0] - a[0])^2 + (x[1] - a[0]*a[1])^2 + 0.1*(x[0]*x[1])^2
    in optim.at_minimum(f, optim.lbfgs(f, [0.0, 0.0]).x)

# mpmath: the root of the gradient, and -H^-1 times its derivative by a
#: a='[1, 1.5]' => ([0.8357138267792791, 1.4020765089242119], [[0.58627242256925938, -0.19126697618776757], [1.2736545718992185, 0.97661436539132405]], [[0.58627242256925938, -0.19126697618776757], [1.2736545718992185, 0.97661436539132405]]) within 1e-9
fn inner_derived(a: f64[2]) = (inner(a), jacobian(inner(a), a), jacobian[forward](inner(a), a))

#: a='[1, 1.5]' => [1.4, 1.5714285714285714] within 1e-8
fn outer(a: f64[2]) = optim.lbfgs((a) => sum((inner(a) - [1.0, 2.0])^2), a).x

# Of a structure: u is at a and v at [a, 2a] to whatever order, since a minimum is differentiated as one
#: a=2.0 => (1, 1, 2, 0, 1, 2, 0) within 1e-6
fn structures_derived(a: f64) =
    let f = (p) => cosh(p.u - a) + sum((p.v - p.u* [1.0, 2.0])^2)
    let p = optim.lbfgs(f, {u = 1.5, v = [1.5, 2.0]}).x
    let (dp, dq) = (jvp(p, a, 1.0), jvp(optim.newton_cg(f, {u = 1.5, v = [1.5, 2.0]}).x, a, 1.0))
    in (dp.u, dp.v, grad(grad(p.v[1], a), a), dq.v, grad(grad(p.u, a), a))

# Parameters whose units differ by 10^5, of rounded data: the gradient is never 1e-8 short.  scipy.optimize.least_squares.
let minutes = [0.0, 5, 10, 15, 20, 25, 30, 35]
let degrees = [86.1, 73.2, 61.3, 54, 46.5, 41.3, 38.4, 34]
fn cup(p) = sum((p.room + p.more*exp(-1e-3*p.rate*minutes) - degrees)^2)

#: => (22.523020894, 63.753391321, 48.125399834, true, true) within 1e-6
fn units_differ() =
    let r = optim.lbfgs((p) => 1e6*cup(p), {room = 20.0, more = 60.0, rate = 30.0})
    in (r.x.room, r.x.more, r.x.rate, r.met, r.steps < 200)

#: => (22.523020894, 63.753391321, 48.125399834, true, true) within 1e-6
fn units_differ_newton() =
    let r = optim.newton_cg((p) => 1e6*cup(p), {room = 20.0, more = 60.0, rate = 30.0})
    in (r.x.room, r.x.more, r.x.rate, r.met, r.steps < 100)

# Its gradient hangs on nothing: the system behind the derivative of the result is 0.
#: => true
fn no_curvature() = optim.lbfgs((x) => sum(abs(x)), [1.0, 2.0]).value < 1e-20
