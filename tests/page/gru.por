# gru.por - what the tests of the page look at: a loop and its derivative, blocks that come again.

type cell[d, h] = {wz: f64[d, h], uz: f64[h, h], bz: f64[h], wr: f64[d, h], ur: f64[h, h], br: f64[h],
                   wh: f64[d, h], uh: f64[h, h], bh: f64[h]}

# One step of a gated recurrent unit.
fn gru(p: cell[d, h], s: f64[h], x: f64[d]) =
    let z = sigmoid(x @ p.wz + s @ p.uz + p.bz)
    let r = sigmoid(x @ p.wr + s @ p.ur + p.br)
    let candidate = tanh(x @ p.wh + (r*s) @ p.uh + p.bh)
    in (1 - z)*s + z*candidate

fn loss(p: cell[d, h], xs: f64[t, d], target: f64[h]) =
    let s = scan (s = 0*target, x in xs) => gru(p, s, x)
    in mean((s - target)^2)

fn gradient(p: cell[d, h], xs: f64[t, d], target: f64[h]) = grad(loss(p, xs, target), p)

# Twelve blocks, one behind the other.
fn block(x: f64[n], w: f64[n, n], b: f64[n]) = x + tanh(x @ w + b)*sin(x)
fn tower(x: f64[n], w: f64[12, n, n], b: f64[12, n]) =
    let x1 = block(block(block(x, w[0], b[0]), w[1], b[1]), w[2], b[2])
    let x2 = block(block(block(x1, w[3], b[3]), w[4], b[4]), w[5], b[5])
    let x3 = block(block(block(x2, w[6], b[6]), w[7], b[7]), w[8], b[8])
    in block(block(block(x3, w[9], b[9]), w[10], b[10]), w[11], b[11])

# A branch, a constant folded into who uses it, and a rule that makes it stable.
fn branch(x: f64[n], flag: bool) = if flag then log(1 + exp(x)) else x*2
