# logistic.por:gradient after stable: 9 nodes (31 before); rules: d_softplus, mul_div, transpose_vec
fn gradient(p: {w: f64[n], b: f64}, X: f64[m, n], y: f64[m]) -> {w: f64[n], b: f64} =
    let z = X @ p.w + p.b                                    # f64[m]      1.por:6
    let v1 = (sigmoid(z) - y)/m                              # f64[m]      d of 1.por:7
    in {w = v1 @ X, b = sum(v1)}

# flow.por:gradient, of `let end = scan (y = y, i < steps) => y + h*sin(y) in grad(sum(end), y)`
fn flow_gradient(y: f64[n], h: f64, steps: i64) -> f64[n] =
    let v1 = scan (y = y, i < steps) => {y = y + h*sin(y), t1 = y}          # flow.por:2, keeps y
    in scan[back] (dy = f64[n](1), y in v1.t1) => dy + h*dy*cos(y)         # d of flow.por:2
