use solve

# Optimisers: an optimiser is a record of two functions.
#   start(p)        the state for parameters p, which may be any structure
#   step(p, g, s)   the next parameters and state, from parameters, gradient and state

type moments[P] = {m: P, v: P, t: i64}

# Steps against the gradient.
#     optim.minimise(optim.sgd(rate = 0.1), (x) => (x - 3)^2, 0.0, steps = 100).x is 2.9999999993888893
fn sgd(rate = 1e-2) = {start = (p) => (), step = (p, g, s) => (p - rate*g, s)}

# What came before goes on: of each gradient's step the part `keep` in the next (Polyak 1964).
#     optim.minimise(optim.momentum(rate = 0.05), (x) => (x - 3)^2, 0.0, steps = 200).x is 2.9999958154360247
fn momentum(rate = 1e-2, keep = 0.9) = {
    start = (p) => {v = typeof(p)(0)},
    step = (p, g, s) =>
        let v = keep*s.v + g
        in (p - rate*v, {v})}

# The same, with the gradient where it is going (Nesterov 1983).
#     optim.minimise(optim.nesterov(rate = 0.05), (x) => (x - 3)^2, 0.0, steps = 200).x is 2.9999999985677275
fn nesterov(rate = 1e-2, keep = 0.9) = {
    start = (p) => {v = typeof(p)(0)},
    step = (p, g, s) =>
        let v = keep*s.v + g
        in (p - rate*(keep*v + g), {v})}

# Each number's step over the root of the mean square of its gradients so far (Tieleman and Hinton 2012).
#     optim.minimise(optim.rmsprop(rate = 0.05), (x) => (x - 3)^2, 0.0, steps = 200).x is 3.0
fn rmsprop(rate = 1e-3, keep = 0.9, eps = 1e-8) = {
    start = (p) => {v = typeof(p)(0)},
    step = (p, g, s) =>
        let v = keep*s.v + (1 - keep)*g^2
        in (p - rate*g/(sqrt(v) + eps), {v})}

# Means of the gradient and of its square, without what they have from beginning at 0 (Kingma and Ba 2015).
#     optim.minimise(optim.adam(rate = 0.1), (x) => (x - 3)^2, 0.0, steps = 200).x is 3.0000530297387056
fn adam(rate = 1e-3, b1 = 0.9, b2 = 0.999, eps = 1e-8) = {
    start = (p) => {m = typeof(p)(0), v = typeof(p)(0), t = i64(0)},
    step = (p, g, s) =>
        let t = s.t + 1
        let m = b1*s.m + (1 - b1)*g
        let v = b2*s.v + (1 - b2)*g^2
        in (p - rate * (m/(1 - b1^t)) / (sqrt(v/(1 - b2^t)) + eps), {m, v, t})}

# Adam with weights that decay by themselves (Loshchilov and Hutter, 2019).
#     optim.minimise(optim.adamw(rate = 0.1), (x) => (x - 3)^2, 0.0, steps = 200).x is 2.980082459736943
fn adamw(rate = 1e-3, b1 = 0.9, b2 = 0.999, eps = 1e-8, decay = 1e-2) = {
    start = (p) => {m = typeof(p)(0), v = typeof(p)(0), t = i64(0)},
    step = (p, g, s) =>
        let t = s.t + 1
        let m = b1*s.m + (1 - b1)*g
        let v = b2*s.v + (1 - b2)*g^2
        in (p - rate*decay*p - rate * (m/(1 - b1^t)) / (sqrt(v/(1 - b2^t)) + eps), {m, v, t})}

# ---- rates that change, and gradients that are cut: parts of an optimiser, of which these make another

# The optimiser `by` with its rate times of(t) in step t = 0, 1, 2, ...: what a step adds to the parameters is multiplied.
#     optim.minimise(optim.scheduled(optim.adam(rate = 0.5), optim.cosine(100)), (x) => (x - 3)^2, 0.0, steps = 100).x is 2.999317145394245
fn scheduled(by, of) = {
    start = (p) => {t = i64(0), s = by.start(p)},
    step = (p, g, s) =>
        let (new, inner) = by.step(p, g, s.s)
        in (p + of(s.t)*(new - p), {t = s.t + 1, s = inner})}

# A schedule, a function of the step's number: always 1.
#     optim.constant()(7) is 1.0
fn constant() = (t) => 1.0
# A schedule that halves every `half` steps.
#     optim.exponential_decay(10)(20) is 0.25
fn exponential_decay(half) = (t) => 2.0^(-t/half)
# A schedule that is multiplied by `by` after every `every` steps.
#     optim.step_decay(10)(25) is 0.010000000000000002
fn step_decay(every, by = 0.1) = (t) => f64(by)^(t//every)
# A schedule from 1 to `last` in so many steps, along half a wave of a cosine.
#     optim.cosine(100)(25) is 0.8535533905932737
fn cosine(steps, last = 0) = (t) => last + (1 - last)*(1 + cos(pi*min(t/steps, 1)))/2
# A schedule from 1 to `last` in so many steps, along a line.
#     optim.linear(100)(25) is 0.75
fn linear(steps, last = 0) = (t) => 1 + (last - 1)*min(t/steps, 1)
# A schedule that rises to 1 in so many steps, and then is `after`, from its beginning.
#     optim.warmup(10, optim.cosine(100))(4) is 0.5
fn warmup(steps, after) = (t) => if t < steps then (t + 1)/steps else after(t - steps)

# The optimiser `by`, with each number of the gradient cut to [-most, most].
#     optim.minimise(optim.clipped(optim.sgd(rate = 0.1), 1), (x) => (x - 3)^4, 0.0, steps = 100).x is 2.876494236653375
fn clipped(by, most) = {start = by.start, step = (p, g, s) => by.step(p, clip(g, -most, most), s)}
# The optimiser `by`, with a gradient no longer than `most`.
#     optim.minimise(optim.shortened(optim.sgd(rate = 0.1), 1), (x) => sum((x - 3)^4), [0.0, 1.0], steps = 100).x is [2.8730575076035043, 2.873139186058399]
fn shortened(by, most) = {start = by.start, step = (p, g, s) => by.step(p, g*(most/max(norm(g), most)), s)}

# ---- minimisers of a function of any structure.  x is differentiated as the minimum that it is, to any order, by what f
# captures.  Each gives
#   x        where it ends, as said below, or the last that was tried
#   value    f(x)
#   steps    how many steps were made
#   met      whether it ends there

# Along d from x, where f is fx and its slope is slope: 1, 1/2, 1/4, ... of d until f falls by 1e-4 of what the slope
# promises (Armijo).
fn search(f, x, d, fx, slope) = scan (t = 1.0, j < 40) while not f(x + t*d) <= fx + 1e-4*t*slope => t/2

# The history is a structure with a leading axis of m; rows of rho = 0 are empty and do nothing.
fn two_loops(H, scale, g) =
    let down = scan[back] (q = g, h in H) =>
        let a = h.rho*dot(h.s, q)
        in {q = q - a*h.y, a}
    in scan (r = scale*down.q, h in H, a in down.a) => r + (a - h.rho*dot(h.y, r))*h.s

# The two below end where the gradient is no longer than tol, or where the step that is next promises to take less than
# tol^2 of f away, which no rounded f shows; or, with `met` or not, where no part of a step makes f less.
fn goes_on(g, d, fx, stuck, tol) = norm(g) > tol and -dot(g, d) > tol^2*abs(fx) and not stuck
fn has_met(g, d, fx, stuck, tol) =
    isfinite(fx) and (norm(g) <= tol or -dot(g, d) <= (if stuck then tol else tol^2)*abs(fx))

# L-BFGS, of the last m steps, which stand for the Hessian (Nocedal and Wright 2006, algorithm 7.5). told(i, f(x), x), for
# prints and the like, is called behind step i, and gives f(x).
#     optim.lbfgs((p) => (p.a - 1)^2 + (p.b - p.a^2)^2, {a = 0.0, b = 0.0}) is {x = {a = 1.0000000000723885, b = 0.9999999998985887}, value = 6.584883043662336e-20, steps = 10, met = true}
fn lbfgs[m = 10](f, x, tol = 1e-8, most = 1000, told = (i, fx, x) => fx) =
    let f = kept(f)
    let df = kept((x) => grad(f(x), x))
    let none = typeof(x)[m](0)
    let g = df(x)
    let end =
        scan (x = x, fx = f(x), g = g, d = -g, H = {s = none, y = none, rho = f64[m](0)}, scale = 1.0,
              stuck = false,
              steps = 0, i < most) while goes_on(g, d, fx, stuck, tol) =>
            let s = search(f, x, d, fx, dot(g, d))*d
            let (low, next) = (f(x + s), df(x + s))
            let y = next - g
            let along = dot(s, y)
            let good = along > 1e-14*dot(y, y)
            let H = concat(H[1:], {s, y, rho = if good then 1/along else 0.0}[_])
            let scale = if good then along/dot(y, y) else scale
            in {x = x + s, fx = told(i, low, x + s), g = next, d = -two_loops(H, scale, next), H, scale,
                stuck = not low < fx,
                steps = steps + 1}
    let x = at_minimum_free(f, end.x)
    in {x, value = f(x), steps = end.steps, met = has_met(end.g, end.d, end.fx, end.stuck, tol)}

# Newton's method whose linear systems are solved by conjugate gradients as far as the step is worth, and no further than
# to where f bends down (Nocedal and Wright 2006, algorithm 7.1); no Hessian is made. told is as in lbfgs.
#     optim.newton_cg((p) => (p.a - 1)^2 + 10*(p.b - 2)^2, {a = 0.0, b = 0.0}) is {x = {a = 1.0, b = 2.0}, value = 0.0, steps = 4, met = true}
fn newton_cg(f, x, tol = 1e-8, most = 200, told = (i, fx, x) => fx) =
    let f = kept(f)
    let df = kept((x) => grad(f(x), x))
    let bent = kept((x, d) => jvp(df(x), x, d))
    let direction = (x, g) =>
        let far = norm(g)
        let enough = min(0.5, sqrt(far))*far
        let zero = typeof(x)(0)
        let end = scan (z = zero, r = g, d = -g, up = true, j < 200) while up and norm(r) > enough =>
            let b = bent(x, d)
            let bend = dot(d, b)
            let t = dot(r, r)/bend
            let q = r + t*b
            let new = {z = z + t*d, r = q, d = dot(q, q)/dot(r, r)*d - q, up = true}
            in if bend > 0 then new else {z, r, d, up = false}
        in if dot(end.z, end.z) > 0 then end.z else -g
    let g = df(x)
    let end = scan (x = x, fx = f(x), g = g, d = direction(x, g), stuck = false, steps = 0, i < most)
            while goes_on(g, d, fx, stuck, tol) =>
        let x = x + search(f, x, d, fx, dot(g, d))*d
        let (low, g) = (f(x), df(x))
        in {x, fx = told(i, low, x), g, d = direction(x, g), stuck = not low < fx, steps = steps + 1}
    let x = at_minimum_free(f, end.x)
    in {x, value = f(x), steps = end.steps, met = has_met(end.g, end.d, end.fx, end.stuck, tol)}

# Any optimiser for `steps` steps: {x, value, path}; `path` has f before each.
#     optim.minimise(optim.adam(rate = 0.1), (x) => (x - 3)^2, 0.0, steps = 3).path is [9.0, 8.410000000966667, 7.840575172071628]
fn minimise(by, f, x, steps = 1000) =
    let end = scan (x = x, s = by.start(x), i < steps) =>
        let (next, s) = by.step(x, grad(f(x), x), s)
        in {x = next, s, path = f(x)}
    in {x = end.x, value = f(end.x), path = end.path}

# x, a number or a vector where f is least, as a function of what f captures: whatever found it, its derivatives, of
# any order, are those of the place where the gradient is 0.
#     grad((a) => optim.at_minimum((x) => (x^2 - a)^2, 3.0), 9.0) is 0.16666666666666666
fn at_minimum(f, x) = solve.implicit((x) => grad(f(x), x), x)

# The same for any structure, by conjugate gradients: no Hessian is made.
#     grad((a) => optim.at_minimum_free((p) => (p.x - a)^2, {x = 9.0}).x, 9.0) is 1.0
fn at_minimum_free(f, x, tol = 1e-14, most = 10000) =
    let df = kept((x) => grad(f(x), x))
    let bent = kept((x, v) => jvp(df(x), x, v))
    in with_derivative(() => x, (x) =>
        let bend = (v) => bent(x, v)
        let solved = (b) => solve.conjugate_steps(bend, b, typeof(b)(0), tol, most).x
        in -with_system(solved, bend, solved)(differential(df(x))))()
