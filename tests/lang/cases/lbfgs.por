# The history is a structure with a leading axis of m; empty rows have rho = 0 and do nothing.
fn push(H, new) = concat(H[1:], new[_])

fn two_loops(H, γ, g) =
    let down = scan[back] (q = g, h in H) =>
        let a = h.rho*dot(h.s, q)
        in {q = q - a*h.y, a}
    in scan (r = γ*down.q, h in H, a in down.a) => r + (a - h.rho*dot(h.y, r))*h.s

fn lbfgs[m = 10](f, x, tol = 1e-9, most = 500) =
    let df = (x) => grad(f(x), x)
    let none = typeof(x)[m](0)
    let end = scan (x = x, g = df(x), H = {s = none, y = none, rho = f64[m](0)}, γ = 1.0, i < most)
            while norm(g) > tol =>
        let d = -two_loops(H, γ, g)
        let fx = f(x)
        let slope = dot(g, d)
        let t = scan (t = 1.0, j < 40) while f(x + t*d) > fx + 1e-4*t*slope => t/2
        let s = t*d
        let x = x + s
        let y = df(x) - g
        let sy = dot(s, y)
        in if sy > 1e-14 then {x, g = g + y, H = push(H, {s, y, rho = 1/sy}), γ = sy/dot(y, y)}
            else {x, g = g + y, H, γ}
    in end.x

# root(g, x): x, known to solve g(x) = 0.  Its differential is the implicit function theorem;
# dg is the differential of what g captures.
op root(g: (f64[n]) -> f64[n], x: f64[n]) = x

book derivative
d(root(g, x)) => let r = root(g, x) in -solve(jacobian(g(r), r), dg(r))

fn ridge(x: f64[n], A: f64[m, n], b: f64[m], λ: f64) = norm(A @ x - b)^2/2 + λ/2*dot(x, x)

fn best(A: f64[m, n], b: f64[m], λ: f64) =
    let f = (x) => ridge(x, A, b, λ)
    in root((x) => grad(f(x), x), lbfgs(f, f64[n](0)))

fn sensitivity(A: f64[m, n], b: f64[m], λ: f64) = jacobian(best(A, b, λ), λ)
