# Roots of equations and systems of linear ones.
#
# f(x) is a number for a number x and a vector for a vector x as long.  What is found is a record:
#   x        the root, or the last that was tried
#   steps    how many steps were made
#   met      whether x is as near as tol asks
# Nothing fails where nothing is found: met is false, after `most` steps at the latest.  Steps are compared with
# tol*max(1, abs(x)), what is left of a linear system with tol*norm(b).
# x is differentiated as the root that it is, by what f captures, to any order: what it began from has no influence.
# Where f' has no inverse at the root, the derivative is 0.
# A solver evaluates f at several places: f stays one function there, so that solvers may be nested.

# The z with A @ z == b, by QR.
#     solve.linear([[2.0, 1.0], [1.0, 3.0]], [3.0, 4.0]) is [1.0, 1.0]
fn linear(A: T[n, n], b: T[n]) =
    let (Q, R) = qr(A)
    in tri_solve[upper](R, b @ Q)

# L, a lower triangle with positive diagonal and L @ L.T == A, of a symmetric positive definite A, of which the lower
# half is read; where A is not such, NaN from the column on that shows it.  Column by column.  Its differential is L
# times the lower half, with half the diagonal, of L^-1 @ dA @ L^-T.
#     solve.cholesky([[4.0, 2.0], [2.0, 5.0]]) is [[2.0, 0.0], [1.0, 2.0]]
fn cholesky(A: T[n, n]) = with_derivative(cholesky_columns, cholesky_differential)(A)
fn cholesky_columns(A: T[n, n]) =
    scan (L = 0*A, j < n) =>
        let v = A[:, j] - L @ L[j]
        in L with [:, j] = where(iota[n]() >= j, v/sqrt(v[j]), 0)
fn cholesky_differential(A: T[n, n], L, dA) =
    let below = iota[n]()[:, _] > iota[n]()
    let equal = iota[n]()[:, _] == iota[n]()
    let whole = where(below or equal, dA, 0) + where(below, dA, 0).T
    let inner = tri_solve[lower](L, tri_solve[lower](L, whole).T)
    in L @ where(below, inner, where(equal, inner/2, 0))

# From L = cholesky(A) the z with A @ z == b.
#     solve.by_cholesky(solve.cholesky([[4.0, 2.0], [2.0, 5.0]]), [2.0, 5.0]) is [0.0, 1.0]
fn by_cholesky(L: T[n, n], b) = tri_solve[lower, turned](L, tri_solve[lower](L, b))
# From L = cholesky(A) the logarithm of the determinant of A.
#     solve.log_det(solve.cholesky([[4.0, 2.0], [2.0, 5.0]])) is 2.772588722239781
fn log_det(L: T[n, n]) = 2*sum([i < n] => log(L[i, i]))

# The determinant of A, by Gaussian elimination, with the largest element that is left of a column as the next pivot.
#     solve.det([[1.0, 2.0], [3.0, 4.0]]) is -2.0
fn det(A: T[n, n]) =
    let r = pivots(A)
    in r.turns*prod(r.pivot)
# Its sign, and the logarithm of its size, which is -inf of a matrix without inverse.
#     solve.slogdet([[1.0, 2.0], [3.0, 4.0]]) is {sign = -1.0, log = 0.6931471805599455}
fn slogdet(A: T[n, n]) =
    let r = pivots(A)
    in {sign = r.turns*prod(sign(r.pivot)), log = sum(log(abs(r.pivot)))}
fn pivots(A: T[n, n]) =
    let end = scan (A = A, turns = T(1), k < n) =>
        let p = argmax(where(iota[n]() >= k, abs(A[:, k]), -1))
        let row = A[p]
        let A = (A with [p] = A[k]) with [k] = row
        let pivot = row[k]
        let by = where(iota[n]() > k, A[:, k]/(if pivot == 0 then 1 else pivot), 0)
        in {A = A - outer(by, row), turns = if p == k then turns else -turns, pivot}
    in {turns = end.turns, pivot = end.pivot}

# y = f(x), and the step d from x to the root of the tangent: the solution of f'(x)*d = -y.
fn newton_step(f, x) =
    let y = f(x)
    in {d = if rank(x) == 0 then -y/jvp(y, x, 1) else -linear(jacobian(y, x), y), y}

# d over f'(x), and f'(x)^-1 @ d: 0 where there is no such.
fn over_slope(f, x, d) =
    if rank(x) == 0 then
        let slope = jvp(f(x), x, 1)
        let good = 0 < abs(slope) < inf
        in where(good, d/where(good, slope, 1), 0)
    else
        let (Q, R) = qr(jacobian(f(x), x))
        let good = all(0 < abs([i < len(x)] => R[i, i])) and all(abs(R) < inf)
        in where(good, tri_solve[upper](where(good, R, eye[len(x)]()), d @ where(good, Q, 0)), 0)

# x, however it was found, as a function of what f captures, by the implicit function theorem: f(x) stays 0.
# To any order, as its differential is made of x.
#     grad((a) => solve.implicit((x) => x^2 - a, 3.0), 9.0) is 0.16666666666666666
fn implicit(f, x) = with_derivative(() => x, (x) => -over_slope(f, x, differential(f(x))))()

fn size_of(x) = if rank(x) == 0 then abs(x) else max(abs(x))

# By halving [a, b] as often as numbers allow; x is NaN where f has the same sign at a and b, or none.  An infinite
# end stands for the largest number.
#     solve.bisection((x) => x^3 - 2, 0, 2) is {x = 1.2599210498948732, steps = 53, met = true}
fn bisection(f, a, b, most = 2200) =
    let f = kept(f)
    let largest = 1.7976931348623157e308
    let (a, b) = (clip(f64(min(a, b)), -largest, largest), clip(f64(max(a, b)), -largest, largest))
    let (left, right) = (f(a), f(b))
    let end = scan (low = a, high = b, steps = 0, i < most) while low < low/2 + high/2 < high =>
        let mid = low/2 + high/2
        let before = (f(mid) < 0) == (left < 0)
        in {low = where(before, mid, low), high = where(before, high, mid), steps = steps + 1}
    let x = if left == 0 then a else if right == 0 then b
        else if (left < 0 and right > 0) or (left > 0 and right < 0) then end.high else nan
    in {x = implicit(f, x), steps = end.steps, met = (x == x) and end.steps < most}

# Newton's method, from x; of each step the largest half, quarter, ... is taken that brings f nearer to 0, where there
# is one (Dennis and Schnabel 1983, 6.3).
#     solve.newton((x) => cos(x) - x, 1.0) is {x = 0.7390851332151607, steps = 4, met = true}
fn newton(f, x, tol = 1e-14, most = 50) =
    let f = kept(f)
    let step = kept((x) => newton_step(f, x))
    let end = scan (x = x, at = step(x), steps = 0, i < most) while size_of(at.d) > tol*max(1, size_of(x)) =>
        let far = norm(at.y)
        let t = scan (t = 1.0, j < 30) while not norm(f(x + t*at.d)) < far => t/2
        let x = x + t*at.d
        in {x, at = step(x), steps = steps + 1}
    let last = end.x + end.at.d
    in {x = implicit(f, last), steps = end.steps,
        met = size_of(end.at.d) <= tol*max(1, size_of(end.x)) and size_of(last) < inf}

# Broyden's good method for vectors, from x: the inverse of f'(x) is worked out at the first x alone, and then follows
# the steps (Broyden 1965).
#     solve.broyden((x) => [x[0] + x[1] - 3, x[0]*x[1] - 2], [0.0, 3.0]).x is [1.0, 2.0]
fn broyden(f, x: T[n], tol = 1e-14, most = 200) =
    let f = kept(f)
    let first = inverse(jacobian(f(x), x))
    let y = f(x)
    let end = scan (x = x, y = y, H = first, d = -(first @ y), steps = 0, i < most)
            while max(abs(d)) > tol*max(1, max(abs(x))) =>
        let new = f(x + d)
        let gap = d - H @ (new - y)
        let turn = d @ H
        let along = dot(turn, new - y)
        let H = H + outer(gap, turn)/where(along == 0, 1, along)
        in {x = x + d, y = new, H, d = -(H @ new), steps = steps + 1}
    let last = end.x + end.d
    in {x = implicit(f, last), steps = end.steps,
        met = max(abs(end.d)) <= tol*max(1, max(abs(end.x))) and size_of(last) < inf}

# x with g(x) = x, by x, g(x), g(g(x)), ...
#     solve.fixed_point(cos, 1.0) is {x = 0.7390851332151572, steps = 80, met = true}
fn fixed_point(g, x, tol = 1e-14, most = 10000) =
    let g = kept(g)
    let end = scan (x = x, next = g(x), steps = 0, i < most)
            while size_of(next - x) > tol*max(1, size_of(next)) =>
        {x = next, next = g(next), steps = steps + 1}
    in {x = implicit((x) => g(x) - x, end.next), steps = end.steps,
        met = size_of(end.next - end.x) <= tol*max(1, size_of(end.next)) and size_of(end.next) < inf}

# The matrix with A @ inverse(A) the unit matrix, by QR.
#     solve.inverse([[2.0, 0.0], [1.0, 4.0]]) is [[0.5, 0.0], [-0.125, 0.25]]
fn inverse(A: T[n, n]) =
    let (Q, R) = qr(A)
    in tri_solve[upper](R, Q.T)

# ---- systems of linear equations, whose matrix is known by what it makes of a vector: A(z) = b.  z is differentiated
# as the solution that it is, to any order, by b and by what A has from outside: each derivative is one more such system.

# z, however it was found, where `solved` finds others and `turned` those of the transposed system.
fn solution(A, b, z, solved, turned) =
    let again = with_system(solved, A, turned)
    in with_derivative(() => z, (z) => again(differential(b - A(z))))()

fn conjugate_steps(A, b, x, tol, most) =
    let r = b - A(x)
    let enough = tol^2*dot(b, b)
    let end = scan (x = x, r = r, p = r, far = dot(r, r), steps = 0, i < most) while far > enough =>
        let q = A(p)
        let t = far/dot(p, q)
        let r = r - t*q
        let new = dot(r, r)
        in {x = x + t*p, r, p = r + new/far*p, far = new, steps = steps + 1}
    in {x = end.x, steps = end.steps, met = end.far <= enough}

# Conjugate gradients, from x, for a symmetric positive definite A; b and x may be any structure (Hestenes and Stiefel
# 1952).
#     solve.conjugate_gradients((z) => [2.0, 4.0]*z, [2.0, 8.0], [0.0, 0.0]) is {x = [1.0, 2.0], steps = 2, met = true}
fn conjugate_gradients(A, b, x, tol = 1e-14, most = 10000) =
    let end = conjugate_steps(A, b, x, tol, most)
    let solved = (b) => conjugate_steps(A, b, typeof(b)(0), tol, most).x
    in {x = solution(A, b, end.x, solved, solved), steps = end.steps, met = end.met}

# The rotation that takes (a, b) to (r, 0).
fn rotation(a, b) =
    let r = hypot(a, b)
    in if r == 0 then {c = 1.0, s = 0.0} else {c = a/r, s = b/r}

fn rotate(h, i, c, s) = h with [i] = c*h[i] + s*h[i + 1] with [i + 1] = c*h[i + 1] - s*h[i]

# The best correction of x among the combinations of m of r, A(r), A(A(r)), ...: an orthonormal basis V by Arnoldi,
# the matrix of A in it made triangular by rotations, whose last number is the size of what is left of r.
fn gmres_cycle[m](A, b: T[n], x: T[n], enough) =
    let r = b - A(x)
    let far = norm(r)
    let end = scan (V = T[m + 1, n](0) with [0] = r/far, R = eye[m](), c = T[m](1), s = T[m](0),
                    g = T[m + 1](0) with [0] = far, steps = 0, j < m) while abs(g[j]) > enough =>
        let w = A(V[j])
        let h1 = V @ w
        let w = w - h1 @ V
        let h2 = V @ w
        let w = w - h2 @ V
        let next = norm(w)
        let h = scan (h = (h1 + h2) with [j + 1] = next, i < j) => rotate(h, i, c[i], s[i])
        let turn = rotation(h[j], next)
        let h = rotate(h, j, turn.c, turn.s)
        in {V = V with [j + 1] = w/where(next == 0, 1, next), R = R with [:, j] = h[:-1],
            c = c with [j] = turn.c,
            s = s with [j] = turn.s, g = rotate(g, j, turn.c, turn.s), steps = steps + 1}
    in {x = x + tri_solve[upper](end.R, end.g[:-1]) @ end.V[:-1], far = abs(end.g[end.steps]),
        steps = end.steps}

fn gmres_steps[m](A, b: T[n], x: T[n], tol, most) =
    let enough = tol*norm(b)
    let end = scan (x = x, far = norm(b - A(x)), steps = 0, i < most) while far > enough =>
        let e = gmres_cycle[m](A, b, x, enough)
        in {x = e.x, far = norm(b - A(e.x)), steps = steps + e.steps}
    in {x = end.x, steps = end.steps, met = end.far <= enough}

# What makes of u what the transposed matrix makes of it.
fn transposed(A) = (u) => vjp(A(u), u, u)

# GMRES, from x, for any linear A of a vector, begun anew after m steps (Saad and Schultz 1986).
#     solve.gmres((z) => [[2.0, 1.0], [0.0, 4.0]] @ z, [3.0, 4.0], [0.0, 0.0]) is {x = [0.9999999999999999, 0.9999999999999998], steps = 2, met = true}
fn gmres[m = 30](A, b: T[n], x: T[n], tol = 1e-13, most = 1000) =
    let end = gmres_steps[m](A, b, x, tol, most)
    let by = (A) => (b) => gmres_steps[m](A, b, typeof(b)(0), tol, most).x
    in {x = solution(A, b, end.x, by(A), by(transposed(A))), steps = end.steps, met = end.met}

# As implicit(f, x), for a vector x, where no matrix is made: f'(x) is known by what it makes of a vector.
#     grad((a) => sum(solve.implicit_free((x) => x^2 - a, [3.0, 3.0])), 9.0) is 0.3333333333333333
fn implicit_free[m = 30](f, x: T[n], tol = 1e-13, most = 1000) =
    let by = (A) => (b) => gmres_steps[m](A, b, typeof(b)(0), tol, most).x
    let slope = (x) => (v) => jvp(f(x), x, v)
    in with_derivative(() => x, (x) =>
        let again = with_system(by(slope(x)), slope(x), by(transposed(slope(x))))
        in -again(differential(f(x))))()
