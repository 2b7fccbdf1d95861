fn masked_mean(x: f64[b, t, d], lengths: i32[b]) =
    let on = [i < b, j < t] => j < lengths[i]
    in sum[1](where(on[.., _], x, 0)) / max(lengths, 1)[:, _]

# How many there are is an operand, and then a size
fn positives(x: f64[n]) =
    let k = count(x > 0)
    in x[nonzero(x > 0, k)]

# At most 64, the rest zero: an index of n marks an empty place
fn some_positives(x: f64[n]) =
    let at = nonzero(x > 0, 64)
    in [j < 64] => if at[j] < n then x[at[j]] else 0
