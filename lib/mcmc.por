# Markov chains: draws from a density that is known by its logarithm, up to a constant.
#
# logp(q) is a number for a q of any structure; module logp has many.  The same key gives the same draws, to the bit.  A
# chain gives
#   q          the draws after the warm-up, with a leading axis
#   accept     how many steps were accepted: the mean
#   leaps      how many steps of Hamilton's equations a draw took: the mean
#   diverged   how many draws ended where the energy left all bounds
#   h          the step that the warm-up found, by dual averaging to an acceptance of `target`
#   scale      the widths that it found, in windows of 25, 50, 100, ... draws

# The kinetic energy of momenta p where q is as wide as scale.
fn kinetic(scale, p) = dot(scale*p, scale*p)/2

# A state: q, its momenta p, and what logp and its gradient are at q.
fn state(logp, q, p) = {q, p, value = logp(q), slope = grad(logp, q)}

# A step of length h of Hamilton's equations: half a step of p, a step of q, half a step of p.
fn hop(logp, scale, z, h) =
    let p = z.p + h/2*z.slope
    let new = state(logp, z.q + h*(scale*scale*p), p)
    in {q = new.q, p = p + h/2*new.slope, value = new.value, slope = new.slope}

# How much more energy z has than there was; inf where there is none.
fn gained(scale, z, before) =
    let e = kinetic(scale, z.p) - z.value - before
    in if e == e then e else inf

# ---- one draw after another

# Hamiltonian Monte Carlo (Duane and others 1987; Neal 2011): 1 to `leaps` steps, drawn, as ways of one length may come
# round to where they began; and the end is taken with probability exp(-gain).
fn hmc_step(logp, scale, z, h, leaps, k) =
    let first = {q = z.q, p = normal[typeof(z.q)](k[0])/scale, value = z.value, slope = z.slope}
    let many = 1 + i64(leaps*uniform[f64](k[2]))
    let end = scan (z = first, i < many) => hop(logp, scale, z, h)
    let gain = gained(scale, end, kinetic(scale, first.p) - first.value)
    in {z = where(log(uniform_open[f64](k[1])) < -gain, end, first), accept = min(1, exp(-gain)),
        leaps = many,
        diverged = gain > 1000}

# Does a way with momenta p at its start, q at its end, and this sum of all of them turn back (Betancourt 2017, A.4.2)?
fn turns(scale, p, q, sum) =
    let way = scale*scale*(sum - (p + q)/2)
    in dot(way, p) <= 0 or dot(way, q) <= 0

# 2^depth more steps from the end z of a way.  The momenta at the start of each part of 1, 2, 4, ... steps that is not yet
# whole are kept, with the sum of all before; step i ends a part for each 1 at the end of i in binary digits.
fn subtree[deepest](logp, scale, z, h, depth, before, k) =
    let none = typeof(z.p)[deepest + 1](0)
    in scan (z = z, pick = z, weight = -inf, sum = typeof(z.p)(0), starts = none, sums = none, accept = 0.0,
             leaps = 0,
             turned = false, diverged = false, i < 2^depth) while not (turned or diverged) =>
        let z = hop(logp, scale, z, h)
        let gain = gained(scale, z, before)
        let weight = logaddexp(weight, -gain)
        let take = log(uniform_open[f64](k[i])) < -gain - weight
        let sum = sum + z.p
        let at = popcount(i//2)
        let found = if i % 2 == 0
            then {starts = starts with [at] = z.p, sums = sums with [at] = sum, turned = false}
            else {starts, sums, turned = (scan (t = false, j < popcount(bit_xor(i, i + 1)) - 1) while not t =>
                turns(scale, starts[at - j], z.p, sum - sums[at - j] + starts[at - j]))}
        in {z, pick = where(take, z, pick), weight, sum, starts = found.starts, sums = found.sums,
            accept = accept + min(1, exp(-gain)), leaps = leaps + 1, turned = found.turned,
            diverged = gain > 1000}

# The no-U-turn sampler (Hoffman and Gelman 2014), a state of the way being drawn by its weight (Betancourt 2017): the way
# is doubled, forward or back, until it turns.
fn nuts_step[deepest = 10](logp, scale, z, h, k) =
    let first = {q = z.q, p = normal[typeof(z.q)](k[0])/scale, value = z.value, slope = z.slope}
    let before = kinetic(scale, first.p) - first.value
    let end =
        scan (left = first, right = first, pick = first, weight = 0.0, sum = first.p, accept = 0.0, leaps = 0,
              done = false, diverged = false, depth < deepest) while not done =>
            let forward = uniform[f64](k[1][depth]) < 0.5
            let way = if forward then 1.0 else -1.0
            let sub =
                subtree[deepest](logp, scale, where(forward, right, left), way*h, depth, before, k[2][depth])
            let whole = not (sub.turned or sub.diverged)
            let take = whole and log(uniform_open[f64](k[3][depth])) < sub.weight - weight
            let (left, right) = (where(forward, left, sub.z), where(forward, sub.z, right))
            let sum = sum + sub.sum
            in {left, right, pick = where(take, sub.pick, pick), weight = logaddexp(weight, sub.weight), sum,
                accept = accept + sub.accept, leaps = leaps + sub.leaps, diverged = sub.diverged,
                done = not whole or turns(scale, left.p, right.p, sum)}
    in {z = end.pick, accept = end.accept/max(end.leaps, 1), leaps = end.leaps, diverged = end.diverged}

# ---- chains, whose step and scale are found while they warm up

# The logarithm of the step follows how far what is accepted is from `target` (dual averaging, Hoffman and Gelman 2014,
# algorithm 5).
fn tuned(s, accept, target) =
    let t = s.t + 1
    let off = s.off + (target - accept - s.off)/(t + 10)
    let log_h = s.about - sqrt(t)/0.05*off
    let part = t^-0.75
    in {t, off, about = s.about, log_h, mean = part*log_h + (1 - part)*s.mean}

fn tuning(h) = {t = 0.0, off = 0.0, about = log(10*h), log_h = log(h), mean = log(h)}

# Mean and sum of squares of all q so far (Welford 1962).
fn counted(s, q) =
    let n = s.n + 1
    let d = q - s.mean
    let mean = s.mean + d/n
    in {n, mean, squares = s.squares + d*(q - mean)}

# One chain: `step(z, scale, h, k)` gives {z, accept, leaps, diverged}.  While it warms up, the step is tuned, and the scale
# is that of the draws of windows, each twice as long as the one before, the first 75 and the last 50 draws apart.
fn chain(logp, q, step, warmup, draws, target, h, k) =
    let none = typeof(q)(0)
    let empty = {n = 0.0, mean = none, squares = none}
    let (opens, closes) = (min(75, warmup//5), warmup - min(50, warmup//10))
    let first = (from, length) => if from + 3*length > closes then closes else from + length
    let all = scan (z = state(logp, q, none), scale = typeof(q)(1), s = tuning(h), seen = empty, from = opens,
                    until = first(opens, 25), i < warmup + draws) =>
        let warm = i < warmup
        let r = step(z, scale, if warm then exp(s.log_h) else exp(s.mean), k[i])
        let s = where(warm, tuned(s, r.accept, target), s)
        let seen = where(opens <= i and i < closes, counted(seen, r.z.q), seen)
        let whole = warm and i + 1 == until and seen.n > 1
        let wide = sqrt(seen.squares/max(seen.n - 1, 1)*(seen.n/(seen.n + 5)) + 1e-3*(5/(seen.n + 5)))
        in {z = r.z, scale = where(whole, wide, scale), s = where(whole, tuning(exp(s.log_h)), s),
            seen = where(whole, empty, seen), from = if whole then until else from,
            until = if whole then first(until, 2*(until - from)) else until,
            path = r.z.q, accept = r.accept, leaps = r.leaps, diverged = r.diverged}
    in {q = all.path[warmup:], accept = mean(all.accept[warmup:]), leaps = mean(all.leaps[warmup:]),
        diverged = count(all.diverged[warmup:]), h = exp(all.s.mean), scale = all.scale}

# Hamiltonian Monte Carlo (Duane and others 1987; Neal 2011): a draw goes 1 to `leaps` steps, drawn, along Hamilton's
# equations.
#     mean(mcmc.hmc((x) => logp.normal(x, 2, 1), 0.0, key(1), warmup = 100, draws = 200).q) is 2.0104995491396376
fn hmc(logp, q, k: key, warmup = 1000, draws = 1000, leaps = 10, target = 0.8, h = 0.1) =
    chain(logp, q, (z, scale, h, k) => hmc_step(logp, scale, z, h, leaps, k), warmup, draws, target, h, k)

# The no-U-turn sampler (Hoffman and Gelman 2014; Betancourt 2017): a draw goes along Hamilton's equations until the way
# turns back, at most 2^deepest steps.
#     mean(mcmc.nuts((x) => logp.normal(x, 2, 1), 0.0, key(1), warmup = 100, draws = 200).q) is 2.0428264516439194
fn nuts[deepest = 10](logp, q, k: key, warmup = 1000, draws = 1000, target = 0.8, h = 0.1) =
    chain(logp, q, (z, scale, h, k) => nuts_step[deepest](logp, scale, z, h, k), warmup, draws, target, h, k)

# `run(k)` n times side by side, each with a key of its own: what it gives, with a leading axis.
#     mcmc.chains(2, (k) => normal[f64](k), key(1)) is [0.2139815832790651, 0.6297406306094638]
fn chains(n, run, k: key) = [i < n] => run(k[i])

# ---- what draws tell: of x, chains by draws

# How much wider all chains are than each, each being cut in two (Gelman and others 2013, 11.4): 1 where they agree.
#     mcmc.r_hat(normal[f64[4, 100]](key(1))) is 1.0019992422345119
fn r_hat(x: T[c, n]) =
    let half = concat(x[:, :n//2], x[:, n - n//2:])
    let within = mean(variance[1, less = 1](half))
    let means = mean[1](half)
    in sqrt((n//2 - 1)/(n//2) + variance[0, less = 1](means)/within)
