# Arrays by the formula of their elements: [i < n, x in xs] => e.

# The squared exponential kernel of all pairs of rows.
fn kernel(X: f64[n, d], scale: f64) = [a in X, b in X] => exp(-sum((a - b)^2)/(2*scale^2))

# A band of a matrix; what lies beyond is neither read nor differentiated.
fn band(A: f64[n, n], k: i64) = [i < n, j < n] => if abs(i - j) <= k then A[i, j] else 0.0

# Means of a window of three, with fewer at the ends.
fn smooth(x: f64[n]) = [i < n] =>
    let left = if i > 0 then x[i - 1] else x[i]
    let right = if i < n - 1 then x[i + 1] else x[i]
    in (left + x[i] + right)/3

# Cross entropy of each row, and the gradient of each example by the weights, without a loop.
fn entropy(W: f64[d, c], x: f64[d], label: i64) = let z = x @ W in logsumexp(z) - z[label]
fn gradients(W: f64[d, c], X: f64[m, d], y: i64[m]) = [i < m] => grad(entropy(W, X[i], y[i]), W)

# Each root in as many of Newton's steps as it takes; those that are done wait for the others.
fn roots(a: f64[n]) = [v in a] => scan (t = v) while abs(t^2 - v) > 1e-12*v => (t + v/t)/2

# Means of sequences of different lengths in one padded array.
fn means(X: f64[b, t], lengths: i64[b]) = [i < b] =>
    sum([j < t] => if j < lengths[i] then X[i, j] else 0.0)/max(lengths[i], 1)
