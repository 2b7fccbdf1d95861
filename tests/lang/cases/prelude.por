# lib/prelude.por                       open in every file; the part the programs below use
#                                        (sigmoid, softplus, logsumexp, argmax, normal, ... are operators)
fn mean[..axes, keep = false](x: T[..s]) = sum[..axes, keep = keep](x) / size[..axes](x)
fn dot(a, b) = sum(a*b)                                  # of arrays or of whole structures
fn norm(a) = sqrt(dot(a, a))
op relu(x) = max(x, 0)                                   # ops: nodes that rules can name; its derivative at 0 is 0, by a rule
op clip(x, low, high) = min(max(x, low), high)
op softmax[axis = -1](x: T[..s]) =
    let e = exp(x - stop_gradient(max[axis, keep](x)))
    in e / sum[axis, keep](e)
fn cross(a: T[3], b: T[3]) = [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]
fn poly(x, c, ..more) = if len(more) == 0 then c else c + x*poly(x, ..more)     # Horner's rule
op layer_norm(p: {gain: T[d], bias: T[d]}, x: T[..s, d], eps = 1e-5) =
    let z = x - mean[-1, keep](x)
    in z / sqrt(mean[-1, keep](z^2) + eps) * p.gain + p.bias
