# Layers of networks.  Parameters are structures of arrays of any real dtype; `..._start` draws them.  What is given as x
# may have any axes before the last; sequences go along the first axis.

# ---- first values

# A uniform matrix, so that sums of m inputs neither grow nor die (Glorot and Bengio 2010).
#     nn.glorot[2, 2](key(1)) is [[0.9559358412310492, 0.42130799543560526], [-0.6187375026171904, 0.6310534971381647]]
fn glorot[m, n](k: key) = sqrt(6/(m + n))*(2*uniform[f64[m, n]](k) - 1)
# The same for relu, of whose inputs half are 0 (He and others 2015).
#     nn.he[2, 2](key(1)) is [[1.3518974314274836, 0.595819481081255], [-0.8750269677500891, 0.8924444142357637]]
fn he[m, n](k: key) = sqrt(6/m)*(2*uniform[f64[m, n]](k) - 1)

# A layer's first parameters, from m numbers to n.
#     nn.dense_start[2, 1](key(1)) is {w = [[1.1038196305255155], [0.4864845691529767]], b = [0.0]}
fn dense_start[m, n](k: key) = {w = glorot[m, n](k), b = f64[n](0)}
# A layer: x @ p.w + p.b.
#     nn.dense({w = [[1.0], [2.0]], b = [0.5]}, [3.0, 4.0]) is [11.5]
fn dense(p, x) = x @ p.w + p.b

# ---- sequences

# First parameters {x, h, b} of an LSTM from d numbers with h states.
# Four gates side by side: what is let in, what is kept, what is new, what is let out.
#     size[-1](nn.lstm_start[3, 2](key(1)).x) is 8
fn lstm_start[d, h](k: key) =
    let draw = (k) => (2*uniform[f64[d + h, 4*h]](k) - 1)/sqrt(h)
    let all = draw(k)
    in {x = all[:d], h = all[d:], b = concat(f64[h](0), f64[h](1), f64[2*h](0))}

# One step from the state s = {h, c}: the next (Hochreiter and Schmidhuber 1997, with the gate that keeps of Gers and
# others 2000).
#     nn.lstm_cell(nn.lstm_start[1, 1](key(1)), {h = [0.0], c = [1.0]}, [2.0]) is {h = [0.15318713123454233], c = [0.21092147551797003]}
fn lstm_cell(p, s, x) =
    let h = size[-1](s.h)
    let z = x @ p.x + s.h @ p.h + p.b
    let c = sigmoid(z[.., h:2*h])*s.c + sigmoid(z[.., :h])*tanh(z[.., 2*h:3*h])
    in {h = sigmoid(z[.., 3*h:])*tanh(c), c}

# Over xs from the state s: the last state, and each h as `out`.
#     nn.lstm(nn.lstm_start[1, 1](key(1)), {h = [0.0], c = [1.0]}, [[2.0], [1.0]]) is {h = [-0.09724240298142153], c = [-0.1569509051065377], out = [[0.15318713123454233], [-0.09724240298142153]]}
fn lstm(p, s, xs) = scan (h = s.h, c = s.c, x in xs) =>
    let s = lstm_cell(p, {h, c}, x)
    in {h = s.h, c = s.c, out = s.h}

# First parameters {x, h, b, bh} of a GRU from d numbers with h states.
# Three gates side by side: what of h makes the new, what of it stays, and the new.
#     size[-1](nn.gru_start[3, 2](key(1)).x) is 6
fn gru_start[d, h](k: key) =
    let all = (2*uniform[f64[d + h, 3*h]](k) - 1)/sqrt(h)
    in {x = all[:d], h = all[d:], b = f64[3*h](0), bh = f64[3*h](0)}

# One step from the state h: the next (Cho and others 2014, with the reset after the product).
#     nn.gru_cell(nn.gru_start[1, 1](key(1)), [1.0], [2.0]) is [0.12613119985017235]
fn gru_cell(p, h, x) =
    let n = size[-1](h)
    let (u, v) = (x @ p.x + p.b, h @ p.h + p.bh)
    let reset = sigmoid(u[.., :n] + v[.., :n])
    let stay = sigmoid(u[.., n:2*n] + v[.., n:2*n])
    in stay*h + (1 - stay)*tanh(u[.., 2*n:] + reset*v[.., 2*n:])

# Over xs from the state h: the last, and each as `out`.
#     nn.gru(nn.gru_start[1, 1](key(1)), [1.0], [[2.0], [1.0]]) is {h = [-0.14840772441076366], out = [[0.12613119985017235], [-0.14840772441076366]]}
fn gru(p, h, xs) = scan (h = h, x in xs) =>
    let h = gru_cell(p, h, x)
    in {h, out = h}

# ---- attention

# softmax(q @ k.T/sqrt(d)) @ v: for each row of q a mean of the rows of v, weighed by how q goes along k; `seen` says
# which of k a row of q may see (Vaswani and others 2017).
#     nn.attention([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0], [2.0]]) is [[1.3302384506733431]]
fn attention(q: T[..s, m, d], k: T[..s, n, d], v: T[..s, n, e], seen = true) =
    softmax(where(seen, q @ k.T/sqrt(d), -inf)) @ v

# Of n rows, which each may see: what is not later.
#     nn.causal[3]() is [[true, false, false], [true, true, false], [true, true, true]]
fn causal[n]() = iota[n]() <= iota[n]()[:, _]

# First parameters of h heads over d numbers.
#     size[0](nn.heads_start[2, 4](key(1)).q) is 4
fn heads_start[h, d](k: key) = {
    q = glorot[d, d](k[0]), k = glorot[d, d](k[1]), v = glorot[d, d](k[2]), o = glorot[d, d](k[3])}

# h heads of d/h numbers each, of rows x that look at rows y.
#     nn.heads[2](nn.heads_start[2, 2](key(1)), [[1.0, 2.0]], [[1.0, 2.0]]) is [[0.8099348754673388, -0.5709982339941835]]
fn heads[h](p, x: T[m, d], y: T[n, d], seen = true) =
    let part = (z, n) => transpose[1, 0, 2](reshape[n, h, d//h](z))
    let z = attention(part(x @ p.q, m), part(y @ p.k, n), part(y @ p.v, n), seen)
    in reshape[m, d](transpose[1, 0, 2](z)) @ p.o

# Sines and cosines of t by which a row knows its place.
#     nn.places[2, 4]() is [[0.0, 0.0, 1.0, 1.0], [0.8414709848078965, 0.009999833334166664, 0.5403023058681398, 0.9999500004166653]]
fn places[t, d]() =
    let angle = f64(iota[t]())[:, _]/10000^(2*f64(iota[d//2]())/d)
    in concat[1](sin(angle), cos(angle))

# ---- norms; layer_norm and rms_norm are in the prelude

# The means of the means and variances so far: none.
#     nn.batch_norm_start[2]() is {mean = [0.0, 0.0], variance = [1.0, 1.0]}
fn batch_norm_start[d]() = {mean = f64[d](0), variance = f64[d](1)}
# Each column of x brought to mean 0 and variance 1, p being {gain, bias}: {y, s}, s being the means of the means and
# variances so far, which take the place of this batch's in batch_norm_fixed (Ioffe and Szegedy 2015).
#     nn.batch_norm({gain = [1.0], bias = [0.0]}, nn.batch_norm_start[1](), [[1.0], [3.0]]) is {y = [[-0.9999950000374997], [0.9999950000374997]], s = {mean = [0.19999999999999996], variance = [1.1]}}
fn batch_norm(p, s, x: T[m, d], keep = 0.9, eps = 1e-5) =
    let mean = sum[0](x)/m
    let z = x - mean
    let spread = sum[0](z^2)/m
    let unbiased = spread*(m/max(m - 1, 1))
    in {y = z/sqrt(spread + eps)*p.gain + p.bias, s = {mean = keep*s.mean + (1 - keep)*stop_gradient(mean),
            variance = keep*s.variance + (1 - keep)*stop_gradient(unbiased)}}
# The same with the means and variances s.
#     nn.batch_norm_fixed({gain = [1.0], bias = [0.0]}, {mean = [2.0], variance = [4.0]}, [[1.0], [3.0]]) is [[-0.49999937500117186], [0.49999937500117186]]
fn batch_norm_fixed(p, s, x, eps = 1e-5) = (x - s.mean)/sqrt(s.variance + eps)*p.gain + p.bias

# g groups of the last axis, each brought to mean 0 and variance 1 (Wu and He 2018).
#     nn.group_norm[2]({gain = f64[4](1), bias = f64[4](0)}, [1.0, 3.0, 10.0, 20.0]) is [-0.9999950000374997, 0.9999950000374997, -0.9999998000000601, 0.9999998000000601]
fn group_norm[g](p, x: T[..s, d], eps = 1e-5) =
    let z = reshape[..s, g, d//g](x)
    let z = z - mean[-1, keep](z)
    in reshape[..s, d](z/sqrt(mean[-1, keep](z^2) + eps))*p.gain + p.bias
