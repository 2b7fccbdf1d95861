# Layers of networks.  Parameters are structures of arrays of any real dtype; `..._start` draws them.  What is given as x
# may have any axes before the last; sequences go along the first axis.

# ---- first values

# Uniform, so that sums of n inputs neither grow nor die (Glorot and Bengio 2010; He and others 2015 for relu).
fn glorot[m, n](k: key) = sqrt(6/(m + n))*(2*uniform[f64[m, n]](k) - 1)
fn he[m, n](k: key) = sqrt(6/m)*(2*uniform[f64[m, n]](k) - 1)

fn dense_start[m, n](k: key) = {w = glorot[m, n](k), b = f64[n](0)}
fn dense(p, x) = x @ p.w + p.b

# ---- sequences

# Four gates side by side: what is let in, what is kept, what is new, what is let out.
fn lstm_start[d, h](k: key) =
    let draw = (k) => (2*uniform[f64[d + h, 4*h]](k) - 1)/sqrt(h)
    let all = draw(k)
    in {x = all[:d], h = all[d:], b = concat(f64[h](0), f64[h](1), f64[2*h](0))}

# Hochreiter and Schmidhuber 1997, with the gate that keeps of Gers and others 2000.
fn lstm_cell(p, s, x) =
    let h = size[-1](s.h)
    let z = x @ p.x + s.h @ p.h + p.b
    let c = sigmoid(z[.., h:2*h])*s.c + sigmoid(z[.., :h])*tanh(z[.., 2*h:3*h])
    in {h = sigmoid(z[.., 3*h:])*tanh(c), c}

# Over xs from the state s: the last state, and each h.
fn lstm(p, s, xs) = scan (h = s.h, c = s.c, x in xs) =>
    let s = lstm_cell(p, {h, c}, x)
    in {h = s.h, c = s.c, out = s.h}

# Three gates side by side: what of h makes the new, what of it stays, and the new.
fn gru_start[d, h](k: key) =
    let all = (2*uniform[f64[d + h, 3*h]](k) - 1)/sqrt(h)
    in {x = all[:d], h = all[d:], b = f64[3*h](0), bh = f64[3*h](0)}

# Cho and others 2014, with the reset after the product.
fn gru_cell(p, h, x) =
    let n = size[-1](h)
    let (u, v) = (x @ p.x + p.b, h @ p.h + p.bh)
    let reset = sigmoid(u[.., :n] + v[.., :n])
    let stay = sigmoid(u[.., n:2*n] + v[.., n:2*n])
    in stay*h + (1 - stay)*tanh(u[.., 2*n:] + reset*v[.., 2*n:])

fn gru(p, h, xs) = scan (h = h, x in xs) =>
    let h = gru_cell(p, h, x)
    in {h, out = h}

# ---- attention

# For each row of q a mean of the rows of v, weighed by how q goes along k; `seen` says which of k a row of q may see
# (Vaswani and others 2017).
fn attention(q: T[..s, m, d], k: T[..s, n, d], v: T[..s, n, e], seen = true) =
    softmax(where(seen, q @ k.T/sqrt(d), -inf)) @ v

# What is not later.
fn causal[n]() = iota[n]() <= iota[n]()[:, _]

fn heads_start[h, d](k: key) = {
    q = glorot[d, d](k[0]), k = glorot[d, d](k[1]), v = glorot[d, d](k[2]), o = glorot[d, d](k[3])}

# h heads of d/h numbers each, of rows x that look at rows y.
fn heads[h](p, x: T[m, d], y: T[n, d], seen = true) =
    let part = (z, n) => transpose[1, 0, 2](reshape[n, h, d//h](z))
    let z = attention(part(x @ p.q, m), part(y @ p.k, n), part(y @ p.v, n), seen)
    in reshape[m, d](transpose[1, 0, 2](z)) @ p.o

# Sines and cosines of t by which a row knows its place.
fn places[t, d]() =
    let angle = f64(iota[t]())[:, _]/10000^(2*f64(iota[d//2]())/d)
    in concat[1](sin(angle), cos(angle))

# ---- norms; layer_norm and rms_norm are in the prelude

# Each column of x brought to mean 0 and variance 1: {y, s}, s being the means of the means and variances so far, which take
# the place of this batch's in batch_norm_fixed (Ioffe and Szegedy 2015).
fn batch_norm_start[d]() = {mean = f64[d](0), variance = f64[d](1)}
fn batch_norm(p, s, x: T[m, d], keep = 0.9, eps = 1e-5) =
    let mean = sum[0](x)/m
    let z = x - mean
    let spread = sum[0](z^2)/m
    let unbiased = spread*(m/max(m - 1, 1))
    in {y = z/sqrt(spread + eps)*p.gain + p.bias, s = {mean = keep*s.mean + (1 - keep)*stop_gradient(mean),
        variance = keep*s.variance + (1 - keep)*stop_gradient(unbiased)}}
fn batch_norm_fixed(p, s, x, eps = 1e-5) = (x - s.mean)/sqrt(s.variance + eps)*p.gain + p.bias

# Of g groups of the last axis, each to mean 0 and variance 1 (Wu and He 2018).
fn group_norm[g](p, x: T[..s, d], eps = 1e-5) =
    let z = reshape[..s, g, d//g](x)
    let z = z - mean[-1, keep](z)
    in reshape[..s, d](z/sqrt(mean[-1, keep](z^2) + eps))*p.gain + p.bias
