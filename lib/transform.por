# From free numbers y to parameters that are bound: {x, log_jacobian}, the logarithm of the absolute determinant of
# dx/dy, over all elements.  A sampler or a fit walks in y; to the logarithm of a density of x the log_jacobian is added.

fn above(y, low) = {x = low + exp(y), log_jacobian = sum(y)}
fn below(y, high) = {x = high - exp(y), log_jacobian = sum(y)}
fn positive(y) = above(y, 0)
fn between(y, low, high) =
    {x = low + (high - low)*sigmoid(y), log_jacobian = sum(log(high - low) - softplus(y) - softplus(-y))}

# Ascending numbers.
fn ordered(y: T[n]) =
    {x = cumsum(where(iota[n]() == 0, y, exp(y))), log_jacobian = sum(where(iota[n]() == 0, 0, y))}

# n + 1 shares with the sum 1, of what is left one after another; equal ones of y = 0 (Stan's reference manual, 10.7).
fn simplex(y: T[n]) =
    let z = y - log(n - iota[n]())
    let rest = -cumsum(softplus(z))
    let left = rest + softplus(z)
    in {x = exp(concat(left - softplus(-z), [sum(-softplus(z))])), log_jacobian = sum(left - softplus(z) - softplus(-z))}

# Row by row the elements below the diagonal of n by n, of n*(n - 1)/2 numbers; zeros elsewhere.
fn below_diagonal[n](y: T[m]) =
    [i < n, j < n] => if j < i then y[i*(i - 1)//2 + j] else 0.0

# The lower triangle L with L @ L.T a covariance: the diagonal's logarithms are free.
fn covariance_cholesky[n](y: T[m]) =
    let free = y[:n]
    let i = iota[n]()
    in {x = where(i[:, _] == i, exp(free), below_diagonal[n](y[n:])), log_jacobian = sum(free)}
# The same with L @ L.T a matrix of correlations, of n*(n - 1)/2 numbers (Lewandowski, Kurowicka and Joe 2009).
fn correlation_cholesky[n](y: T[m]) =
    let z = tanh(below_diagonal[n](y))
    let fall = 2*log(sech(below_diagonal[n](y)))
    let left = cumsum[1](fall) - fall
    let i = iota[n]()
    in {x = where(i[:, _] == i, exp(left/2), z*exp(left/2)),
        log_jacobian = sum(fall) + sum(where(i[:, _] > i, left/2, 0))}
