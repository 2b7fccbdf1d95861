# last.por - rules of algebra whose sides differ in differentials at a tie or at 0: for after the last derivative.

book last

abs_nonneg:     abs(x)                      => x                            real if x >= 0
abs_nonpos:     abs(x)                      => -x                           real if x <= 0
sign_abs:       sign(x)*abs(x)              => x                            real
relu_softplus:  relu(x) + softplus(-abs(x))  => softplus(x)                  real
relu_sub:       relu(x) - relu(-x)          => x                            real
where_max:      where(x > y, x, y)          => max(x, y)                    real if number(x)
where_min:      where(x < y, x, y)          => min(x, y)                    real if number(x)
clip_sign:      where(abs(x) < c, x, c*sign(x)) => max(min(x, c), -c)       real if c >= 0
clip_sign_1:    where(abs(x) < 1, x, sign(x)) => max(min(x, 1), -1)         real
clip_clip:      clip(clip(x, a, b), a, b)   => clip(x, a, b)                exact
where_abs:      where(x < 0, -x, x)         => abs(x)                       real
where_abs_2:    where(x > 0, x, -x)         => abs(x)                       real
xlogy:          where(x == 0, 0, x*log(y))  => xlogy(x, y)                  real if number(y)
xlogy_pos:      where(x > 0, x*log(y), 0)   => xlogy(x, y)                  real if x >= 0 and number(x) and number(y)
xlog1py:        where(x == 0, 0, x*log1p(y)) => xlog1py(x, y)               real
atan_below:     atan(x) - 1.5707963267948966 => -atan2(1, x)                real
atan_share:     0.5 + atan(x)/3.141592653589793 => atan2(1, -x)/3.141592653589793  real
atan_share_2:   0.5 - atan(x)/3.141592653589793 => atan2(1, x)/3.141592653589793  real
where_power:    where(y == 0, y/where(abs(x) > 0, x, 1), z) => where(y == 0, 0, z)  real
where_minus:    where(x == y, 0, x - y)     => x - y                        real if finite(x) or finite(y)
pow_two_sqrt_any: sqrt(x)^2                 => where(x >= 0, x, nan)        real
