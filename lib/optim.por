# Optimisers: an optimiser is a record of two functions.
#   start(p)        the state for parameters p, which may be any structure
#   step(p, g, s)   the next parameters and state, from parameters, gradient and state

type moments[P] = {m: P, v: P, t: i64}

fn sgd(rate = 1e-2) = {start = (p) => (), step = (p, g, s) => (p - rate*g, s)}

fn momentum(rate = 1e-2, keep = 0.9) = {
    start = (p) => {v = typeof(p)(0)},
    step = (p, g, s) =>
        let v = keep*s.v + g
        in (p - rate*v, {v})}

fn nesterov(rate = 1e-2, keep = 0.9) = {
    start = (p) => {v = typeof(p)(0)},
    step = (p, g, s) =>
        let v = keep*s.v + g
        in (p - rate*(keep*v + g), {v})}

fn rmsprop(rate = 1e-3, keep = 0.9, eps = 1e-8) = {
    start = (p) => {v = typeof(p)(0)},
    step = (p, g, s) =>
        let v = keep*s.v + (1 - keep)*g^2
        in (p - rate*g/(sqrt(v) + eps), {v})}

# Kingma and Ba, 2015.
fn adam(rate = 1e-3, b1 = 0.9, b2 = 0.999, eps = 1e-8) = {
    start = (p) => {m = typeof(p)(0), v = typeof(p)(0), t = i64(0)},
    step = (p, g, s) =>
        let t = s.t + 1
        let m = b1*s.m + (1 - b1)*g
        let v = b2*s.v + (1 - b2)*g^2
        in (p - rate * (m/(1 - b1^t)) / (sqrt(v/(1 - b2^t)) + eps), {m, v, t})}

# Adam with weights that decay by themselves (Loshchilov and Hutter, 2019).
fn adamw(rate = 1e-3, b1 = 0.9, b2 = 0.999, eps = 1e-8, decay = 1e-2) = {
    start = (p) => {m = typeof(p)(0), v = typeof(p)(0), t = i64(0)},
    step = (p, g, s) =>
        let t = s.t + 1
        let m = b1*s.m + (1 - b1)*g
        let v = b2*s.v + (1 - b2)*g^2
        in (p - rate*decay*p - rate * (m/(1 - b1^t)) / (sqrt(v/(1 - b2^t)) + eps), {m, v, t})}
