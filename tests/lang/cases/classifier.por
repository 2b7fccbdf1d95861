use optim

type mlp[d, h, c] = {w1: f32[d, h], b1: f32[h], w2: f32[h, c], b2: f32[c]}

fn init[d, h = 128, c = 10](k: key) -> mlp[d, h, c] = {
    w1 = normal[f32[d, h]](k[0]) * sqrt(2/d), b1 = f32[h](0),
    w2 = normal[f32[h, c]](k[1]) * sqrt(2/h), b2 = f32[c](0)}

fn dropout(x: T[..s], rate: T, k: key) = where(uniform[T[..s]](k) < rate, 0, x/(1 - rate))

fn hidden(p: mlp[d, h, c], X: f32[m, d]) = relu(X @ p.w1 + p.b1)
fn logits(p: mlp[d, h, c], a: f32[m, h]) = a @ p.w2 + p.b2

fn cross_entropy(z: T[c], label: i32) = logsumexp(z) - z[label]

fn loss(p: mlp[d, h, c], X: f32[m, d], y: i32[m], k: key, drop: f32 = 0.5 if 0 <= drop < 1) =
    let z = logits(p, dropout(hidden(p, X), drop, k))
    in mean([i < m] => cross_entropy(z[i], y[i]))

fn accuracy(p: mlp[d, h, c], X: f32[m, d], y: i32[m]) = mean(argmax[1](logits(p, hidden(p, X))) == y)

# porism fit mlp.por:train X=@mnist.npz:x y=@mnist.npz:y
#   the first parameter of `minimise` is fitted, from start(key); a parameter of type key gets a new key each step;
#   the others come from the command line; a block of 128 along size m cuts X and y together
let train =
    {minimise = loss, start = init, by = optim.adam(rate = 1e-3), block = {m = 128}, steps = 5000,
     show = accuracy}
