# From free numbers y to parameters that are bound: {x, log_jacobian}, the logarithm of the absolute determinant of
# dx/dy, over all elements.  A sampler or a fit walks in y; to the logarithm of a density of x the log_jacobian is added.

# Numbers above low: low + exp(y).
#     transform.above(0.5, 2.0) is {x = 3.648721270700128, log_jacobian = 0.5}
fn above(y, low) = {x = low + exp(y), log_jacobian = sum(y)}
# Numbers below high: high - exp(y).
#     transform.below(0.5, 2.0) is {x = 0.3512787292998718, log_jacobian = 0.5}
fn below(y, high) = {x = high - exp(y), log_jacobian = sum(y)}
# Numbers above 0: exp(y).
#     transform.positive([0.5, -1.0]) is {x = [1.6487212707001282, 0.36787944117144233], log_jacobian = -0.5}
fn positive(y) = above(y, 0)
# Numbers between low and high: low + (high - low)*sigmoid(y).
#     transform.between(0.5, 0.0, 10.0) is {x = 6.224593312018546, log_jacobian = 0.8544311246338325}
fn between(y, low, high) =
    {x = low + (high - low)*sigmoid(y), log_jacobian = sum(log(high - low) - softplus(y) - softplus(-y))}

# Ascending numbers: the first of y, and what exp of the others adds to it.
#     transform.ordered([0.5, 0.0, 1.0]) is {x = [0.5, 1.5, 4.2182818284590455], log_jacobian = 1.0}
fn ordered(y: T[n]) =
    {x = cumsum(where(iota[n]() == 0, y, exp(y))), log_jacobian = sum(where(iota[n]() == 0, 0, y))}

# n + 1 shares with the sum 1, of what is left one after another; equal ones of y = 0 (Stan's reference manual, 10.7).
#     transform.simplex([0.5, -0.5]) is {x = [0.45186276187760605, 0.20694409947389691, 0.341193138648497], log_jacobian = -3.4449899154932524}
fn simplex(y: T[n]) =
    let z = y - log(n - iota[n]())
    let rest = -cumsum(softplus(z))
    let left = rest + softplus(z)
    in {x = exp(concat(left - softplus(-z), [sum(-softplus(z))])),
        log_jacobian = sum(left - softplus(z) - softplus(-z))}

# Row by row the elements below the diagonal of n by n, of n*(n - 1)/2 numbers; zeros elsewhere.
fn below_diagonal[n](y: T[m]) =
    [i < n, j < n] => if j < i then y[i*(i - 1)//2 + j] else 0.0

# The lower triangle L with L @ L.T a covariance, of n*(n + 1)/2 numbers: the diagonal's logarithms come first.
#     transform.covariance_cholesky[2]([0.1, 0.2, 0.3]) is {x = [[1.1051709180756477, 0.0], [0.3, 1.2214027581601699]], log_jacobian = 0.30000000000000004}
fn covariance_cholesky[n](y: T[m]) =
    let free = y[:n]
    let i = iota[n]()
    in {x = where(i[:, _] == i, exp(free), below_diagonal[n](y[n:])), log_jacobian = sum(free)}
# The same with L @ L.T a matrix of correlations, of n*(n - 1)/2 numbers (Lewandowski, Kurowicka and Joe 2009).
#     transform.correlation_cholesky[2]([0.5]) is {x = [[1.0, 0.0], [0.46211715726000974, 0.8868188839700739]], log_jacobian = -0.24022901391655505}
fn correlation_cholesky[n](y: T[m]) =
    let z = tanh(below_diagonal[n](y))
    let fall = 2*log(sech(below_diagonal[n](y)))
    let left = cumsum[1](fall) - fall
    let i = iota[n]()
    in {x = where(i[:, _] == i, exp(left/2), z*exp(left/2)),
        log_jacobian = sum(fall) + sum(where(i[:, _] > i, left/2, 0))}
