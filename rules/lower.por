# lower.por - operators that kernels do not know, by those they do; other ops are replaced by their meaning.

book lower

logsumexp:      logsumexp[a](x)     => let top = max[a](x) let shift = where(isfinite(top), top, 0)
    in shift + log(sum[a](exp(x - expand_like[a](shift, x))))        exact
# y - logsumexp(x) is not the difference of two large numbers
minus_logsumexp: y - (s + log(sum[a](exp(x - expand[a](s))))) => y - s - log(sum[a](exp(x - expand[a](s)))) real
minus_logsumexp_row: y - expand[a](s + log(sum[a](exp(x - expand[a](s))))) =>
    y - expand[a](s) - expand[a](log(sum[a](exp(x - expand[a](s)))))  real
sech_square:    1 - tanh(x)^2       => sech(x)^2            real
one_hot:        one_hot[a](i)       => one_hot_compare[a](i)

tag derivatives  # ---- no derivative follows: what only says where none goes is what it stands for
stop:           stop_gradient(x)    => x                    exact
stopped_beside: where(c, x, x)      => x                    exact

tag powers      # ---- powers by multiplication; division by a power of two is a product, to the bit
pow_whole:      x^k                 => by_squaring(x, k)    real if literal(k)
# powers of -0 and of -inf are positive
pow_half_root:  x^0.5               => where(x == -inf, inf, sqrt(x + 0))   real
pow_minus_half: x^(-0.5)            => where(x == -inf, 0, rsqrt(x + 0))    real
div_power:      x/k                 => times_inverse(x, k)  exact if literal(k)
floor_power:    x//k                => shifted(x, k)        exact if integer(x) and literal(k)
rest_power:     x % k               => low_bits(x, k)       exact if integer(x) and literal(k)
