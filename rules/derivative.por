# derivative.por - the table of differentials, dx that of x, from which reverse mode comes by transposition.

book derivative
# ---- arithmetic
# of a divisor of many: what is divided last is a sum, and x/y alone may leave the range
d(x/y)                    => dx/y - dy/y*x/y                                       if spread(y)
d(x/y)                    => dx/y - dy*(x/y)/y                                     if not spread(y)
d(x^y) => where(y == 0, 0, y*x^(y - 1))*dx + where(x == 0, 0, log(where(x == 0, 1, x)))*x^y*dy  if complex(x)
# of y = 0 a quotient, which is 0 and has a derivative by y
d(x^y) => where(y == 0, y/where(abs(x) > 0, x, 1), y*x^(y - 1))*dx + where(x > 0, log(where(x > 0, x, 1)), 0)*x^y*dy
d(abs(x))                 => re(conj(x)*dx)/where(x == 0, 1, abs(x))                 if complex(x)
d(abs(x))                 => sign(x)*dx                                            if real(x)
d(sign(x))                => 0
d(max(x, y))              => where(x > y, dx, where(x < y, dy, (dx + dy)/2))
d(min(x, y))              => where(x < y, dx, where(x > y, dy, (dx + dy)/2))
d(fma(x, y, z))           => dx*y + x*dy + dz
d(x//y)                   => 0
d(x % y)                  => dx - dy*floor(x/y)
d(copysign(x, y))         => where(signbit(x) == signbit(y), dx, -dx)
# ---- powers, exponentials, logarithms
d(sqrt(x))                => dx/(2*sqrt(x))
d(rsqrt(x))               => -(rsqrt(x)/(2*x)*dx)
d(cbrt(x))                => let c = cbrt(x) in dx/(3*c*c)
d(hypot(x, y))            => cosine(x, y)*dx + cosine(y, x)*dy
d(exp(x))                 => exp(x)*dx
d(exp2(x))                => exp2(x)*log(2)*dx
d(exp10(x))               => exp10(x)*log(10)*dx
d(expm1(x))               => exp(x)*dx
d(log(x))                 => dx/x
d(log2(x))                => dx/(x*log(2))
d(log10(x))               => dx/(x*log(10))
d(log1p(x))               => dx/(1 + x)
# dx/expm1(x), whose own derivative is a number where exp(x) is too large for one
d(log1mexp(x))            => -(exp(-x)*dx/expm1(-x))
# of -inf and -inf, a half each: sums of nothing, as in paths that cannot be
d(logaddexp(x, y))        => let e = where(x == y and not isfinite(x), 0, x - y) in dx*sigmoid(e) + dy*sigmoid(-e)
d(sigmoid(x))             => sigmoid(x)*sigmoid(-x)*dx
d(softplus(x))            => sigmoid(x)*dx
d(logit(x))               => dx/(x*(1 - x))
d(silu(x))                => sigmoid(x)*(1 + x*sigmoid(-x))*dx
d(xlogy(x, y))            => log(y)*dx + x/where(x == 0 and y == 0, 1, y)*dy
# ---- trigonometric and hyperbolic
d(sin(x))                 => cos(x)*dx
d(cos(x))                 => -(sin(x)*dx)
d(tan(x))                 => let t = tan(x) in (1 + t*t)*dx
d(asin(x))                => dx/sqrt((1 - x)*(1 + x))
d(acos(x))                => -(dx/sqrt((1 - x)*(1 + x)))
d(atan(x))                => dx/(1 + x*x)
d(atan2(y, x))            => let h = hypot(x, y) in dy*(x/h/h) - dx*(y/h/h)
d(sinh(x))                => cosh(x)*dx
d(cosh(x))                => sinh(x)*dx
d(tanh(x))                => (1 - tanh(x)^2)*dx
d(asinh(x))               => dx/hypot(x, 1)
d(acosh(x))               => dx/leg(x, 1)
d(atanh(x))               => dx/((1 - x)*(1 + x))
d(sinpi(x))               => cospi(x)*pi*dx
d(cospi(x))               => -(sinpi(x)*pi*dx)
d(sinc(x))                => sinc_1(x)*dx
# ---- error and gamma functions
d(erf(x))                 => exp(-x^2)*(2/sqrt(pi))*dx
d(erfc(x))                => -(exp(-x^2)*(2/sqrt(pi))*dx)
# 2*x*erfcx(x) - 2/sqrt(pi), without the difference
d(erfcx(x))               => -2*erfcx_1(x)*dx
d(erfcx_1(x))             => -4*erfcx_2(x)*dx
d(erfcx_2(x))             => (2*x*erfcx_2(x) - erfcx_1(x))*dx
d(recip_erfcx(x))         => recip_erfcx_1(x)*dx
d(ndtr(x))                => exp(-x^2/2)/sqrt(2*pi)*dx
d(log_ndtr(x))            => sqrt(2/pi)*recip_erfcx(-x/sqrt(2))*dx
d(gelu(x))                => (ndtr(x) + x*exp(-x^2/2)/sqrt(2*pi))*dx
d(gelu_tanh(x))           => gelu_tanh_1(x)*dx
d(erfinv(x))              => let y = erfinv(x) in exp(y*y)*(sqrt(pi)/2)*dx
d(gamma(x))               => gamma(x)*digamma(x)*dx
d(lgamma(x))              => digamma(x)*dx
d(digamma(x))             => trigamma(x)*dx
d(trigamma(x))            => polygamma(2, x)*dx
d(polygamma(n, x))        => polygamma(n + 1, x)*dx
d(lgamma_diff(x, y))      => let s = digamma(x + y) in (s - digamma(x))*dx + s*dy
d(lbeta(x, y))            => let s = digamma(x + y) in (digamma(x) - s)*dx + (digamma(y) - s)*dy
d(i0e(x))                 => (i1e(x) - sign(x)*i0e(x))*dx
d(i1e(x))                 => (i0e(x) - i1e_over(x) - sign(x)*i1e(x))*dx
# ---- selection and conversion
d(where(c, x, y))         => where(c, dx, dy)
d(stop_gradient(x))       => 0
# ---- ops of the library
d(relu(x))                => where(x > 0, dx, 0)
d(log_cosh(x))            => tanh(x)*dx
d(log_erfc(x))            => -(2/sqrt(pi)*recip_erfcx(x)*dx)
d(share(x))               => dx/(1 + x)/(1 + x)
d(part(x, y))             => part(y, x)/(x + y)*dx - part(x, y)/(x + y)*dy
d(over_root(x, y))        => dx/(2*sqrt(x*y)) - over_root(x, y)*dy/(2*y)
d(leg(x, y))              => leg_long(x, y)*dx - leg_short(x, y)*dy
d(leg_long(x, y))         => leg_short(x, y)*(leg_long(x, y)*dy - leg_short(x, y)*dx)/leg(x, y)
d(leg_short(x, y))        => leg_long(x, y)*(leg_long(x, y)*dy - leg_short(x, y)*dx)/leg(x, y)
d(velocity_sum(x, y))     => let c = fma(x, y, 1) in velocity_gain(y, c)*dx + velocity_gain(x, c)*dy
d(cosine(x, y))           => let h = hypot(x, y) in cosine(y, x)*(cosine(y, x)*dx - cosine(x, y)*dy)/h
d(log1p_minus(x))         => -(share(x)*dx)
d(log1p_square_over(x))   => -2*(cosine(1, x)^2/x*dx)
d(log_ratio(x, y))        => dx/x - dy/y
d(jensen_shannon(x, y))   => log_ratio(2*x, x + y)*dx + log_ratio(2*y, x + y)*dy
d(kl_div(x, y))           => log_ratio(x, y)*dx + (1 - x/y)*dy
d(over_sin_minus(x))      => over_sin(x)*minus_cot(x)*dx
d(tanh_minus(x))          => -(tanh(x)^2*dx)
d(expm1_over_less(x))     => (expm1_over_1(x) - exp(x))*dx
d(sin_less_cos(x))        => x*sin(x)*dx
d(expm1_minus(x))         => expm1(x)*dx
d(bose(x))                => bose(x)*(bose(-x)*dx)
d(over_expm1(x))          => over_expm1_1(x)*dx
d(bose_gap(x))            => bose_gap_1(x)*dx
d(over_tanh(x))           => over_tanh_1(x)*dx
d(over_sin(x))            => over_sin(x)*minus_cot(x)*dx
d(over_sinh(x))           => -(over_sinh(x)*coth_gap(x)*dx)
d(log_expm1_over(x))      => bose_gap(-x)*dx
d(log_sinh_over(x))       => coth_gap(x)*dx
d(cosh_less_sinh(x))      => x*sinh(x)*dx
d(expm1_decay(x))         => x*exp(-x)*dx
d(log1p_pair(x))          => -2*x/(1 + x)/(1 - x)*dx
d(contrast_of(y, x)) => let z = x*x in 2*(part(z, y)/(y + z)*dy - part(y, z)/(y + z)*(2*x*dx))
d(sinh_minus(x))          => let s = sinh(x/2) in 2*s*s*dx
d(sech(x))                => -(sech(x)*tanh(x)*dx)
d(log_sinh(x))            => dx/tanh(x)
d(log_tanh(x))            => (1 - tanh(x)^2)/tanh(x)*dx
d(log1p_scaled_exp(c, x)) => exp_part(1/c, x)*dx + dc/(c + exp(-x))
d(parallel(x, y))         => part(y, x)^2*dx + part(x, y)^2*dy
d(log_plus_exp(c, x))     => exp_part(c, x)*dx + dc/(c + exp(x))
d(exp_part(c, x))         => exp_part(c, x)*(exp_part(1/c, -x)*dx - dc/(c + exp(x)))
d(hypot_part(x, y))       => let h = hypot(x, y) in cosine(y, x)*(cosine(x, y)*dy - cosine(y, x)*dx)/h
d(hypot_minus(x, y))      => cosine(y, x)*dy - hypot_part(x, y)*dx
d(sqrt_diff(x, y))        => let s = sqrt(x + y) in (dy/s - part(y, x)/(sqrt(x) + x/s)*dx)/2
d(rsqrt_diff(x, y))       => let a = rsqrt(x) let b = rsqrt(x + y) in -(rsqrt_diff(x, y)*(a*a + a*b + b*b)*dx + b*b*b*dy)/2
d(log_diff(x, y))         => dy/(x + y) - part(y, x)/x*dx
d(log1p_square(x))        => log1p_square_1(x)*dx
d(great_circle(x, y, z)) => let b = sin(z/2) let g = sin(great_circle(x, y, z)) let s = where(g == 0, 1, g) let a = sine_between(x, y) in ((a - 2*sin(x)*cos(y)*b*b)*dx - (a + 2*cos(x)*sin(y)*b*b)*dy + cos(x)*cos(y)*sin(z)*dz)/s
d(atan_ratio(y, x))       => let h = hypot(x, y) in cosine(x, y)/h*dy - cosine(y, x)/h*dx
d(minus_sin(x))           => let s = sin(x/2) in 2*s*s*dx
d(minus_tan(x))           => -(tan(x)^2*dx)
d(minus_cot(x))           => let c = minus_cot(x) in where(x == 0, 1/3, 1 - 2*c/x + c*c)*dx
d(xlog1py(x, y))          => log1p(y)*dx + x/(1 + where(x == 0 and y == -1, 0, y))*dy
d(euclidean[a](x)) => let y = euclidean[a](x) in sum[a](x/expand_like[a](where(y == 0, 1, y), x)*dx)  if count(a) != 0
d(euclidean[a](x))        => let y = euclidean[a](x) in sum(x/where(y == 0, 1, y)*dx)   if count(a) == 0
d(softmax[a](x))          => let s = softmax[a](x) in s*(dx - expand_like[a](sum[a](s*dx), x))
d(log_softmax[a](x))      => dx - expand_like[a](sum[a](softmax[a](x)*dx), x)
# ---- folds: a tie splits the differential
d(prod[a](x))             => sum[a](prod_others[a](x)*dx)
# rest: how many zeros stand among the others; each pair of elements leaves a product without both
d(prod_others[a](x)) => let zero = x == 0 let full = where(zero, 1, x)
    let z = where(zero, constant_like(1, x), 0) let rest = expand_like[a](sum[a](z), x) - z
    let flat = expand_like[a](sum[a](where(zero, 0, dx/full)), x)
    let steep = expand_like[a](sum[a](where(zero, dx, 0)), x)
    let both = where(rest == 0, flat, where(rest == 1, steep, 0)) - where(rest == z, dx/full, 0)
    in expand_like[a](prod[a](full), x)/full*both
d(max[a](x)) => let best = x == expand_like[a](max[a](x), x) in sum[a](where(best, dx, 0))/sum[a](where(best, constant_like(1, x), 0))
d(min[a](x)) => let best = x == expand_like[a](min[a](x), x) in sum[a](where(best, dx, 0))/sum[a](where(best, constant_like(1, x), 0))
d(logsumexp[a](x))        => sum[a](softmax[a](x)*dx)                               if count(a) == 1
d(logsumexp[a](x)) => let y = logsumexp[a](x) in sum[a](exp(x - expand_like[a](where(y == -inf, 0, y), x))*dx)  if count(a) != 1
# ---- views and indices
d(reshape[a](x))          => reshape_root(dx)
d(slice[a](x))            => slice_root[a](dx)
d(pad[a](x))              => pad_root[a](dx)
d(gather[a](x, i))        => gather[a](dx, i)
d(scatter_add[a](x, i, v)) => scatter_add[a](dx, i, dv)
d(scatter_set[a](x, i, v)) => scatter_set[a](dx, i, dv)
d(scatter_max[a](x, i, v)) => let y = scatter_max[a](x, i, v) let own = x == y let new = v == gather[a](y, i)
    let n = scatter_add[a](where(own, constant_like(1, x), 0), i, where(new, constant_like(1, v), 0))
    in scatter_add[a](where(own, dx, 0), i, where(new, dv, 0))/n
d(scatter_min[a](x, i, v)) => let y = scatter_min[a](x, i, v) let own = x == y let new = v == gather[a](y, i)
    let n = scatter_add[a](where(own, constant_like(1, x), 0), i, where(new, constant_like(1, v), 0))
    in scatter_add[a](where(own, dx, 0), i, where(new, dv, 0))/n
d(scatter_mul[a](x, i, v)) => scatter_add[a](base_others[a](x, i, v)*dx, i, written_others[a](x, i, v)*dv)
d(base_others[a](x, i, v)) => let zx = where(x == 0, constant_like(1, x), 0) let zv = where(v == 0, constant_like(1, v), 0)
    let fx = where(x == 0, 1, x) let fv = where(v == 0, 1, v)
    let rest = scatter_add[a](zx, i, zv) - zx
    let flat = scatter_add[a](where(x == 0, 0, dx/fx), i, where(v == 0, 0, dv/fv))
    let steep = scatter_add[a](where(x == 0, dx, 0), i, where(v == 0, dv, 0))
    let both = where(rest == 0, flat, where(rest == 1, steep, 0)) - where(rest == zx, dx/fx, 0)
    in scatter_mul[a](fx, i, fv)/fx*both
d(written_others[a](x, i, v)) => let zx = where(x == 0, constant_like(1, x), 0) let zv = where(v == 0, constant_like(1, v), 0)
    let fx = where(x == 0, 1, x) let fv = where(v == 0, 1, v)
    let rest = gather[a](scatter_add[a](zx, i, zv), i) - zv
    let flat = gather[a](scatter_add[a](where(x == 0, 0, dx/fx), i, where(v == 0, 0, dv/fv)), i)
    let steep = gather[a](scatter_add[a](where(x == 0, dx, 0), i, where(v == 0, dv, 0)), i)
    let both = where(rest == 0, flat, where(rest == 1, steep, 0)) - where(rest == zv, dv/fv, 0)
    in gather[a](scatter_mul[a](fx, i, fv), i)/fv*both
d(top_k[a](x))            => let (y, i) = top_k[a](x) in (pick_last(dx, i), i)
# ---- contractions and decompositions
d(tri_solve[a](A, b))     => let z = tri_solve[a](A, b) in tri_solve[a](A, db - triangle_product[a](dA, z))
d(qr(A)) => let (q, r) = qr(A) let s = solve_right(dA, r) let p = q.T @ s
    let low = strictly_lower(p) let w = low - low.T in (s - q @ (p - w), (p - w) @ r)
