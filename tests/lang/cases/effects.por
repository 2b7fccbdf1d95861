fn descend(w: f64[n], X: f64[m, n], y: f64[m], rate: f64) =
    scan (w = w, i < 100) =>
        let l = norm(X @ w - y)^2
        do assert(l < inf)
        do print({step = i, loss = l})
        in w - rate*grad(l, w)

book softplus_tests: check
large:  softplus(1000)              <=> 1000
found:  log(1 + exp(x))              => softplus(x)
fused:  grad(sum(log(1 + exp(x))), x) => sigmoid(x)

fn kernel(x: f32[n], out: f32[n]) =
    scan[parallel] (out = out, b < n//4096) =>
        scan[vector = 16] (out = out, i < 4096) => out with [4096*b + i] = exp(x[4096*b + i])
