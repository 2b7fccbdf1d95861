# transposition.por - the transposes of linear operators.  g is the cotangent of the result; what is right of the arrow
# is the cotangent of the operand, or of each; 0 says there is none.  .T and transposition never conjugate.

book transposition

vjp(x + y, g)                     => (g, g)
vjp(x - y, g)                     => (g, -g)
vjp(-x, g)                        => -g
vjp(x*y, g)                       => (g*y, x*g)
vjp(x/y, g)                       => (g/y, 0)
vjp(where(c, x, y), g)            => (0, where(c, g, 0), where(c, 0, g))
vjp(cast[t](x), g)                => cast_like(g, x)
vjp(complex(x, y), g)             => (re(g), -im(g))
vjp(re(x), g)                     => cast_like(g, x)
vjp(im(x), g)                     => complex(constant_like(0, g), -g)
vjp(conj(x), g)                   => conj(g)
vjp(fma(x, y, z), g)              => (g*y, x*g, g)

vjp(sum[a](x), g)                 => expand_like[a](g, x)
vjp(cumsum[a](x), g)              => flip[a](cumsum[a](flip[a](g)))

vjp(reshape[a](x), g)             => reshape_like(g, x)
vjp(transpose[a](x), g)           => unpermute[a](g)
vjp(expand[a](x), g)              => sum[a](g)
vjp(slice[a](x), g)               => unslice[a](g, x)
vjp(flip[a](x), g)                => flip[a](g)
vjp(pad[a](x), g)                 => unpad[a](g, x)
vjp(concat[a](..x), g)            => concat_part[a](g, ..x)

vjp(gather[a](x, i), g)           => (scatter_add[a](constant_like(0, x), i, g), 0)
vjp(scatter_add[a](x, i, v), g)   => (g, 0, gather[a](g, i))
vjp(scatter_set[a](x, i, v), g) => (scatter_set[a](g, i, constant_like(0, v)), 0, written_last[a](gather[a](g, i), i, x))

vjp(einsum[a](x, y), g)           => (einsum_left[a](g, y, x), einsum_right[a](g, x, y))
vjp(tri_solve[a](A, b), g)        => (0, solve_turned[a](g, A))
