# digits.por - reads handwritten digits: 64 pixels, a hidden layer, 10 scores.
#
#   porism fit examples/digits/digits.por:train X=@examples/digits/digits.npz:x y=@examples/digits/digits.npz:y \
#       --save model.npz --curve loss.svg
#   porism run examples/digits/digits.por:predict p=@model.npz X=@examples/digits/digits.npz:x -o read.npy
#   porism build examples/digits/digits.por:predict p=@model.npz -o out

use optim

type mlp[d, h, c] = {w1: f32[d, h], b1: f32[h], w2: f32[h, c], b2: f32[c]}

fn init[d = 64, h = 128, c = 10](k: key) -> mlp[d, h, c] = {
    w1 = normal[f32[d, h]](k[0]) * sqrt(2/d), b1 = f32[h](0),
    w2 = normal[f32[h, c]](k[1]) * sqrt(2/h), b2 = f32[c](0)}

# Pixels are whole numbers from 0 (paper) to 16 (ink).
fn hidden(p: mlp[d, h, c], X: u8[m, d]) = relu((f32(X)/16 - 0.3) @ p.w1 + p.b1)
fn scores(p: mlp[d, h, c], X: u8[m, d]) = hidden(p, X) @ p.w2 + p.b2

# Softmax cross-entropy: the logarithm of the sum of e^score, less the score of the right digit.
fn loss(p: mlp[d, h, c], X: u8[m, d], y: i32[m], k: key, drop: f32 = 0.2 if 0 <= drop < 1) =
    let z = dropout(hidden(p, X), drop, k) @ p.w2 + p.b2
    in mean(logsumexp[1](z) - sum[1](one_hot[c, f32](y)*z))

fn gradient(p: mlp[d, h, c], X: u8[m, d], y: i32[m], k: key) = grad(loss(p, X, y, k), p)

fn predict(p: mlp[d, h, c], X: u8[m, d]) = argmax[1](scores(p, X))
fn accuracy(p: mlp[d, h, c], X: u8[m, d], y: i32[m]) = mean(predict(p, X) == y)

let train =
    {minimise = loss, start = init, by = optim.adamw(rate = 2e-3), block = {m = 64}, steps = 2000,
     show = accuracy, hold = 0.2}
