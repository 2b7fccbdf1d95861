# Integrals over an interval, one or both of whose ends may be infinite.
#
# f takes a number and gives one, and may hold branches and loops.  Integrals are differentiated by what f captures and by
# finite ends, in either mode and to any order.  An end that is infinite is brought to a finite place by a + u/(1 - u), and
# both by (2*u - 1)/(4*u*(1 - u)).  The first two give
#   value   the integral
#   off     how far it may be off
#   parts   on how many parts, of gauss_kronrod
#   met     whether off is at most tol*max(1, abs(value))

# The interval (0, 1) laid over (a, b): where u comes to lie, v being 1 - u, and how far the interval is stretched there.
fn lay(a, b, u, v) =
    if isfinite(a) and isfinite(b) then {x = if u < v then a + (b - a)*u else b - (b - a)*v, by = b - a}
    else if isfinite(a) then {x = a + sign(b)*u/v, by = sign(b)/v^2}
    else if isfinite(b) then {x = b + sign(a)*v/u, by = -sign(a)/u^2}
    else let way = (sign(b) - sign(a))/2 in {x = way*(u - v)/(4*u*v), by = way*(u^2 + v^2)/(2*u*v)^2}

# The integrand over (0, 1), of a point's distances from both ends; f is not asked at a and b, where it may be infinite.
fn on_unit(f, a, b) =
    let (a, b) = (f64(a), f64(b))
    in (u, v) =>
        let p = lay(a, b, u, v)
        in if p.x == a or p.x == b then 0 else p.by*f(p.x)

# ---- Gauss and Kronrod: 21 points of (-1, 1), every second one of which is Gauss's

let right = [0.0, 0.148874338981631211, 0.294392862701460198, 0.433395394129247191, 0.562757134668604683,
             0.679409568299024406, 0.780817726586416897, 0.865063366688984511, 0.930157491355708226,
             0.97390652851717172,
             0.995657163025808081]
let kronrod = [0.149445554002916906, 0.147739104901338491, 0.142775938577060081, 0.134709217311473326,
               0.123491976262065851, 0.109387158802297642, 0.0931254545836976055, 0.0750396748109199528,
               0.054755896574351996,
               0.0325581623079647275, 0.0116946388673718743]
let gauss =
    [0.0, 0.29552422471475287, 0.0, 0.269266719309996355, 0.0, 0.219086362515982044, 0.0,
     0.149451349150580593, 0.0,
     0.0666713443086881376, 0.0]
fn both(x) = concat(x[:0:-1], x)

# Of the part (at, at + wide) of (0, 1): Kronrod's sum, and how far off it may be (Piessens and others 1983, 2.2).
fn part(g, at, wide) =
    let x = concat(-right[:0:-1], right)
    let y = [x in x] => g(at + wide*(1 + x)/2, (1 - at - wide) + wide*(1 - x)/2)
    let sum = both(kronrod) @ y
    let apart = abs(both(gauss) @ y - sum)
    let rough = both(kronrod) @ abs(y - sum/2)
    let off = if rough == 0 then apart else rough*min(1, (200*apart/rough)^1.5)
    in {sum = wide/2*sum, off = wide/2*stop_gradient(off)}

# By 21 points on each part of [a, b]; the part that is most off is halved, until all are off by tol at most, absolute
# or of the integral, or there are `most` parts (Piessens and others 1983, QAG).
#     quad.gauss_kronrod((x) => exp(-x^2), -inf, inf) is {value = 1.772453850905516, off = 3.028029470502861e-11, parts = 8, met = true}
fn gauss_kronrod[most = 200](f, a, b, tol = 1e-10) =
    let g = on_unit(f, a, b)
    let zero = f64[most](0)
    let first = part(g, 0.0, 1.0)
    let end =
        scan (at = zero, wide = zero with [0] = 1, sums = zero with [0] = first.sum,
              offs = zero with [0] = first.off,
              parts = 1, i < most - 1) while sum(offs) > tol*max(1, abs(sum(sums))) =>
            let worst = argmax(offs)
            let (from, half) = (at[worst], wide[worst]/2)
            let (p, q) = (part(g, from, half), part(g, from + half, half))
            in {at = at with [parts] = from + half, wide = wide with [worst] = half with [parts] = half,
                sums = sums with [worst] = p.sum with [parts] = q.sum,
                offs = offs with [worst] = p.off with [parts] = q.off, parts = parts + 1}
    let value = sum(end.sums)
    in {value, off = sum(end.offs), parts = end.parts, met = sum(end.offs) <= tol*max(1, abs(value))}

# ---- tanh-sinh

# For an f that is infinite or steep at the ends: the trapezoidal rule for t, (0, 1) being laid over all numbers by
# u = 1/(1 + exp(-pi*sinh(t))); the points are doubled, at most `most` times, until the sum changes by tol at most,
# absolute or of itself (Takahasi and Mori 1974).
#     quad.tanh_sinh((x) => log(x), 0, 1) is {value = -1.0, off = 0.0, met = true}
fn tanh_sinh(f, a, b, tol = 1e-13, most = 9) =
    let g = on_unit(f, a, b)
    let point = (t) =>
        let u = sigmoid(pi*sinh(t))
        let v = sigmoid(-pi*sinh(t))
        in pi*cosh(t)*u*v*g(u, v)
    let far = 4.5
    let first = scan (s = 0.0, i < 19) => s + point(i/2 - far)
    let end = scan (sum = first/2, off = inf, step = 0.25, level < most) while off > tol*max(1, abs(sum)) =>
        let count = max(1, 18*2^level)  # a loop that surely has a pass
        let more = scan (s = 0.0, i < count) => s + point(step*(2*i + 1) - far)
        let new = sum/2 + step*more
        in {sum = new, off = stop_gradient(abs(new - sum)), step = step/2}
    in {value = end.sum, off = end.off, met = end.off <= tol*max(1, abs(end.sum))}

# ---- Simpson

# Simpson's rule of 2*pairs equal parts of [a, b], which are finite.
#     quad.simpson((x) => x^2, 0, 3) is 8.999999999999998
fn simpson(f, a, b, pairs = 50) =
    let (a, b) = (f64(a), f64(b))
    let h = (b - a)/(2*pairs)
    let end = scan (sum = 0.0, last = f(a), i < pairs) =>
        let next = f(a + (2*i + 2)*h)
        in {sum = sum + last + 4*f(a + (2*i + 1)*h) + next, last = next}
    in h/3*end.sum

# Simpson's rule of values at distances h, of which there is an odd number.
#     quad.simpson_table([0.0, 1.0, 4.0], 1.0) is 2.6666666666666665
fn simpson_table(y: T[2*n + 1], h) = h/3*(sum(y[:-1:2]) + 4*sum(y[1::2]) + sum(y[2::2]))
