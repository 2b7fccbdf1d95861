type hmm[s, v] = {first: f64[s], move: f64[s, s], emit: f64[s, v]}          # logarithms of probabilities

fn loglik(p: hmm[s, v], seen: i32[t]) =
    let start = p.first + p.emit[:, seen[0]]
    in logsumexp(scan (a = start, o in seen[1:]) => logsumexp[0](a[:, _] + p.move) + p.emit[:, o])

fn viterbi(p: hmm[s, v], seen: i32[t]) =
    let start = p.first + p.emit[:, seen[0]]
    let up = scan (a = start, o in seen[1:]) =>
        let via = a[:, _] + p.move
        in {a = max[0](via) + p.emit[:, o], from = argmax[0](via)}
    let last = argmax(up.a)
    let down = scan[back] (z = last, from in up.from) => {z = from[z], path = from[z]}
    in {path = concat(down.path, [last]), score = max(up.a)}
