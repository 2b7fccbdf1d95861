# lower.por - operators that kernels do not know, by those they do.  An op of the library without a line
# here is replaced by its meaning.

book lower

logsumexp:      logsumexp[a](x)     =>
    let top = max[a](x)
    let shift = where(isfinite(top), top, 0)
    in shift + log(sum[a](exp(x - expand_like[a](shift, x))))        exact
one_hot:        one_hot[a](i)       => one_hot_compare[a](i)

# ---- powers by multiplication; division by a power of two is a product, to the bit
pow_whole:      x^k                 => by_squaring(x, k)    real if literal(k)
pow_half:       x^0.5               => sqrt(x)              real if x >= 0
pow_minus_half: x^(-0.5)            => rsqrt(x)             real
div_power:      x/k                 => times_inverse(x, k)  exact if literal(k)
floor_power:    x//k                => shifted(x, k)        exact if integer(x) and literal(k)
rest_power:     x % k               => low_bits(x, k)       exact if integer(x) and literal(k)
