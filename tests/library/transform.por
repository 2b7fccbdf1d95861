# Module transform: what comes out keeps its bounds, and the log_jacobian is that of the matrix of derivatives.
use transform

fn log_det(J) = let (q, r) = qr(J) in sum([i < size[0](J)] => log(abs(r[i, i])))

# exp, a logistic share, and log(|det|) of their Jacobians, twice
#native: y='[-1,0.5,2]' => ([2.36787944117144, 3.64872127070013, 9.38905609893065], 1.5, 1.5) within 1e-14
fn above(y: f64[n]) =
    let t = transform.above(y, 2) in (t.x, t.log_jacobian, log_det(jacobian(transform.above(y, 2).x, y)))

#: y='[-1,0.5,2]' => ([1.63212055882856, 0.351278729299872, -5.38905609893065], 1.5, 1.5) within 1e-14
fn below(y: f64[n]) =
    let t = transform.below(y, 2) in (t.x, t.log_jacobian, log_det(jacobian(transform.below(y, 2).x, y)))

#: y='[-1,0.5]' => (0, 1.48983732480741, 0) within 1e-12
fn between(y: f64[n]) =
    let t = transform.between(y, -1, 3)
    in (t.x[0] - (4/(1 + exp(-y[0])) - 1), t.x[1],
        t.log_jacobian - log_det(jacobian(transform.between(y, -1, 3).x, y)))

#: y='[-1,0.5,2]' => ([-1, 0.648721270700128, 8.03777736963078], 2.5, 2.5) within 1e-14
fn ordered(y: f64[n]) =
    let t = transform.ordered(y) in (t.x, t.log_jacobian, log_det(jacobian(transform.ordered(y).x, y)))

# The shares' sum, and the same of the first n of them
#native: y='[0,0,0]' => ([0.25, 0.25, 0.25, 0.25], 1, 0) within 1e-14
#: y='[-1,0.5,2]' => ([0.1092317725730359, 0.40250499143796753, 0.43006083154313335, 0.05820240444586321], 1, 0) within 1e-14
fn simplex(y: f64[n]) =
    let t = transform.simplex(y)
    in (t.x, sum(t.x), t.log_jacobian - log_det(jacobian(transform.simplex(y).x[:n], y)))

# The elements of L, those of L @ L.T on the diagonal, and the determinant by the elements that are free
fn lower(L: f64[3, 3]) = [L[1, 0], L[2, 0], L[2, 1]]
#: y='[0.5,-1,2]' => ([0.462117157260010, -0.761594155976, 0.62474219319799], [1, 1, 1], 0) within 2e-9
fn correlation(y: f64[3]) =
    let t = transform.correlation_cholesky[3](y)
    let R = t.x @ t.x.T
    in (lower(t.x), [i < 3] =>
        R[i, i], t.log_jacobian - log_det(jacobian(lower(transform.correlation_cholesky[3](y).x), y)))

#: y='[0.5,-1,2,3,4,5]' => ([1.6487212707, 0, 0, 3, 0.367879441171442, 0, 4, 5, 7.38905609893065], 0) within 1e-9
fn covariance(y: f64[6]) =
    let t = transform.covariance_cholesky[3](y)
    let all = (L) => [L[0, 0], L[1, 1], L[2, 2], L[1, 0], L[2, 0], L[2, 1]]
    in (t.x, t.log_jacobian - log_det(jacobian(all(transform.covariance_cholesky[3](y).x), y)))

# Far out nothing overflows on the way.
#: y='[-800,800]' => ([1, 3], [0, 1, 0]) within 1e-15
fn far(y: f64[2]) = (transform.between(y, 1, 3).x, transform.simplex(y).x)
