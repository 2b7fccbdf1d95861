# hmm.por - a hidden Markov model: the likelihood of what was seen, and the likeliest path (Viterbi).
#
#   porism run examples/hmm.por:viterbi p='{first = log([0.6, 0.4]), move = log([[0.7, 0.3], [0.4, 0.6]]),
#       emit = log([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])}' seen='[0, 1, 2]'

type hmm[s, v] = {first: f64[s], move: f64[s, s], emit: f64[s, v]}          # logarithms of probabilities

fn loglik(p: hmm[s, v], seen: i32[t]) =
    let start = p.first + p.emit[:, seen[0]]
    in logsumexp(scan (a = start, o in seen[1:]) => logsumexp[0](a[:, _] + p.move) + p.emit[:, o])

fn gradient(p: hmm[s, v], seen: i32[t]) = grad(loglik(p, seen), p)

fn viterbi(p: hmm[s, v], seen: i32[t]) =
    let start = p.first + p.emit[:, seen[0]]
    let up = scan (a = start, o in seen[1:]) =>
        let via = a[:, _] + p.move
        in {a = max[0](via) + p.emit[:, o], from = argmax[0](via)}
    let last = argmax(up.a)
    let down = scan[back] (z = last, from in up.from) => {z = from[z], path = from[z]}
    in {path = concat(down.path, [last]), score = max(up.a)}
