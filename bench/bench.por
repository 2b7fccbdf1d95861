# What the benches compute.

# A chain of maps: eleven operators, one pass over memory.
fn chain(x: T[n], y: T[n]) = exp(-x^2/2)*cos(y) + tanh(x*y)/(1 + abs(y))

# Little work for each byte: memory decides.
fn axpy(x: T[n], y: T[n]) = 0.5*x + y

fn sigmoids(x: T[n]) = 1/(1 + exp(-x))

fn rows(x: T[m, n]) = softmax(x)

fn product(A: T[m, k], B: T[k, n]) = A @ B

fn by_vector(A: T[m, k], v: T[k]) = A @ v

fn vector_by(v: T[k], A: T[k, n]) = v @ A

fn turned_by_vector(A: T[k, m], v: T[k]) = A.T @ v

fn by_vectors(A: T[b, m, k], v: T[b, k]) = einsum[(b, i, k), (b, k), (b, i)](A, v)

fn dot(x: T[n], y: T[n]) = x @ y

fn outer(x: T[m], y: T[n]) = einsum[(i), (j), (i, j)](x, y)

# What a dense layer does: product, bias, activation.
fn layer(A: T[m, k], B: T[k, n], b: T[n]) = relu(A @ B + b)

# ---- a step of stochastic gradient descent on a two-layer classifier

type mlp[d, h, c] = {w1: f32[d, h], b1: f32[h], w2: f32[h, c], b2: f32[c]}

fn logits(p: mlp[d, h, c], X: f32[m, d]) = relu(X @ p.w1 + p.b1) @ p.w2 + p.b2

# Y: a one-hot row for each picture.
fn loss(p: mlp[d, h, c], X: f32[m, d], Y: f32[m, c]) = mean(soft_cross_entropy(logits(p, X), Y))

fn step(p: mlp[d, h, c], X: f32[m, d], Y: f32[m, c], rate: f32) = p - rate*grad(loss(p, X, Y), p)

fn gradients(p: mlp[d, h, c], X: f32[m, d], Y: f32[m, c]) =
    let l = loss(p, X, Y)
    in {l, g = grad(l, p)}

# ---- what is called with many shapes

fn viterbi(first: f64[s], move: f64[s, s], seen: f64[t, s]) =
    let up = scan (a = first, o in seen) =>
        let via = a[:, _] + move
        in {a = max[0](via) + o, from = argmax[0](via)}
    in max(up.a)

fn logistic(w: f64[n], X: f64[m, n], y: f64[m]) = grad(mean(softplus(X @ w) - y*(X @ w)), w)

fn statistics(x: f64[m, n]) =
    let mid = mean[0](x)
    in {mid, spread = sqrt(mean[0]((x - mid)^2)), low = min[0](x), high = max[0](x), running = cumsum[0](x)}

fn walk(y: f64[n], h: f64, steps: i64) = scan (y = y, i < steps) => y + h*sin(y)
