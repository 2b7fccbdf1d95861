fn step(u: f64[m, n], c: f64) =
    let mid = u[1:-1, 1:-1]
    let around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    in u with [1:-1, 1:-1] += c*(around - 4*mid)

fn heat(u: f64[m, n], c: f64, steps: i64) = scan[states = 32] (u = u, i < steps) => step(u, c)

fn misfit(u0: f64[m, n], seen: f64[m, n], c: f64) = sum((heat(u0, c, 1000) - seen)^2)

fn gradient(u0: f64[m, n], seen: f64[m, n], c: f64) = grad(misfit(u0, seen, c), u0)
