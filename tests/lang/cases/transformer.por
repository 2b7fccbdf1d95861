type affine[d] = {gain: f32[d], bias: f32[d]}
type head[d, e] = {q: f32[d, e], k: f32[d, e], v: f32[d, e], o: f32[e, d]}
type block[h, d, e, f] =
    {heads: head[d, e][h], ln1: affine[d], ln2: affine[d], up: f32[d, f], down: f32[f, d]}
type gpt[l, h, d, e, f, v, c] =
    {embed: f32[v, d], place: f32[c, d], blocks: block[h, d, e, f][l], ln: affine[d]}

fn attend(w: head[d, e], x: f32[t, d]) =
    let score = (x @ w.q) @ (x @ w.k).T / sqrt(e)
    let seen = [i < t, j < t] => j <= i
    in softmax(where(seen, score, -inf)) @ (x @ w.v) @ w.o

fn gelu(x) = x*(1 + erf(x/sqrt(2)))/2

fn layer(p: block[h, d, e, f], x: f32[t, d]) =
    let z = layer_norm(p.ln1, x)
    let x = x + sum[0]([w in p.heads] => attend(w, z))
    in x + gelu(layer_norm(p.ln2, x) @ p.up) @ p.down

fn logits(p: gpt, tokens: i32[t]) =
    let x = p.embed[tokens] + p.place[:t]
    let x = scan (x = x, q in p.blocks) => checkpoint(layer)(q, x)
    in layer_norm(p.ln, x) @ p.embed.T

fn loss(p: gpt, batch: i32[b, t]) =
    mean([s in batch] =>
        let z = logits(p, s[:-1])
        in mean([i < t - 1] => logsumexp(z[i]) - z[i, s[i + 1]]))

fn gradient(p: gpt, batch: i32[b, t]) = grad(loss(p, batch), p)
