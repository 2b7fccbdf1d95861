use optim

type params[n] = {w: f64[n], b: f64}

fn loss(p: params[n], X: f64[m, n], y: f64[m]) =
    let z = X @ p.w + p.b
    in mean(softplus(z) - y*z)

fn gradient(p: params[n], X: f64[m, n], y: f64[m]) = grad(loss(p, X, y), p)

fn step(p: params[n], s: optim.moments[params[n]], X: f64[m, n], y: f64[m], rate: f64) =
    optim.adam(rate = rate).step(p, gradient(p, X, y), s)
