# index.por - folds, views and indices: fewer of them, and each on less.

book index: algebra

tag folds       # ---- folds of scaled things (of folds, views and parts: src/rewrite/folds.c)
norm:           sqrt(sum[a](x^2))           => euclidean[a](x)              real
prod_exp:       prod[a](exp(x))             => exp(sum[a](x))               real
log_prod:       log(prod[a](x))             => sum[a](log(x))               real if x >= 0
log_square:     log(x^2)                    => 2*log(abs(x))                real
log_abs_prod:   log(abs(prod[a](x)))        => sum[a](log(abs(x)))          real
logsumexp_shifted: max[a](x) + logsumexp[a](x - expand[a](max[a](x))) => logsumexp[a](x)  real
log_softmax_shifted: x - expand[a](max[a](x)) - expand[a](logsumexp[a](x - expand[a](max[a](x)))) => log_softmax[a](x)  real if count(a) == 1
logsumexp_shift: logsumexp[a](x + expand[a](c)) => logsumexp[a](x) + c      real if finite(c)

tag views       # ---- views of views
reshape_reshape: reshape[a](reshape[b](x))  => reshape_once(x)              exact
reshape_same:   reshape[a](x)               => same_type(x)                 exact
transpose_transpose: transpose[a](transpose[b](x)) => transpose_twice[a, b](x) exact
transpose_same: transpose[a](x)             => same_order[a](x)             exact
expand_expand:  expand[a](expand[b](x))     => expand_twice[a, b](x)        exact
flip_flip:      flip[a](flip[b](x))         => flip_twice[a, b](x)          exact
flip_none:      flip[a](x)                  => x                            exact if count(a) == 0
slice_slice:    slice[a](slice[b](x))       => slice_twice[a, b](x)         exact
slice_whole:    slice[a](x)                 => whole_slice[a](x)            exact
pad_none:       pad[a](x)                   => no_pad[a](x)                 exact

tag writes      # ---- writes (indices and slices, of writes too: src/rewrite/indices.c, cuts.c, writes.c)
add_to_zero:    scatter_add[a](z, i, v)     => scatter_set[a](z, i, v)  real if scalar(i) and literal(z) and z == 0
add_set:        scatter_add[a](scatter_set[a](x, i, v), i, w) => scatter_set[a](x, i, v + w) exact if scalar(i)
add_add[range]: scatter_add[a](scatter_add[a](x, i, v), i, w) => scatter_add[a](x, i, v + w)  real if wide(x)
set_more:       scatter_set[a](x, i, gather[a](x, i) + v) => scatter_add[a](x, i, v) real if scalar(i)
set_set:        scatter_set[a](scatter_set[a](x, i, v), i, w) => scatter_set[a](x, i, w) exact
