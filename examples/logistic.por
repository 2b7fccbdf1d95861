# logistic.por - logistic regression: loss, gradient, a step of Adam.
#
#   porism grad examples/logistic.por:loss
#   porism run examples/logistic.por:gradient p='{w = [0.1, -0.2], b = 0.0}' X='[[1.0, 2.0], [3.0, 4.0]]' y='[0.0, 1.0]'
#   porism fit examples/logistic.por:train X=@data.npz:x y=@data.npz:y

use optim

type params[n] = {w: f64[n], b: f64}

fn init[n](k: key) -> params[n] = {w = normal[f64[n]](k)/100, b = 0.0}

# Binary cross-entropy from logits; y is 0 or 1.
fn loss(p: params[n], X: f64[m, n], y: f64[m]) =
    let z = X @ p.w + p.b
    in mean(softplus(z) - y*z)

fn gradient(p: params[n], X: f64[m, n], y: f64[m]) = grad(loss(p, X, y), p)

fn step(p: params[n], s: optim.moments[params[n]], X: f64[m, n], y: f64[m], rate: f64) =
    optim.adam(rate = rate).step(p, gradient(p, X, y), s)

fn accuracy(p: params[n], X: f64[m, n], y: f64[m]) = mean((X @ p.w + p.b > 0) == (y > 0.5))

let train =
    {minimise = loss, start = init, by = optim.adam(rate = 0.05), block = {m = 32}, steps = 300,
     show = accuracy, hold = 0.2}
