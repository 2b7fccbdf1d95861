op axpb(a: T[..s], x: T[..s], b: T[..s]) = a*x + b         # stays one node; its meaning is on the right
op clip_gradient(x: T[..s], limit: T) = x

book mine: algebra
axpb:        a*x + b                  => axpb(a, x, b)                        real if rank(x) > 0
abs_square:  sqrt(x^2)                => abs(x)                               real
sqrt_square: sqrt(x^2)                => x                                    real if x >= 0
sum_scale:   sum[a](expand[a](c)*x)   => c*sum[a](x)                          real
shift:       logsumexp[a](x + expand[a](c)) => logsumexp[a](x) + c            real
softmax_row: softmax[a](x)[i]         => softmax[a - 1](x[i])                 exact if a > 0

book careful: stable
log_det:     log(det(A))              => 2*sum(log(diag(cholesky(A))))        real if positive_definite(A)
log_abs_det: log(abs(det(A)))         => let (sign, log_abs) = slogdet(A) in log_abs
log_sub:     log(exp(x) - exp(y))     => x + log(-expm1(y - x))               real if x > y

book equations
distribute:  A @ B + A @ C           <=> A @ (B + C)
chain:       (A @ B) @ C             <=> A @ (B @ C)

book derivative
d(axpb(a, x, b))                      => da*x + a*dx + db
vjp(clip_gradient(x, limit), g)       => (clip(g, -limit, limit), 0)

fn norm_loss(w: f64[n], X: f64[m, n]) = sum(softplus(X @ clip_gradient(w, 1.0)))
