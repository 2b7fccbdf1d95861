# Sizes from data: masks, nonzero, repeat, unique; by hand.

#native: x='[1.0, -2.0, 3.0]' => [0, 2]
fn places(x: f64[n]) = nonzero(x > 0)

#native: x='[1.0, -2.0, 3.0]' => [0, 2, 3]
#: x='[1.0, 2.0, 3.0, 4.0]' => [0, 1, 2]
fn three(x: f64[n]) = nonzero(x > 0, 3)

# as many as data says, and one that is none
#: x='[1.0, -2.0, 3.0]' k='i64(1)' => [0]
#: x='[1.0, -2.0, 3.0]' k='i64(-1)' => error: -1
fn some(x: f64[n], k: i64) = nonzero(x > 0, k)

#native: x='[1.0, -2.0, 3.0]' => [1, 3]
fn positive(x: f64[n]) = x[x > 0]

#: X='[[1.0, 2.0], [3.0, 4.0]]' y='[-1.0, 1.0]' => [3, 4]
#: X='[[1.0, 2.0], [3.0, 4.0]]' y='[1.0]' => error: wanted bool[2]
fn rows(X: f64[m, n], y: f64[k]) = X[y > 0]

#: X='[[1.0, 2.0], [3.0, 4.0]]' y='[-1.0, 1.0]' => [2, 4]
fn columns(X: f64[m, n], y: f64[n]) = X[:, y > 0]

#native: X='[[1.0, 2.0], [3.0, 4.0]]' => [2, 3, 4]
fn entries(X: f64[m, n]) = X[X > 1]

# a mask of two axes of three
#: X='[[[1.0, 2.0], [3.0, 4.0]]]' => [3, 4]
fn deeper(X: f64[k, m, n]) = X[X[.., 0] > 1]

#native: x='[1.0, -2.0, 3.0]' => [2, 0, 6]
fn slope(x: f64[n]) = grad(sum(x[x > 0]^2), x)

# the second derivative, forward over reverse
#: x='[1.0, -2.0, 3.0]' => [6, 0, 18]
fn curvature(x: f64[n]) = jvp(grad(sum(x[x > 0]^3), x), x, x*0 + 1)

#native: x='[1.0, -2.0, 3.0]' => [1, 0, 3]
fn clear(x: f64[n]) = x with [x < 0] = 0

#: x='[1.0, -2.0, -3.0]' k='i64(2)' => [1, -2, -2]
#: x='[1.0, -2.0, -3.0]' k='i64(3)' => error: must equal
fn add(x: f64[n], k: i64) = x with [x < 0] += iota[k]()

#native: x='[1.0, 2.0, 3.0]' times='[2, 0, 1]' => [1, 1, 3]
#: x='[1.0, 2.0, 3.0]' times='[2, -1, 1]' => error: -1
fn often(x: f64[n], times: i64[n]) = repeat(x, times)

#: X='[[1.0, 2.0], [3.0, 4.0]]' times='[2, 1]' => [1, 2, 1, 2, 3, 4]
fn often_rows(X: f64[m, n], times: i64[m]) = repeat(X, times)

#: x='[1.0, 2.0, 3.0]' times='[2, 0, 1]' => [4, 0, 6]
fn often_slope(x: f64[n], times: i64[n]) = grad(sum(repeat(x, times)^2), x)

#native: x='[3.0, 1.0, 3.0, 2.0, 1.0]' => [1, 2, 3]
#: x='[3.0, nan, 3.0, -inf, nan]' => [nan, -inf, 3]
#: x='[nan]' => [nan]
fn once(x: f64[n]) = unique(x)

#: x='[3, 1, 3, -2]' => [-2, 1, 3]
fn once_whole(x: i64[n]) = unique(x)

# in a loop of whose passes each has its own size; batched, where the size is known
#native: X='[[1.0, -2.0, 3.0], [1.0, 1.0, 1.0]]' => [4, 3]
fn each(X: f64[m, n]) = (scan (x in X) => {s = sum(x[x > 0])}).s

#: X='[[1.0, -2.0, 3.0], [1.0, 1.0, 1.0]]' => [0, 2, 3, 0, 1, 2]
fn batched(X: f64[m, n]) = [x in X] => nonzero(x > 0, 3)

# sizes within may differ: a loop over the elements; those of the elements may not
#native: X='[[1.0, -2.0, 3.0], [1.0, 1.0, 1.0]]' => [4, 3]
fn ragged(X: f64[m, n]) = [x in X] => sum(x[x > 0])

#: X='[[1.0, -2.0, 3.0], [1.0, 1.0, 1.0]]' => error: a size that differs from one to the next
fn ragged_rows(X: f64[m, n]) = [x in X] => x[x > 0]

# a ragged batch: lengths beside padded rows
#native: x='[[1.0, 2.0, 9.0], [3.0, 9.0, 9.0]]' lengths='[2, 1]' => [1.5, 3]
fn masked_mean(x: f64[b, t], lengths: i64[b]) =
    let on = [i < b, j < t] => j < lengths[i]
    in sum[1](where(on, x, 0))/max(lengths, 1)

# none at all
#native: x='[-1.0]' => (0, 0, 0, 0)
#: x='f64[0](0)' => (0, 0, 0, 0)
fn empty(x: f64[n]) =
    let size = (x) => sum(x*0 + 1)
    in (size(nonzero(x > 0)), size(x[x > 0]), size(repeat(x, i64[n](0))), size(unique(x[:0])))

# an index that is the same for all, of none
#native: x='f64[0](0)' k='i64(0)' => (0, 0)
#native: x='f64[0](0)' k='i64(1)' => error: an index of an axis of 0, which has no element (element 0)
fn none_of(x: f64[n], k: i64) = (sum(x[i64[k](0)]), sum(x[nonzero(x > 1, 0)]))

# of the side that is not taken no size is asked
#native: x='[1.0, 2.0]' j='i64(3)' k='i64(5)' m='i64(1)' => 3
#: x='[1.0, 2.0]' j='i64(3)' k='i64(1)' m='i64(1)' => error: 3
#: x='[1.0, 2.0]' j='i64(3)' k='i64(1)' m='i64(0)' => 3
fn sides(x: f64[n], j: i64, k: i64, m: i64) = sum(scan (h = f64[j](1), i < m) => if j < k then h else x)
