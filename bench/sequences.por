# What runs along sequences, a number, a few states or many particles at a time; bench_sequences.py has the same in JAX.

# ---- alignment -------------------------------------------------------------------------------------

fn softmin(a: f64, b: f64, c: f64, g: f64) = -g*logsumexp([-a/g, -b/g, -c/g])

# The softened cost of the best way to align x and y (soft-DTW).
fn align(x: f64[m], y: f64[n], g: f64) =
    let first = [j < n + 1] => if j == 0 then 0.0 else 1e10
    let last = scan (row = first, a in x) =>
        let r = scan (left = 1e10, up in row[1:], diagonal in row[:-1], b in y) =>
            let v = (a - b)^2 + softmin(left, up, diagonal, g)
            in {left = v, out = v}
        in concat([1e10], r.out)
    in last[n]

fn align_gradient(x: f64[m], y: f64[n], g: f64) = grad(align(x, y, g), x)

# ---- a decoder's loss (CTC): minus the log of the sum over all ways to write the labels with blanks, 0, between --------

# From the logits, the ways that end at each place before the next step added by guards.
fn decode(z: f64[t, v], labels: i64[l]) =
    let p = log_softmax[1](z)
    let symbol = [i < 2*l + 1] => if i % 2 == 1 then labels[i//2] else 0
    let skips = [i < 2*l + 1] => if i >= 2 then symbol[i] != 0 and symbol[i] != symbol[i - 2] else false
    let first = [i < 2*l + 1] => if i <= 1 then p[0, symbol[i]] else -inf
    let last = scan (a = first, row in p[1:]) =>
        [i < 2*l + 1] =>
            let one = if i >= 1 then a[i - 1] else -inf
            let two = if i >= 2 then (if skips[i] then a[i - 2] else -inf) else -inf
            in logsumexp([a[i], one, two]) + row[symbol[i]]
    in -logaddexp(last[2*l], last[2*l - 1])

fn decode_gradient(z: f64[t, v], labels: i64[l]) = grad(decode(z, labels), z)

# From any scores, and what may be skipped found in each step.
fn decode_scores(p: f64[t, v], labels: i64[l]) =
    let n = 2*l + 1
    let symbol = [i < n] => if i % 2 == 0 then 0 else labels[i//2]
    let first = [i < n] => if i < 2 then p[0, symbol[i]] else -inf
    let last = scan (a = first, row in p[1:]) =>
        [i < n] =>
            let one = if i >= 1 then a[i - 1] else -inf
            let two = if i >= 2
                then (if symbol[i] != 0 and symbol[i] != symbol[i - 2] then a[i - 2] else -inf) else -inf
            in row[symbol[i]] + logaddexp(a[i], logaddexp(one, two))
    in -logaddexp(last[n - 1], last[n - 2])

fn decode_scores_gradient(p: f64[t, v], labels: i64[l]) = grad(decode_scores(p, labels), p)

# ---- transport -------------------------------------------------------------------------------------

# The cost of 30 rounds of Sinkhorn's iteration, the potentials as logarithms.
fn transport(C: f64[m, n], eps: f64) =
    let r = scan (f = f64[m](0), g = f64[n](0), i < 30) =>
        let f = -eps*(logsumexp[1]([i < m, j < n] => (g[j] - C[i, j])/eps) + log(m))
        let g = -eps*(logsumexp[0]([i < m, j < n] => (f[i] - C[i, j])/eps) + log(n))
        in {f, g}
    in sum(C*exp([i < m, j < n] => (r.f[i] + r.g[j] - C[i, j])/eps))

fn transport_gradient(C: f64[m, n], eps: f64) = grad(transport(C, eps), C)

# ---- hidden Markov models --------------------------------------------------------------------------

# The gradient of the log likelihood by what is seen: which states the steps are in.
fn states(first: f64[s], A: f64[s, s], seen: f64[t, s]) =
    grad(logsumexp(scan (a = first + seen[0], e in seen[1:]) => logsumexp[0](a[:, _] + A) + e), seen)

fn likelihood(A: f64[s, s], E: f64[v, s], seen: i64[t], length: i64) =
    let end = scan (a = E[seen[0]], i = 1) while i < length =>
        {a = logsumexp[0]([p < s, q < s] => a[p] + A[p, q]) + E[seen[i]], i = i + 1}
    in logsumexp(end.a)

# Of sequences of different lengths, by the transitions.
fn transitions(A: f64[s, s], E: f64[v, s], seen: i64[b, t], lengths: i64[b]) =
    grad(sum([i < b] => likelihood(A, E, seen[i], lengths[i])), A)

# ---- filters ---------------------------------------------------------------------------------------

# Kalman's, of one number: the log likelihood by the factor and both variances.
fn filter(y: f64[t], a: f64, q: f64, r: f64) =
    let end = scan (m = 0.0, P = 1.0, l = 0.0, v in y) =>
        let (m1, P1) = (a*m, a^2*P + q)
        let K = P1/(P1 + r)
        in {m = m1 + K*(v - m1), P = (1 - K)*P1, l = l - 0.5*(log(2*pi*(P1 + r)) + (v - m1)^2/(P1 + r))}
    in end.l

fn filter_gradient(y: f64[t], a: f64, q: f64, r: f64) = grad(filter(y, a, q, r), a, q, r)

# A Cholesky factor, column by column.
fn factor(A: f64[n, n]) =
    scan (L = 0*A, j < n) =>
        let d = sqrt(A[j, j] - dot(L[j], L[j]))
        in [i < n, k < n] => if k == j
            then (if i == j then d else if i > j then (A[i, j] - dot(L[i], L[j]))/d else 0.0)
            else L[i, k]

# Kalman's, of a place and a speed of which two things are seen, by the sizes of both noises.
fn track(q: f64[2], y: f64[t]) =
    let F = [[1.0, 0.5], [0.0, 1.0]]
    let Q = q[0]* [[0.25, 0.1], [0.1, 0.4]]
    let H = [[1.0, 0.0], [0.5, 1.0]]
    let R = q[1]* [[1.0, 0.0], [0.0, 1.0]]
    let end = scan (m = [0.0, 0.0], P = [[1.0, 0.0], [0.0, 1.0]], l = 0.0, v in y) =>
        let m = F @ m
        let P = F @ P @ F.T + Q
        let L = factor(H @ P @ H.T + R)
        let z = tri_solve[lower](L, [v, v^2] - H @ m)
        let K = tri_solve[lower](L, H @ P)
        in {m = m + K.T @ z, P = P - K.T @ K, l = l - dot(z, z)/2 - sum(log([i < 2] => L[i, i])) - log(2*pi)}
    in end.l

fn track_gradient(q: f64[2], y: f64[t]) = grad(track(q, y), q)

# Particles, resampled in each step; the noise is given.
fn particles(y: f64[t], a: f64, q: f64, r: f64, first: f64[n], noise: f64[t, n], u: f64[t]) =
    let end = scan (x = first, l = 0.0, v in y, e in noise, u in u) =>
        let x = a*x + q*e
        let w = -0.5*((v - x)/r)^2 - log(r)
        let below = cumsum(softmax(w))[_, :] < ((u + f64(iota[n]()))/f64(n))[:, _]
        in {x = x[min(sum[1](i64(below)), n - 1)], l = l + logsumexp(w) - log(f64(n))}
    in end.l

fn particles_gradient(y: f64[t], a: f64, q: f64, r: f64, first: f64[n], noise: f64[t, n], u: f64[t]) =
    grad(particles(y, a, q, r, first, noise, u), a, q, r)

# ---- many sequences in lanes, each as long as it is ---------------------------------------------------------

# An automaton reads a text: the state that it ends in.
fn reads(table: i64[q, s], text: i64[t], length: i64) =
    (scan (state = 0, at = 0) while at < length => {state = table[state, text[at]], at = at + 1}).state

fn automata(table: i64[q, s], text: i64[b, t], length: i64[b]) = [i < b] => reads(table, text[i], length[i])

# The place of v in a sorted row.
fn place(x: f64[n], v: f64) =
    let found = scan (low = 0, high = n) while low < high =>
        let middle = (low + high)//2
        in if x[middle] < v then {low = middle + 1, high = high} else {low = low, high = middle}
    in found.low

fn places(x: f64[b, n], v: f64[b]) = [i < b] => place(x[i], v[i])

# Values written as often as is told: a row of `size` from runs.
fn runs(value: i64[b, r], times: i64[b, r], size: i64[b], none: i64[n]) =
    [i < b] =>
        let end = scan (y = none, j = 0, left = times[i, 0], k = 0) while k < size[i] =>
            if left > 0 then {y = y with [k] = value[i, j], j = j, left = left - 1, k = k + 1}
            else {y = y, j = j + 1, left = times[i, j + 1], k = k}
        in end.y
