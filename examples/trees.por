# A tree-LSTM (Tai, Socher and Manning 2015, of two children) over many trees of different shapes at once.
#
# Trees are index arrays: the nodes of all stand by their heights, leaves first; left and right are the places of a node's
# children, or that of a row of zeros behind all nodes; those of height l go from start[l] to start[l + 1].  So the recursion
# on trees is a loop over heights, and all nodes of one height are a batch.

type cell[d, h] = {x: f64[d, 5*h], l: f64[h, 5*h], r: f64[h, 5*h], b: f64[5*h]}

# Gates: in, out, new, and what is kept of either child.
fn node(p: cell[d, h], x: f64[n, d], hl: f64[n, h], cl: f64[n, h], hr: f64[n, h], cr: f64[n, h]) =
    let z = x @ p.x + hl @ p.l + hr @ p.r + p.b
    let c = sigmoid(z[:, :h])*tanh(z[:, 2*h:3*h]) + sigmoid(z[:, 3*h:4*h])*cl +
        sigmoid(z[:, 4*h:])*cr
    in {h = sigmoid(z[:, h:2*h])*tanh(c), c}

fn nodes(p: cell[d, h], x: f64[n, d], left: i64[n], right: i64[n], start: i64[k]) =
    let zero = f64[n + 1, h](0)
    let end = scan (H = zero, C = zero, from in start[:-1], to in start[1:]) =>
        let (l, r) = (left[from:to], right[from:to])
        let s = node(p, x[from:to], H[l], C[l], H[r], C[r])
        in {H = H with [from:to] = s.h, C = C with [from:to] = s.c}
    in end.H

fn tops(p: cell[d, h], x: f64[n, d], left: i64[n], right: i64[n], start: i64[k], roots: i64[t]) =
    nodes(p, x, left, right, start)[roots]

fn gradient(p: cell[d, h], x: f64[n, d], left: i64[n], right: i64[n], start: i64[k],
            roots: i64[t]) =
    grad(sum(tops(p, x, left, right, start, roots)), p)
