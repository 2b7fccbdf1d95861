# Every form of the notation, small ones, each in a function of its own: fuzzing takes them apart and puts them together,
# and they go through failing allocations, limits and cancelled calls (tests/api/test_every_form.c).  What is missing
# here tools/check_forms.py tells.  The book at the end says what they give.

use solve

type pair[n] = {a: f64[n], b: f64}
let half = 0.5

# ---- branches

fn side(x: f64[n], c: f64) = if c > 0 then sqrt(c)*x else x[::-1] + 1
fn sides(p: pair[n], k: i64) =
    if k == 1 then {a = p.a*2, b = p.b} else if k == 2 then {a = cumsum[0](p.a), b = p.a[k - 2]} else p
fn guarded(x: f64[n], k: i64) = if 0 <= k < len(x) then x[k] else -1.0
fn chosen(x: f64[n]) = where(x > 0, sqrt(x), -x)

# ---- loops

fn newton(a: f64 if 1 <= a <= 9) = scan (t = a + 1) while abs(t^2 - a) > 1e-12 => (t + a/t)/2
fn counted(x: f64[n], k: i64) = scan (s = 0.0, i < k) => s + sum(x)*i
fn traced(x: f64[n], A: f64[n, n]) = scan (h = x, r in A) => let h = tanh(h*r) in {h, out = sum(h)}
fn backward(x: f64[n]) = scan[back] (z = 1.0, v in x) => {z = z*v, path = z}
fn flagged(x: f64, k: i64) = scan (go = true, x = x, i < k) while go => {go = x < 9, x = x*2}
fn ended(x: f64[n]) = scan (s = 0.0, v in x, i < len(x)) while s < 2 => {s = s + v, at = i}
fn nested(x: f64[n], k: i64) =
    scan (s = x, i < k) => s + (scan (q = 0.0, v in s) while q < 3 => q + abs(v) + 0.5)
fn across(A: f64[m, n]) = scan (s = 0.0, c in A.T) => {s = s*0.5 + sum(c), mean = mean(c)}
fn pairs(p: pair[n], k: i64) = scan (p = p, i < k) => {a = p.a*0.5 + p.b, b = sum(p.a)}
fn mapped(x: f64[n]) = scan (s = 0.0, v in x) => {s = s + exp(v), e = sin(v)}
fn growing(x: f64[n]) = scan (s = 0.0, i < len(x)) => s + sum(x[:i])
fn path_of_while(a: f64 if 1 <= a <= 9) = (scan (t = a) while t > 1 => {t = t/2, path = t}).path
fn both_ways(x: f64[n]) =
    let (s, p) = (scan (s = 0.0, v in x) => s + v, scan[back] (p = 1.0, v in x) => p*v)
    in get[0]((s, s*p)) + s*p

# ---- arrays by formula

fn outer_product(x: f64[n], y: f64[m]) = [v in x, w in y] => v*w
fn lower(A: f64[n, n]) = [i < n, j < n] => if j <= i then A[i, j] else 0.0
fn windows(x: f64[n]) = [i < n - 2] => mean(x[i:i + 3])
fn each_its_own(x: f64[n]) = [v in x] => scan (s = abs(v)) while s < 4 => s*2 + 1
fn gathered(x: f64[n], k: i64[m]) = [i in k] => if i < n then x[i] else x[0]
fn different(x: f64[n]) = [i < n] => sum(x[:i])
fn particles(p: pair[n][m]) = [q in p, r in p] => sum(q.a*r.a) + q.b
fn halves(p: pair[n][m]) = [q in p] => {a = q.a*half, b = if q.b > 0 then sqrt(q.b) else 0.0}
fn first_places(X: f64[m, n]) = [x in X] => nonzero(x > 0, 2)

# ---- derivatives through them

fn slope(x: f64[n], c: f64) = grad(sum(side(x, c)), c)
fn slope_of_while(a: f64 if 1 <= a <= 9) = grad(newton(a), a)
fn of_slopes(x: f64[n]) = grad(sum(grad(sum([v in x] => if v > 0 then exp(v) else v^3), x)^2), x)
fn forward(x: f64[n], k: i64) = jvp(nested(x, k), x, x)
fn against(x: f64[n], A: f64[n, n]) = vjp(traced(x, A).out, A, x)
fn dense(x: f64[n]) = jacobian(cumsum[0](x^2), x)
fn curved(x: f64[n]) = hessian(prod(x), x)
fn bands(x: f64[n]) = sparse_jacobian(x[1:]*x[:-1], x)
fn chain(x: f64[n]) = sparse_hessian(sum((x[1:] - x[:-1]^2)^2), x)
fn mesh(x: f64[n], k: i64[m]) = sparse_jacobian(sin(x[k]), x)
fn springs(x: f64[n], k: i64[m]) = sparse_hessian(sum((x[k] - x[0])^4), x)
fn columns(x: f64[n]) = jacobian[forward](x[1:]*x[:-1], x)
fn of_a_pair(p: pair[n]) = hessian(sum(p.a^2)*p.b, p).a.b

# ---- what is kept for them

fn pieces(x: f64[n], k: i64) = grad(sum(scan[states = 2] (h = x, i < k) => h + sin(h)*0.5), x)
fn levels(x: f64[n], k: i64) = grad(sum(scan[levels = 3] (h = x, i < k) => h + sin(h)*0.5), x)
fn counted_on(x: f64[n]) = grad(sum(scan[states = 2] (h = x) while sum(h) < 9 => h + abs(sin(h)) + 0.5), x)
fn budget(x: f64[n], k: i64) =
    grad(sum(scan[bytes = 64] (h = x, i < k) while sum(h) < 9 => h + sin(h)*0.5), x)
fn again(x: f64[n]) = let h = checkpoint((v) => tanh(v)*2) in grad(sum(h(h(x))), x)
fn inside(x: f64[n], c: f64) = grad(sum(checkpoint(if c > 0 then exp(x)*c else x)), x)

# ---- functions that stay, that tell their derivative, that solve a system

fn blocks(x: f64[n]) = let f = kept((v) => sin(v)*2) in grad(sum(f(f(f(x)))), x)
fn told(x: f64) = grad(with_derivative((x) => exp(x), (x, y, dx) => 2*y*dx)(x), x)
fn clipped(x: f64[n]) = grad(sum(with_vjp((x) => x^2, (x, y, u) => clip(u*x, -1, 1))(x)), x)
fn implied(a: f64 if 1 <= a <= 9) = grad(root_of(a), a)
fn root_of(a: f64 if 1 <= a <= 9) =
    let r = newton(stop_gradient(a)) in with_derivative(() => r, (y) => -differential(y^2 - a)/(2*y))()
fn system(x: f64[n], w: f64) = grad(sum(with_system((b) => b/w, (z) => w*z, (u) => u/w)(x)), w)
fn compensated(x: f64, y: f64) = exact((a, b) => (a + b) - a)(x, y)
fn in_lanes(x: f64[n], w: f64) = [v in x] => grad(with_derivative((v) => v*w, (v, y, dv) => dv*y)(v), v)
op applied(f: (f64[n]) -> f64[n], x: f64[n]) = f(x)
op tamed(x: f64[n]) = x^2
book derivative
d(applied(f, x)) => jvp(f(x), x, dx) + df(x)
vjp(tamed(x), u) => clip(2*u*x, -1, 1)
fn given(x: f64[n], w: f64) = grad(sum(applied((v) => sin(v*w), x)^2), w)
fn tame(x: f64[n]) = grad(sum(tamed(x)), x)

# ---- roots, fixed points, systems without a matrix

fn root(w: f64 if 1 <= w <= 9) = grad(solve.newton((t) => t^3 + t - w, 1.0).x, w)
fn between(w: f64 if 1 <= w <= 9) = grad(solve.bisection((t) => t^3 + t - w, 0.0, 9.0).x, w)
fn fixed(w: f64[2]) = grad(sum(solve.fixed_point((v) => 0.5*tanh(v) + w, [0.0, 0.0], tol = 1e-6).x), w)
fn conjugate(w: f64[2]) =
    let b = [1.0, 2.0]
    in grad(sum(solve.conjugate_gradients((v) => v*(2 + w^2), b, [0.0, 0.0], most = 9).x), w)

# ---- effects

fn shown(x: f64[n]) = scan (s = 0.0, v in x) => (do print({s, v}) in s + v)
fn asserted(x: f64[n]) = let s = sum(x) do assert(s < 100, {s}) do check(x) in s
fn shown_once(x: f64) = grad(scan (t = x) while t > 1 => (do print(t) in t/2), x)
fn on_a_side(x: f64) = if x > 0 then (do print({above = x}) in log(x)) else (do check(x) in x*3)
fn told_of_each(x: f64[n]) = [i < n, v in x] => (do print({i, v}) do check(v) in x[i]*v)
fn told_where(x: f64[n]) = scan (s = 0.0, i < len(x)) => (do print[i](x[i]) do assert(x[i] < 100) in s + x[i])

# ---- sizes from data

fn places(x: f64[n]) = nonzero(x > 0)
fn masked(x: f64[n]) = x with [x < 0] = 0.5
fn taken(A: f64[m, n]) = sum(A[A > 0])
fn raised(x: f64[n]) = x with [x < 0] += 1
fn few(X: f64[m, n], x: f64[n]) = X[:, x > 0]
fn repeated(x: f64[n], k: i64[n]) = repeat(x, k)
fn distinct(x: f64[n]) = unique(x)
fn sized(k: i64, x: f64[n]) = f64[k](2) @ f64[k](x[k])
fn cut(x: f64[n], a: i64, b: i64) = x[a:b]
fn ragged(X: f64[m, n], lengths: i64[m]) =
    let on = [i < m, j < n] => j < lengths[i]
    in sum[1](where(on, X, 0))/max(lengths, 1)

# ---- changed copies

fn changed(x: f64[n], k: i64[m], v: f64[m]) = x with [k] += v
fn field(p: pair[n], k: i64) = p with .a[k] = p.b
fn slice(x: f64[n]) = grad(sum((x with [1:] += x[:-1]^2)^2), x)

# ---- whole arrays

fn products(A: f64[m, n], B: f64[n, m]) = einsum[(i, j), (j, i), (i)](A, B) + sum[1](A @ B)
fn solved(A: f64[2, 2], b: f64[2]) =
    let (Q, R) = qr(A + 9*one_hot[2](iota[2]()))
    in grad(sum(tri_solve[upper](R, b @ Q)), b)
fn largest(x: f64[n]) =
    let (v, i) = top_k[1](concat(x, [half]))
    in grad(sum(v), x) + i[0] + argmin(x) + rank(x) + size[0](x)
fn turned(A: f64[m, n]) =
    flip[0](transpose[1, 0](squeeze[0](reshape[1, m, n](typeof(A)(2)*A)))) + expand[0, n](A[:, 0])
op folded[..axes](x: T[..s]) = max[..axes](x) - min[..axes](x) + prod[..axes](x) + logsumexp[..axes](x)
fn folds(A: f64[m, n]) =
    where(any[1](A > 0) and not all[1](A > 1), folded[1](A), argmax[1](A)) + cumsum[1](A)[:, 0]
fn moved(x: f64[n], k: i64[m]) = scatter_set(gather(x, k), iota[m](), f32(x)[k]) + scatter_add(x, k, x[k])[0]
fn joined(x: f64[n], k: i64[m]) = scatter_max(x, k, x[k]) + scatter_min(x, k, x[k]) + scatter_mul(x, k, x[k])
fn either(c: bool[n], k: i64[m]) = scatter_and(c, k, c[k]) and scatter_or(c, k, c[k])
fn bits(k: i64[n]) = -(k % 3^2) // 2 + shift_left(bit_and(k, 6), 1)
fn tests(x: f64[n], y: f64[n]) = where(x < y or x == 2 or not y <= 1, x - y, where(x != y and x >= 0, x/y, y))

# ---- chance

fn drawn(k: key) = normal[f64[3]](k)
fn keys(k: key) = [i < 3] => uniform[f64](k[i])
fn same_key(x: f64[n]) = [i < 3, v in x] => uniform[f64](key(7)[i]) + normal[f64](key(7))
fn constant_keys(x: f64[n]) = [v in x] => [key(7), key(8)[2]]
fn walk(k: key) = scan (x = 0.0, i < 4) => x + normal[f64](k[i])
fn rejected(k: key, s: f64[n]) = [i < n] => if s[i] > 0 then gamma_draw(k[i], s[i]) else 0.0
fn of_keys(k: key) = normal[f16[2]]([i < 3] => k[i]) + uniform_open[f16[2]]([i < 3] => k[i + 3])
fn shuffled(k: key, x: f64[n]) = x[permutation[n](k[0])]*exponential[f64](k[1]) + categorical(x, key(7))
fn dropped(k: key, x: f64[n]) = grad(sum(dropout(x^2, 0.5, k)), x)

book forms: check
tag calls
side:           side([1.0, 4.0], 4.0)                      <=> [2.0, 8.0]
other_side:     side([1.0, 4.0], -4.0)                     <=> [5.0, 2.0]
sides:          sides({a = [1.0, 2.0], b = 3.0}, 2).a      <=> [1.0, 3.0]
guarded:        guarded([1.0, 2.0], 2)                     <=> -1.0
chosen:         chosen([4.0, -4.0])                        <=> [2.0, 4.0]
newton:         newton(4.0)                                <=> 2.0
counted:        counted([1.0, 2.0], 3)                     <=> 9.0
backward:       backward([2.0, 3.0]).path                  <=> [3.0, 1.0]
flagged:        flagged(2.0, 9).x                          <=> 32.0
ended:          ended([1.0, 1.0, 1.0]).at                  <=> [0, 1]
nested:         nested([1.0, 2.0], 1)                      <=> [5.0, 6.0]
across:         across([[1.0, 2.0], [3.0, 4.0]]).s         <=> 8.0
pairs:          pairs({a = [1.0, 2.0], b = 3.0}, 1).a      <=> [3.5, 4.0]
growing:        growing([1.0, 2.0, 3.0])                   <=> 4.0
lower:          lower([[1.0, 2.0], [3.0, 4.0]])            <=> [[1.0, 0.0], [3.0, 4.0]]
windows:        windows([1.0, 2.0, 3.0, 4.0])              <=> [2.0, 3.0]
each_its_own:   each_its_own([0.0, 2.0, 5.0])              <=> [7.0, 5.0, 5.0]
gathered:       gathered([1.0, 2.0], [1, 5])               <=> [2.0, 1.0]
different:      different([1.0, 2.0, 3.0])                 <=> [0.0, 1.0, 3.0]
slope:          slope([1.0, 3.0], 4.0)                     <=> 1.0
slope_of_while: slope_of_while(4.0)                        <=> 0.25
forward:        forward([1.0, 2.0], 1)                     <=> [4.0, 5.0]
dense:          dense([1.0, 2.0])                          <=> [[2.0, 0.0], [2.0, 4.0]]
curved:         curved([2.0, 3.0, 5.0])                    <=> [[0.0, 5.0, 3.0], [5.0, 0.0, 2.0], [3.0, 2.0, 0.0]]
bands:          bands([1.0, 2.0, 3.0]).values              <=> [2.0, 3.0, 1.0, 2.0]
mesh:           mesh([0.0, 0.0], [1, 0, 1]).columns        <=> [1, 0, 1]
policies:       pieces([1.0, 2.0], 7)                      <=> levels([1.0, 2.0], 7)
inside:         inside([0.0, 0.0], 3.0)                    <=> [3.0, 3.0]
told:           told(0.0)                                  <=> 2.0
clipped:        clipped([0.25, 3.0])                       <=> [0.25, 1.0]
implied:        implied(4.0)                               <=> 0.25
system:         system([1.0, 2.0], 2.0)                    <=> -0.75
shown:          shown([1.0, 2.0])                          <=> 3.0
shown_once:     shown_once(6.0)                            <=> 0.125
on_a_side:      on_a_side(-1.0)                            <=> -3.0
places:         places([1.0, -1.0, 2.0])                   <=> [0, 2]
masked:         masked([1.0, -1.0])                        <=> [1.0, 0.5]
taken:          taken([[1.0, -2.0], [3.0, 4.0]])           <=> 8.0
repeated:       repeated([1.0, 2.0], [2, 1])               <=> [1.0, 1.0, 2.0]
distinct:       distinct([2.0, 1.0, 2.0])                  <=> [1.0, 2.0]
sized:          sized(2, [1.0, 2.0, 3.0])                  <=> 12.0
cut:            cut([1.0, 2.0, 3.0], 1, 3)                 <=> [2.0, 3.0]
ragged:         ragged([[1.0, 2.0], [3.0, 5.0]], [1, 2])   <=> [1.0, 4.0]
changed:        changed([1.0, 2.0], [1, 1], [3.0, 4.0])    <=> [1.0, 9.0]
field:          field({a = [1.0, 2.0], b = 3.0}, 1).a      <=> [1.0, 3.0]
path_of_while:  path_of_while(4.0)                         <=> [4.0, 2.0]
both_ways:      both_ways([2.0, 3.0])                      <=> 35.0
first_places:   first_places([[1.0, -1.0, 2.0]])           <=> [[0, 2]]
springs:        sum(springs([1.0, 3.0], [1]).values^2)     <=> 9216.0
columns:        columns([2.0, 3.0, 4.0])                   <=> [[3.0, 2.0, 0.0], [0.0, 4.0, 3.0]]
of_a_pair:      of_a_pair({a = [1.0, 2.0], b = 3.0})       <=> [2.0, 4.0]
in_lanes:       in_lanes([1.0, 2.0], 3.0)                  <=> [3.0, 6.0]
tame:           tame([0.25, 3.0])                          <=> [0.5, 1.0]
root:           root(2.0)                                  <=> 0.25
told_where:     told_where([1.0, 2.0])                     <=> 3.0
raised:         raised([1.0, -1.0])                        <=> [1.0, 0.0]
few:            few([[1.0, 2.0]], [1.0, -1.0])             <=> [[1.0]]
products:       products([[1.0]], [[2.0]])                 <=> [4.0]
largest:        largest([1.0, 2.0])                        <=> [4.0, 5.0]
turned:         turned([[1.0]])                            <=> [[3.0]]
folds:          folds([[2.0]])                             <=> [2.0]
moved:          moved([1.0, 2.0], [1])                     <=> [3.0]
bits:           bits([5])                                  <=> [5]
