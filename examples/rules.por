# rules.por - rules and operators of one's own.
#
#   porism rules check examples/rules.por
#   porism explain examples/rules.por:volume --show rules
#   porism grad examples/rules.por:norm_loss --wrt w

op axpb(a: T[..s], x: T[..s], b: T[..s]) = a*x + b         # stays one node; its meaning is on the right
op clip_gradient(x: T[..s], limit: T) = x

book mine: algebra
cube_root:   cbrt(x)^3                => x                                    real
log_cbrt:    log(cbrt(x))             => log(x)/3                             real if x > 0

book derivative
vjp(clip_gradient(x, limit), g)       => (clip(g, -limit, limit), 0)

fn norm_loss(w: f64[n], X: f64[m, n]) = sum(softplus(X @ clip_gradient(w, 1.0)))

fn volume(x: f64[n] if x > 0) = sum(cbrt(x)^3 + log(cbrt(x)))
