# lower.por - operators that kernels do not know, by those they do.  An op of the library without a line here is
# replaced by its meaning.

book lower

logsumexp:      logsumexp[a](x)     =>
    let top = max[a](x)
    let shift = where(isfinite(top), top, 0)
    in shift + log(sum[a](exp(x - expand_like[a](shift, x))))
one_hot:        one_hot[a](i)       => one_hot_compare[a](i)
