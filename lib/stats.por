# Statistics of samples: order, tables, series.  x is a vector unless told otherwise; nothing here is drawn.

# ---- order

# The numbers in ascending order.
#     stats.ascending([3.0, 1.0, 2.0]) is [1.0, 2.0, 3.0]
fn ascending(x: T[n]) = get[0](top_k[n](x))[::-1]

# The value below which a share q of the numbers lies, between two of them by a line; q may be an array.
#     stats.quantile([1.0, 2.0, 4.0], [0.5, 0.75]) is [2.0, 3.0]
fn quantile(x: T[n], q) =
    let sorted = ascending(x)
    let at = clip(q, 0, 1)*(n - 1)
    let low = i64(floor(at))
    in sorted[low] + (at - low)*(sorted[min(low + 1, n - 1)] - sorted[low])
# The number in the middle, or the mean of the two that are there.
#     stats.median([3.0, 1.0, 2.0, 10.0]) is 2.5
fn median(x) = quantile(x, 0.5)

# The place of each number when all are in order, from 0; of equal ones the earlier comes first.
#     stats.ranks([0.3, 0.1, 0.2]) is [2, 0, 1]
fn ranks(x: T[n]) = i64[n](0) with [get[1](top_k[n](-x))] = iota[n]()

# How many of ascending numbers are below each of y, which may have any axes.
#     stats.places_below([1.0, 2.0, 4.0], [2.0, 3.0]) is [1, 2]
fn places_below(sorted: T[n], y) = found(y, (v) => halved(sorted, (s) => s < v))
# How many of ascending numbers are not above each of y.
#     stats.places_upto([1.0, 2.0, 4.0], [2.0, 3.0]) is [2, 2]
fn places_upto(sorted: T[n], y) = found(y, (v) => halved(sorted, (s) => s <= v))
fn found(y: T[..s], one) = reshape[..s]([v in reshape[size(y)](y)] => one(v))
# How many of ascending numbers are before something, by halves of what is left.
fn halved(sorted: T[n], before) =
    (scan (low = 0, high = n, step < 64) while low < high =>
        let mid = (low + high)//2
        let is_before = before(sorted[mid])
        in {low = where(is_before, mid + 1, low), high = where(is_before, high, mid)}).low

# ---- moments

# The covariances of the columns of X, divided by n - less.
#     stats.covariance([[1.0, 2.0], [3.0, 6.0], [2.0, 1.0]]) is [[1.0, 2.0], [2.0, 7.0]]
fn covariance[less = 1](X: T[n, d]) = let D = X - mean[0](X) in D.T @ D/(n - less)
# The correlations of the columns of X.
#     stats.correlation([[1.0, 2.0], [3.0, 6.0], [2.0, 1.0]]) is [[1.0, 0.7559289460184544], [0.7559289460184544, 0.9999999999999999]]
fn correlation(X: T[n, d]) =
    let C = covariance(X)
    let sd = sqrt([i < d] => C[i, i])
    in C/(sd[:, _]*sd)
# The correlation of two vectors.
#     stats.correlated([1.0, 2.0, 3.0], [2.0, 1.0, 3.0]) is 0.5
fn correlated(x: T[n], y) =
    let (a, b) = (x - mean(x), y - mean(y))
    in dot(a, b)/sqrt(dot(a, a)*dot(b, b))
# The mean cube of the distances from the mean over the cube of the deviation: 0 where both sides are alike.
#     stats.skewness([1.0, 2.0, 6.0]) is 0.5951700641394972
fn skewness(x) = let d = x - mean(x) in mean(d^3)/mean(d^2)^1.5
# The mean fourth power of the distances from the mean over that of the deviation, less 3: 0 of normal numbers.
#     stats.kurtosis([1.0, 2.0, 6.0, 3.0]) is -1.0
fn kurtosis(x) = let d = x - mean(x) in mean(d^4)/mean(d^2)^2 - 3

# ---- tables

# How many of the numbers i are 0, 1, ..., m - 1.
#     stats.bincount[4](i64([0, 2, 2])) is [1, 0, 2, 0]
fn bincount[m](i: i64[n]) = i64[m](0) with [i] += 1
# How many of x are from each edge, ascending, to the next; the last edge belongs to what is before it.
#     stats.histogram([0.5, 1.5, 1.7, 3.0], [0.0, 1.0, 2.0, 3.0]) is [1, 2, 1]
fn histogram(x: T[n], edges: T[m]) =
    let place = places_upto(edges, x) - 1
    let place = where(x == edges[m - 1], m - 2, place)
    let within = place >= 0 and place < m - 1
    in (i64[m](0) with [where(within, place, m - 1)] += 1)[:m - 1]
# On the lines between the points (xs, ys), xs ascending; beyond the ends the values there.
#     stats.interp([1.5, 9.0], [1.0, 2.0, 4.0], [10.0, 20.0, 0.0]) is [15.0, 0.0]
fn interp(x, xs: T[n], ys: T[n]) =
    let j = clip(places_upto(xs, x) - 1, 0, max(n - 2, 0))
    let t = clip((x - xs[j])/(xs[j + 1] - xs[j]), 0, 1)
    in ys[j] + t*(ys[j + 1] - ys[j])

# ---- series

# Each number less the one before it.
#     stats.differences([1.0, 4.0, 2.0]) is [3.0, -2.0]
fn differences(x) = x[1:] - x[:-1]
# The products of the first 1, 2, 3, ... numbers.
#     stats.cumprod([1.0, 4.0, 2.0]) is [1.0, 4.0, 8.0]
fn cumprod(x: T[n]) = (scan (p = T(1), a in x) => let p = p*a in {p, out = p}).out
# The largest of the first 1, 2, 3, ... numbers.
#     stats.cummax([1.0, 4.0, 2.0]) is [1.0, 4.0, 4.0]
fn cummax(x: T[n]) = (scan (m = T(-inf), a in x) => let m = max(m, a) in {m, out = m}).out
# The smallest of the first 1, 2, 3, ... numbers.
#     stats.cummin([4.0, 1.0, 2.0]) is [4.0, 1.0, 1.0]
fn cummin(x) = -cummax(-x)
# The area below the line through the points (x, y).
#     stats.trapezoid([0.0, 1.0, 0.0], [0.0, 1.0, 3.0]) is 1.5
fn trapezoid(y, x) = dot(differences(x), y[1:] + y[:-1])/2
# Of two polynomials by rising powers the product; of a series and weights all sums, also where they overlap in part.
#     stats.convolve([1.0, 2.0, 3.0], [0.5, 1.0]) is [0.5, 2.0, 3.5, 3.0]
fn convolve(x: T[n], w: T[m]) =
    let padded = pad[m - 1, m - 1, 1](x)
    in [i < n + m - 1] => dot(padded[i:i + m], w[::-1])
# Means of m numbers side by side.
#     stats.moving_mean[2]([1.0, 2.0, 4.0]) is [1.5, 3.0]
fn moving_mean[m](x: T[n]) = [i < n - m + 1] => mean(x[i:i + m])
# The correlation of a series with itself 0, 1, ..., m - 1 steps later.
#     stats.autocorrelation[2]([1.0, 2.0, 4.0, 3.0]) is [1.0, 0.15]
fn autocorrelation[m](x: T[n]) =
    let d = x - mean(x)
    in ([j < m] => sum([i < n] => if i + j < n then d[i]*d[i + j] else 0.0))/dot(d, d)
