# lower.por - operators that kernels do not know, by those they do.  An op of the library without a line
# here is replaced by its meaning.

book lower

logsumexp:      logsumexp[a](x)     =>
    let top = max[a](x)
    let shift = where(isfinite(top), top, 0)
    in shift + log(sum[a](exp(x - expand_like[a](shift, x))))        exact
one_hot:        one_hot[a](i)       => one_hot_compare[a](i)

# ---- powers by multiplication; division by a power of two is a product, to the bit
pow_2:          x^2                 => x*x                  real
pow_3:          x^3                 => x*x*x                real
pow_4:          x^4                 => let y = x*x in y*y   real
pow_minus_1:    x^(-1)              => 1/x                  real
pow_minus_2:    x^(-2)              => 1/(x*x)              real
pow_half:       x^0.5               => sqrt(x)              real if x >= 0
pow_minus_half: x^(-0.5)            => 1/sqrt(x)            real
div_2:          x/2                 => x*0.5                exact
div_4:          x/4                 => x*0.25               exact
div_8:          x/8                 => x*0.125              exact
