# Module nn: against the formulas worked out in Python with 40 digits, derivatives by differences of them.
use nn

type four[d, h] = {x: f64[d, 4*h], h: f64[h, 4*h], b: f64[4*h]}

let one = {x = [[1.0, 2.0, 3.0, 4.0]], h = [[0.1, 0.2, 0.3, 0.4]], b = [0.5, 0.0, 0.0, -0.5]}

#: => {h = [-0.015761319667330587], c = [-0.06703717092257369]} within 1e-15
fn lstm() =
    let r = nn.lstm(one, {h = f64[1](0), c = f64[1](0)}, [[0.3], [-0.2]])
    in {h = r.h, c = r.c}

fn last(p: four[d, h], xs: f64[t, d]) = sum(nn.lstm(p, {h = f64[h](0), c = f64[h](0)}, xs).h)

#native: xs='[[0.3], [-0.2]]' p='{x = [[1, 2, 3, 4]], h = [[0.1, 0.2, 0.3, 0.4]], b = [0.5, 0, 0, -0.5]}' => {x = [0.010558575243123745, -0.0056294493217236774, -0.0098584915177312711, 0.0033252432858713693], h = [-0.008170740450845304, 0.0086057224105732401, 0.032546127293053381, -0.0036841833286245156], b = [-0.0093456247203451536, 0.028147246608618387, 0.14455594248520649, -0.0089993171894941189]} within 1e-15
fn lstm_gradient(p: four[d, h], xs: f64[t, d]) = grad(last(p, xs), p)

# Forward and reverse say the same, and a batch is its rows.
#: k='key(5)' => (true, true)
fn lstm_batch(k: key) =
    let p = nn.lstm_start[2, 3](k[0])
    let xs = normal[f64[7, 4, 2]](k[1])
    let zero = {h = f64[4, 3](0), c = f64[4, 3](0)}
    let out = nn.lstm(p, zero, xs).out
    let row = nn.lstm(p, {h = f64[3](0), c = f64[3](0)}, xs[:, 2]).out
    let f = (xs) => sum(nn.lstm(p, zero, xs).out^2)
    in (norm(out[:, 2] - row) < 1e-15, abs(dot(grad(f, xs), xs) - forward(f, xs)) < 1e-12)
fn forward(f, xs: f64[t, b, d]) = jvp(f(xs), xs, xs)

type three[d, h] = {x: f64[d, 3*h], h: f64[h, 3*h], b: f64[3*h], bh: f64[3*h]}
fn gru_last(p: three[d, h], xs: f64[t, d]) = sum(nn.gru(p, f64[h](0), xs).h)

#native: xs='[[0.3], [-0.2]]' p='{x = [[1, 2, 3]], h = [[0.1, 0.2, 0.3]], b = [0.4, -0.3, 0.2], bh = [0.1, 0.2, -0.3]}' => (-0.18969564124144187, [-0.030958019394961699, 0.094462360284737247, 0.56103314997255211, -0.030958019394961699, 0.094462360284737247, 0.33618308655083136, -0.0067124216092025829, 0.048194919658422206, 0.073066482539210672, 0.0031827373444495465, -0.061196422878770365, -0.06531976475046057]) within 1e-15
fn gru(p: three[d, h], xs: f64[t, d]) =
    let g = grad(gru_last(p, xs), p)
    in (gru_last(p, xs), g.b, g.bh, g.h, g.x)

#: => ([2.9031401516167207, 1.704083144871394], [1, 1.3302384506733431]) within 1e-15
fn attention() =
    let (q, k, v) = ([[1.0, 2.0], [0.0, -1.0]], [[1.0, 0.0], [0.5, 1.0], [-1.0, 2.0]], [[1.0], [2.0], [4.0]])
    in (nn.attention(q, k, v), nn.attention(q, k, v, nn.causal[3]()[:2]))

# With as many heads as 1, heads are attention; a row does not change by what comes later.
#: k='key(3)' => (true, true, true)
fn heads(k: key) =
    let p = nn.heads_start[1, 4](k[0])
    let x = normal[f64[5, 4]](k[1])
    let seen = nn.causal[5]()
    let all = nn.heads[2](p, x, x, seen)
    let first = nn.heads[2](p, x[:3], x[:3], seen[:3, :3])
    let one = nn.heads[1](p, x, x)
    in (norm(one - nn.attention(x @ p.q, x @ p.k, x @ p.v) @ p.o) < 1e-14, norm(all[:3] - first) < 1e-14,
        abs(dot(grad(sum(nn.heads[2](p, x, x, seen)^3), x), x) -
            jvp(sum(nn.heads[2](p, x, x, seen)^3), x, x)) < 1e-10)

# sin and cos of t and of t/100
#: => [[0, 0, 1, 1], [0.84147098480789651, 0.0099998333341666647, 0.54030230586813977, 0.99995000041666526]] within 1e-15
fn places() = nn.places[2, 4]()

# Columns [1, 3, 3] and [2, 4, 3]: means 7/3 and 3, variances 8/9 and 2/3, of a sample 4/3 and 1
#: => {y = [[-1.4142056074889262, -1.2247356859083902], [0.70710280374446305, 1.2247356859083902], [0.70710280374446305, 0]], s = {mean = [0.23333333333333334, 0.3], variance = [1.0333333333333334, 1]}} within 1e-14
fn batch_norm() =
    nn.batch_norm({gain = 1, bias = 0}, nn.batch_norm_start[2](), [[1.0, 2.0], [3.0, 4.0], [3.0, 3.0]])

#: => [[2.9999900000749995, 1.8888869135868311]] within 1e-10
fn batch_norm_fixed() =
    nn.batch_norm_fixed({gain = 2, bias = 1}, {mean = [1.0, 2.0], variance = [1.0, 2.25]},
                        [[2.0, 2.6666666666666667]])

#: => [[-0.99998000059997993, 0.99998000059997993, -0.99998000059997993, 0.99998000059997993], [-0.99998000059997993, 0.99998000059997993, 0, 0]] within 1e-15
fn group_norm() = nn.group_norm[2]({gain = 1, bias = 0}, [[1.0, 2.0, 3.0, 4.0], [3.0, 4.0, 1.0, 1.0]])

# Means 0; variances 2/(m + n) and 2/m
#: k='key(1)' => (true, true, [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0])
fn starts(k: key) =
    let (a, b) = (nn.glorot[200, 300](k[0]), nn.he[200, 300](k[1]))
    in (abs(variance(a) - 2/500) < 1e-4 and abs(mean(a)) < 1e-3,
        abs(variance(b) - 2/200) < 2e-4 and abs(mean(b)) < 2e-3,
        nn.lstm_start[2, 3](k[2]).b)
