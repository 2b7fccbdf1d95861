# Statistics of samples: order, tables, series.  x is a vector unless told otherwise; nothing here is drawn.

# ---- order

fn ascending(x: T[n]) = get[0](top_k[n](x))[::-1]

# The value below which a share q of the numbers lies, between two of them by a line; q may be an array.
fn quantile(x: T[n], q) =
    let sorted = ascending(x)
    let at = clip(q, 0, 1)*(n - 1)
    let low = i64(floor(at))
    in sorted[low] + (at - low)*(sorted[min(low + 1, n - 1)] - sorted[low])
fn median(x) = quantile(x, 0.5)

# The place of each number when all are in order, from 0; of equal ones the earlier comes first.
fn ranks(x: T[n]) = i64[n](0) with [get[1](top_k[n](-x))] = iota[n]()

# How many of the ascending numbers are below each of y, or not above it.
fn places_below(sorted: T[n], y) = found(y, (v) => count(sorted < v))
fn places_upto(sorted: T[n], y) = found(y, (v) => count(sorted <= v))
fn found(y: T[..s], one) = reshape[..s]([v in reshape[size(y)](y)] => one(v))

# ---- moments

# Of the columns of X, divided by n - less.
fn covariance[less = 1](X: T[n, d]) = let D = X - mean[0](X) in D.T @ D/(n - less)
fn correlation(X: T[n, d]) =
    let C = covariance(X)
    let sd = sqrt([i < d] => C[i, i])
    in C/(sd[:, _]*sd)
# Of two vectors.
fn correlated(x: T[n], y) =
    let (a, b) = (x - mean(x), y - mean(y))
    in dot(a, b)/sqrt(dot(a, a)*dot(b, b))
fn skewness(x) = let d = x - mean(x) in mean(d^3)/mean(d^2)^1.5
# Of a normal number 0.
fn kurtosis(x) = let d = x - mean(x) in mean(d^4)/mean(d^2)^2 - 3

# ---- tables

# How many of the numbers i are 0, 1, ..., m - 1.
fn bincount[m](i: i64[n]) = i64[m](0) with [i] += 1
# How many of x are from each edge, ascending, to the next; the last edge belongs to what is before it.
fn histogram(x: T[n], edges: T[m]) =
    let place = places_upto(edges, x) - 1
    let place = where(x == edges[m - 1], m - 2, place)
    let within = place >= 0 and place < m - 1
    in (i64[m](0) with [where(within, place, m - 1)] += 1)[:m - 1]
# On the lines between the points (xs, ys), xs ascending; beyond the ends the values there.
fn interp(x, xs: T[n], ys: T[n]) =
    let j = clip(places_upto(xs, x) - 1, 0, max(n - 2, 0))
    let t = clip((x - xs[j])/(xs[j + 1] - xs[j]), 0, 1)
    in ys[j] + t*(ys[j + 1] - ys[j])

# ---- series

fn differences(x) = x[1:] - x[:-1]
fn cumprod(x: T[n]) = (scan (p = T(1), a in x) => let p = p*a in {p, out = p}).out
fn cummax(x: T[n]) = (scan (m = T(-inf), a in x) => let m = max(m, a) in {m, out = m}).out
fn cummin(x) = -cummax(-x)
# The area below the line through the points (x, y).
fn trapezoid(y, x) = dot(differences(x), y[1:] + y[:-1])/2
# Of two polynomials by rising powers the product; of a series and weights all sums, also where they overlap in part.
fn convolve(x: T[n], w: T[m]) =
    let padded = pad[m - 1, m - 1, 1](x)
    in [i < n + m - 1] => dot(padded[i:i + m], w[::-1])
# Means of m numbers side by side.
fn moving_mean[m](x: T[n]) = [i < n - m + 1] => mean(x[i:i + m])
# Of the series with itself 0, 1, ..., m - 1 steps later.
fn autocorrelation[m](x: T[n]) =
    let d = x - mean(x)
    in ([j < m] => sum([i < n] => if i + j < n then d[i]*d[i + j] else 0.0))/dot(d, d)
