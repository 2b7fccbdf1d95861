# lib/optim.por                         an optimiser is a record of two functions
type moments[P] = {m: P, v: P, t: i64}

fn adam(rate = 1e-3, b1 = 0.9, b2 = 0.999, eps = 1e-8) = {
    start = (p) => {m = typeof(p)(0), v = typeof(p)(0), t = 0},
    step = (p, g, s) =>
        let t = s.t + 1
        let m = b1*s.m + (1 - b1)*g
        let v = b2*s.v + (1 - b2)*g^2
        in (p - rate * (m/(1 - b1^t)) / (sqrt(v/(1 - b2^t)) + eps), {m, v, t})}

fn sgd(rate = 1e-2) = {start = (p) => (), step = (p, g, s) => (p - rate*g, s)}
