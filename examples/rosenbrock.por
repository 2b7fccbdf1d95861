# rosenbrock.por - Newton's method in many unknowns, by a sparse Hessian: three diagonals, found on the graph.
#
#   porism run examples/rosenbrock.por:newton 'x=f64[100](0.9)' steps=9
#   porism run examples/rosenbrock.por:curvature 'x=[1.0, 2.0, 0.5]'

fn chained(x: f64[n]) = sum(100*(x[1:] - x[:-1]^2)^2 + (1 - x[:-1])^2)

fn curvature(x: f64[n]) = sparse_hessian(chained(x), x)

# z with T z = b, T symmetric with these diagonals.
fn tridiagonal(main: f64[n], beside: f64[k], b: f64[n]) =
    let down = scan (d = 1.0, z = 0.0, m in main, l in concat([0.0], beside), b in b) =>
        let w = l/d
        let e = m - w*l
        let y = b - w*z
        in {d = e, z = y, pivot = e, right = y}
    in (scan[back] (z = 0.0, y in down.right, d in down.pivot, u in concat(beside, [0.0])) =>
        let v = (y - u*z)/d
        in {z = v, all = v}).all

fn newton(x: f64[n], steps: i64) =
    scan (x = x, i < steps) =>
        let h = curvature(x).values               # below, on and above the diagonal
        in x - tridiagonal(h[n - 1:2*n - 1], h[:n - 1], grad(chained(x), x))
