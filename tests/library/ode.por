# Module ode: solutions with closed forms, or of mpmath's odefun with 30 digits.
use ode
use quad

# exp(-a), and its derivative; the path ends there
#: a=1.0 => (0.36787944117144233, -0.36787944117144233, 0.36787944117144233, 1) within 1e-9
fn rk4(a: f64) =
    let r = (a) => ode.rk4((t, y) => -a*y, 1.0, 0, 1)
    in (r(a).y, grad(r(a).y, a), r(a).path.y[-1], r(a).path.t[-1])

# exp(sin(t)), of which the error goes with the fourth power of the step
#: => true
fn rk4_order() =
    let off = (n) => abs(ode.rk4((t, y) => y*cos(t), 1.0, 0, 2, steps = n).y - exp(sin(2)))
    in 15 < off(40)/off(80) < 17

# back from 1 to 0
#: => 1 within 1e-9
fn rk4_back() = ode.rk4((t, y) => -y, exp(-1), 1, 0).y

# Of a structure: cos and sin of sqrt(a)*t. -10*sin(10*sqrt(a))/(2*sqrt(a)) is the derivative.
#native: a=2.0 => (-0.0049686621325937736, -1.4141961054935855, -3.5354902637339636, -3.5354902637339636, true) within 1e-8
fn dormand_prince(a: f64) =
    let r = (a) =>
        ode.dormand_prince((t, y) =>
            {u = y.v, v = -a*y.u}, {u = 1.0, v = 0.0}, 0, 10, rtol = 1e-10, atol = 1e-12)
    let end = r(a)
    in (end.y.u, end.y.v, grad(r(a).y.u, a), jvp(r(a).y.u, a, 1), end.met)

# its second derivative
#: a=2.0 => 0.94598084259091307 within 1e-7
fn dormand_prince_twice(a: f64) =
    let r = (a) =>
        ode.dormand_prince((t, y) =>
            {u = y.v, v = -a*y.u}, {u = 1.0, v = 0.0}, 0, 10, rtol = 1e-10, atol = 1e-12)
    let d = (a) => grad(r(a).y.u, a)
    in grad(d(a), a)

# by the ends and the start: y' = t*y is y0*exp((t1^2 - t0^2)/2)
#: a=0.5 b=1.5 y=2.0 => (5.4365636569180902, 8.1548454853771353, -2.7182818284590451, 2.7182818284590451) within 1e-6
fn by_the_ends(a: f64, b: f64, y: f64) =
    let r = (a, b, y) => ode.dormand_prince((t, y) => t*y, y, a, b, rtol = 1e-9, atol = 1e-9).y
    in (r(a, b, y), jvp(r(a, b, y), b, 1), grad(r(a, b, y), a), grad(r(a, b, y), y))

# Between steps, and going back: cos(t)
#: => (0.54030230586813977, 0.87758256189037276, 0.54030230586813977, 0.8775825618903727, 0.54030230586813977) within 2e-7
fn dense() =
    let f = (t, y) => [y[1], -y[0]]
    let there = ode.dormand_prince(f, [1.0, 0.0], 0, 5, rtol = 1e-8, atol = 1e-10)
    let back = ode.dormand_prince(f, there.y, 5, 0, rtol = 1e-8, atol = 1e-10)
    in (ode.at(there.path, 1.0)[0], ode.at(there.path, 0.5)[0], ode.at(back.path, 1.0)[0],
        ode.at(back.path, 0.5)[0],
        ode.at(ode.rodas(f, [1.0, 0.0], 0, 5, rtol = 1e-8, atol = 1e-10).path, 1.0)[0])

# Where there is no way on, the steps end: y' = y^2 is infinite at t = 1.
#: => false
fn blows_up() = ode.dormand_prince((t, y) => y^2, 1.0, 0, 2, most = 500).met

# No way to go
#: => (3, 0, true)
fn nowhere() =
    let r = ode.dormand_prince((t, y) => y, 3.0, 1, 1)
    in (r.y, r.refused, r.met)

# Robertson's kinetics at t = 40 and at 1e11 (Hairer and Wanner 1996, IV.10)
#: T=40.0 => (0.7158270688, 9.185534765e-6, 0.2841637457, true) within 2e-8
#: T=1e11 => (2.083340149701e-8, 8.333360770334e-14, 0.9999999791665, true) within 1e-11
fn robertson(T: f64) =
    let f = (t, y) =>
        let (a, b, c) = (0.04*y[0], 3e7*y[1]^2, 1e4*y[1]*y[2])
        in [c - a, a - b - c, b]
    let r = ode.rodas(f, [1.0, 0.0, 0.0], 0, T, rtol = 1e-8, atol = 1e-14)
    in (r.y, r.met and len(r.path.t) < 1500)

# exp(-1e6*t) dies, and what is left is cos(t): few steps, of order 4, also where f says what t is
#: => (0.54030230586813977, true) within 1e-6
fn stiff() =
    let r = ode.rodas((t, y) => [-1e6*(y[0] - cos(t)) - sin(t)], [2.0], 0, 1)
    in (r.y[0], len(r.path.t) < 250)

#: => true
fn rodas_order() =
    let f = (t, y) => [sin(t)*y[1], -y[0]^2]
    let step = ode.rodas_step(f)
    let end = (n) => scan (y = [1.0, 2.0], i < n) => step(i/n, y, f(i/n, y), 1/n).y
    let right = ode.rk4(f, [1.0, 2.0], 0, 1, steps = 4000).y
    in 15 < norm(end(20) - right)/norm(end(40) - right) < 18

# van der Pol's equation: the same as by steps that are not made for it
#: a=2.0 => true
fn rodas_gradient(a: f64) =
    let f = (a) => (t, y) => [y[1], a*((1 - y[0]^2)*y[1] - y[0])]
    let slow = (a) => ode.rodas(f(a), [2.0, 0.0], 0, 1, rtol = 1e-8).y[0]
    let fast = (a) => ode.dormand_prince(f(a), [2.0, 0.0], 0, 1, rtol = 1e-10).y[0]
    in abs(grad(slow(a), a) - grad(fast(a), a)) < 1e-7 and abs(grad(slow(a), a) - jvp(slow(a), a, 1)) < 1e-12

# The adjoint equation says what discrete gradients do.
#: a=2.0 => {y = [-0.0049686621325937736, -1.4141961054935855], dy = [-0.0049686621325937736, 0.7070980527467927], dp = -3.5354902637339636, met = true} within 2e-7
fn adjoint(a: f64) =
    let r = ode.adjoint((t, y, p) => [y[1], -p*y[0]], [1.0, 0.0], a, 0, 10, [1.0, 0.0], rtol = 1e-9)
    in r

# A planet's way round in 4 years of 100 steps: the energy is what it was, turning back leads back, both modes agree.
#: v='[0, 1.1]' => (true, true, true)
fn leapfrog(v: f64[2]) =
    let force = (q) => -q/norm(q)^3
    let go = (v) => ode.leapfrog(force, [1.0, 0.0], v, 2*pi/100, 400)
    let end = go(v)
    let energy = (q, v) => dot(v, v)/2 - 1/norm(q)
    let back = ode.leapfrog(force, end.q, -end.v, 2*pi/100, 400)
    in (abs(energy(end.q, end.v) - energy([1.0, 0.0], v)) < 2e-4, norm(back.q - [1.0, 0.0]) < 1e-11,
        abs(grad(norm(end.q), v) @ [1.0, 2.0] - jvp(norm(end.q), v, [1.0, 2.0])) < 1e-8)

# The speed is an integral up to where it is: 1 - cos(y) + 0.09*y^2, by mpmath.odefun.
#: y=0.45 => (0.48829343748317046, 0.48829343748317046) within 2e-7
fn of_integrals(y: f64) =
    let f = (y) => quad.tanh_sinh((s) => sin(s) + 0.18*s, 0, y).value
    in (ode.rodas((t, y) => [f(y[0]), -y[1]], [y, 0.6], 0, 0.3).y[0],
        ode.dormand_prince((t, y) => f(y), y, 0, 0.3).y)

#: => (0, 0, true, true)
fn of_nothing() =
    let (stiff, other) =
        (ode.rodas((t, y) => -y, f64[0](0), 0, 1), ode.dormand_prince((t, y) => -y, f64[0](0), 0, 1))
    in (len(stiff.y), len(other.y), stiff.met, other.met)
