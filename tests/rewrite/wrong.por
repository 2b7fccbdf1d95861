# wrong.por - rules that are not true.  Each is read alone, with the ops that stand here, and must be refused.
#
# A heading names the kind of fault and, behind the bar, what is said of it.  A stage of its own, `none`, asks for no
# order, so that what is refused is refused because it is false.  Behind ;; stands a second rule.  tests/rewrite/test_checker.c

op cube(x: T[..s]) = x^3
op blend(x: T[..s], y: T[..s]) = x*y + sin(x)
op bell(x: T[..s]) = exp(-x^2)
op line(x: T[..s]) = log1p(exp(x))
op step(x: T[..s]) = where(x > 3, x - 3, 0)
op squares(x: f64[n]) -> f64 = sum(x^2)
op energy(x: f64[n], w: f64[n]) -> f64 = dot(x^2, w)
op twice(x: T[..s]) = 2*x
op ramp(x: T[..s]) = where(x > 1000, x - 1000, 0)
op mass(x: f64[n], w: f64[n]) -> f64 = sum(w*x)/sum(w)
op halves(x: T[..s]) = x/2 + 1/1000000000000
op sine(x: T[..s]) = where(x < 3, sin(min(x, 3)), sin(max(x, 3)))
op two_cubes(x: T[..s]) = min(x, 3)^3 + max(x, 3)^3 - 27
op pinned(x: T[..s]) = where(x == 5.25, 0, sin(x))
op square_of(x: T[..s]) = where(x == 5.25, 0, x^2)

# ---- constants that are nearly right | left is
book w: none
x*0.333333333 => x/3
x*0.3333333333333 => x/3
x*0.333333333333333 => x/3
x*0.33333333333333337 => x/3
x*0.33333333333333326 => x/3
exp(x)*2.718281828 => exp(x + 1)
exp(x)*2.71828182845904 => exp(x + 1)
log(x)/2.302585093 => log10(x)
log(x)*1.4426950408 => log2(x)
log(x)*1.442695040888963 => log2(x)
erfc(0.70710678*x) => 2*ndtr(-x)
erfc(0.7071067811865479*x) => 2*ndtr(-x)
erfc(x/1.41421356) => 2*ndtr(-x)
sin(3.14159265*x) => sinpi(x)
x*1.0000000001 => x
x*1.000000000000001 => x
x*1.0000000000000002 => x
x + 1e-20 => x
x + 1e-200 => x
x^2.0000000001 => x^2  if x > 0
exp(x*1.00000000000001) => exp(x)
sqrt(x)*1.4142135623 => sqrt(2*x)  if wide(x)
x/1e10 + x/1e30 => x/1e10
x - 1e-24*x => x
x - 1e-22*x => x
sin(x) + 1e-18*x => sin(x)
max(x, 1e-12) => x  if x > 0
x^0.333333333 => cbrt(x)  if x > 0
log(x*1.0000000001) => log(x)
gamma(x + 1) => gamma(x)*(x + 1e-20)
x*0.1 + x*0.2 => x*0.3000001
(x + 3)/3 => x*0.3333333333 + 1
log1p(x) => log1p(x + 1e-16)
cos(x) => sin(x + 1.5707963)
x*60*60*24 => x*86401  if wide(x)

# ---- wrong far out, far in, or at the constants alone | left is
min(x, 17) => x
round(x + 1) => round(x) + 1
round(x - 1) => round(x) - 1
round(x + 3) => round(x) + 3
cast[t](cast[f64](x)) => cast[t](x) exact if integer(x) and x <= 0
min(x, 100000000) => x
max(x, -1e200) => x
where(x < 1e100, x, 1e100) => x
min(max(x, -20), 20) => x
exp(min(x, 700)) => exp(x)
where(abs(x) > 17, 0, x) => x
x + relu(x - 16.5) => x
x + relu(x - 100000000) => x
x + relu(x - 1e200) => x
x + relu(-x - 1e300) => x
x + relu(1e-8 - abs(x)) => x
x + relu(1e-100 - abs(x)) => x
x + relu(1e-300 - abs(x)) => x
where(x == 7, 0, x) => x
where(x == 0.1, 0, x) => x
where(x == 1e10, 0, x) => x
where(x == 1234.5, 0, x) => x
where(x == -77777, 0, x) => x
where(x > 16 and x < 17, 0, x) => x
where(x > 1000 and x < 1000.001, 0, x) => x
where(x*x == 2.25, 0, x) => x
where(x == 2*y, 0, x) => x
tanh(x) => sign(x)  if x > 16
sqrt(1 + x^2) => abs(x)  if x > 1000000000
log1p(exp(x)) => x  if x > 40
softplus(x) => exp(x)  if x < -30
cosh(x) => exp(x)/2  if x > 20 and wide(x)
sinh(x) => exp(x)/2  if x > 25 and wide(x)
sin(x) => x  if abs(x) < 1e-8
exp(x) => 1 + x  if abs(x) < 1e-9
sqrt(1 + x) => 1 + x/2  if abs(x) < 1e-9
log1p(x) => x  if abs(x) < 1e-20
1/(1 + x) => 1 - x  if abs(x) < 1e-10
erfc(x) => 2 + 0*x  if x < -6
x + y => x  if x > 1000 and y < 1e-20 and y > 0

# ---- the right side leaves the range | leaves the range
x*y/z => x*(y/z)
x*y*z => x*(y*z)
hypot(x, y) => sqrt(x^2 + y^2)
log(x) + log(y) => log(x*y)  if x > 0 and y > 0
sqrt(x)*sqrt(y) => sqrt(x*y)  if x >= 0 and y >= 0
x/y/z => x/(y*z)
x/(y/z) => x*z/y
(x/y)^2 => x^2/y^2
(x/y)^2*x => x^3/y^2
cbrt(x)*cbrt(y) => cbrt(x*y)
(x*y)*(z/y) => x*z*y/y
1/(1 - x) - 1/(1 + x) => 2*x/((1 - x)*(1 + x))  if wide(x)
A @ (x*y) => (A*A - A*A) @ y + A @ (x*y)

# ---- the right side leaves even the range of binary128 | left is
tanh(x) => sinh(x)/cosh(x)
logaddexp(x, y) => log(exp(x) + exp(y))
softplus(x) => log(1 + exp(x))
log_cosh(x) => log(cosh(x))
erfcx(x) => exp(x^2)*erfc(x)
lgamma(x) => log(gamma(x))  if x > 0
x/3 => x*1e300/3e300

# ---- f16 alone leaves its range | for the wider dtypes alone
sum[a](expand[b](c)*x) => c*sum[a](x)  if scalar(c)
x/2 + y/2 => (x + y)/2
sin(x)*cos(x) => sin(2*x)/2
abs(x) => abs(x*3000)/3000
sin(x) => sin(x*100/100)
x + y => (x*512 + y*512)/512
a*x + a*y => a*(x + y)

# ---- exact in some dtypes alone | left is
x*1.0000001 => x  exact
x*65536/65536 => x  exact if abs(x) <= 1
x/65536*65536 => x  exact if abs(x) >= 1 and finite(x)
x*2048/2048 => x  exact if abs(x) <= 1000
max(x + 1000, 0) - 1000 => x  exact if whole(x) and abs(x) <= 1000
max(x + 4000, 0) - 4000 => x  exact if whole(x) and abs(x) <= 1000
max(x + 100000000, 0) - 100000000 => x  exact if whole(x) and abs(x) <= 1000
x*3/3 => x  exact if whole(x) and abs(x) <= 1000

# ---- of nothing | left is
max[a](expand[a](c)) => c
min[a](expand[a](c)) => c
max[a](exp(x)) => exp(max[a](x))
max[a](tanh(x)) => tanh(max[a](x))
min[a](sign(x)) => sign(min[a](x))
max[a](relu(x)) => relu(max[a](x))
max[a](sigmoid(x)) => sigmoid(max[a](x))
max[a](max(x, expand[a](c))) => max(max[a](x), c)
min[a](min(x, expand[a](c))) => min(min[a](x), c)
all[a](x) and any[a](x) => all[a](x)  exact
max[a](x) >= min[a](x) => true  exact if number(x)
any[a](x or expand[a](c)) => any[a](x) or c  exact
all[a](x and expand[a](c)) => all[a](x) and c  exact
sum[a](exp(x - expand[a](logsumexp[a](x)))) => 1  finite
max[a](x) => sum[a](where(x == expand[a](max[a](x)), x, 0))/sum[a](where(x == expand[a](max[a](x)), 1, 0))
prod[a](x*0) => 0  finite
max[a](abs(x)) => abs(max(max[a](x), -min[a](x)))

# ---- repeated indices | left is
gather[a](scatter_set[a](x, i, v), i) => v  exact
gather[a](scatter_add[a](x, i, v), i) => gather[a](x, i) + v
scatter_set[a](x, i, gather[a](x, i) + v) => scatter_add[a](x, i, v)
scatter_add[a](z, i, v) => scatter_set[a](z, i, v)  if literal(z) and z == 0
scatter_add[a](scatter_set[a](x, i, v), i, w) => scatter_set[a](x, i, v + w)
scatter_set[a](scatter_set[a](x, i, v), k, w) => scatter_set[a](scatter_set[a](x, k, w), i, v)  exact
gather[a](scatter_set[a](x, i, v), k) => gather[a](x, k)  exact
gather[a](scatter_add[a](x, i, v), k) => gather[a](x, k)
scatter_add[a](x, i, v) => scatter_set[a](x, i, v + gather[a](x, i))  if wide(x)

# ---- ties, zeros and whole numbers | left is
where(x > y, x, y) => where(x >= y, x, y)  exact
sign(x)*sign(x) => 1  finite
x > y or x < y => true  exact if number(x) and number(y)
x >= y => x > y  exact
floor(-x) => -floor(x) - 1
ceil(x) => floor(x) + 1
round(x) => floor(x + 0.5)
round(x) => sign(x)*floor(abs(x) + 0.5)
trunc(x) => floor(x)
floor(x + y) => floor(x) + floor(y)
copysign(x, y) => abs(x)*sign(y)
argmax[a](x) => argmax[a](-x)
x % y => x  if x >= 0 and x <= y
argmax[a](x) == argmin[a](x) => false  exact

# ---- exact, but for NaN, infinities, zeros of both signs, rounding | left is
x + 0 => x  exact
x - x => 0  exact
x*0 => 0  exact
0 - x => -x  exact
x/x => 1  exact
x*2/2 => x  exact
x/2*2 => x  exact
max(x, y) => where(x > y, x, y)  exact
-(x - y) => y - x  exact
x == x => true  exact
not (x < y) => x >= y  exact
sqrt(x*x) => abs(x)  exact
x/y => x*(1/y)  exact
x*y + z => fma(x, y, z)  exact
sqrt(x) => x^0.5  exact
where(x == y, x, y) => y  exact
where(x == 0, 0, x) => x  exact
x < inf => true  exact
exp(log(x)) => x  exact if x > 0
x < y or x > y => x != y  exact
sign(x) => x/abs(x)  exact
where(isnan(x), 0, x) => x  exact
log(exp(x)) => x  exact
sum[a](x + y) => sum[a](x) + sum[a](y)  exact
a*x + a*y => a*(x + y)  exact
x/y*y => x  exact
cosh(x) + sinh(x) => exp(x)  exact
sum[a](flip[a](x)) => sum[a](x)  exact
sum(flip(x)) => sum(x)  exact
prod(flip(x)) => prod(x)  exact

# ---- whole numbers that wrap | left is
x*2//2 => x  exact if integer(x)
abs(x) >= 0 => true  exact if integer(x)
x + 1 > x => true  exact if integer(x)
x - y > 0 => x > y  exact if integer(x)
x < 0 => false  exact if integer(x)
x//2*2 => x  exact if integer(x)
(x + y)//2 => x//2 + y//2  exact if integer(x)
x*x >= 0 => true  exact if integer(x)
abs(x) => x  exact if integer(x)
abs(-x) => abs(x)  exact if integer(x)
max(x, 0) => x  exact if integer(x)
-max(-x, -y) => min(x, y)  exact if integer(x)
x < y => x - y < 0  exact if integer(x)
x % 4 => x  exact if integer(x) and x < 4
-(x//2) => (-x)//2  exact if integer(x)

# ---- bools | left is
x and y => x or y  exact
not (x and y) => not x and not y  exact
x != y => x and not y  exact if boolean(x)
x == y => x and y  exact if boolean(x)
any[a](not x) => not any[a](x)  exact
all[a](x or y) => all[a](x) or all[a](y)  exact
any[a](x and y) => any[a](x) and any[a](y)  exact

# ---- values that agree, and derivatives that do not | waits for derivatives
where(x < 0, -x, x) => abs(x)
max(x, 0) => relu(x)
where(x == 0, 0, x) => x
where(x == 3, 3, x) => x
where(x == 0.1, 0.1, x) => x
where(x == 12345, 12345, x) => x
where(x == y, y, x) => x
where(x == 1e-5, 1e-5, x) => x
stop_gradient(x)*y => x*y
max(x, y) => where(x > y, x, y)
max(x, 5) => where(x > 5, x, 5)
max(x, 0.1) => where(x > 0.1, x, 0.1)
min(x, 10000) => where(x < 10000, x, 10000)
abs(x - 7) => where(x > 7, x - 7, 7 - x)
sigmoid(-x) => 1/(1 + exp(x))

# ---- derivatives that lose what those of the left side have | waits for derivatives
book w: stable
1 - tanh(x)^2 => let c = cosh(x) in 1/c/c
1 - tanh(x)*tanh(x) => let c = cosh(x) in 1/(c*c)

# ---- nothing gained | nowhere more accurate
exp(x) => exp(x/2)^2
sin(x) => 2*sin(x/2)*cos(x/2)
log1p(x) => log(1 + x)
expm1(x) => exp(x) - 1
x - y => -(y - x)
x + y => y + x
(x - y)*(x + y) => x^2 - y^2  if wide(x)
cosh(x)/2 => (exp(x) + exp(-x))/4
abs(x) => sqrt(x^2)

# ---- better here and worse there | less accurate
log(1 + x) => 2*atanh(x/(2 + x))
log1p(exp(x)) => x + log1p(exp(-x))
(x - y)/x => 1 - y/x
(x - y)/y => x/y - 1
(x - 1)/x => 1 - 1/x
(x - y)/(x*y) => 1/y - 1/x
x/(x - y) => 1/(1 - y/x)
(x - y)*z/x => z - y*z/x
log((x - y)/x) => log1p(-y/x)
sin((x - y)/x) => sin(1 - y/x)

# ---- what it makes holds what it finds | there is no end to it
sin(x) - sin(y) => where(abs((x - y)/y) < 0.5, 2*(sin((x - y)/2)*cos((x + y)/2)), sin(x) - sin(y))
exp(x) - exp(y) => where(abs(x - y) < 1, exp(y)*expm1(x - y), exp(x) - exp(y))  if wide(x) and x <= 700 and y <= 700

# ---- nothing simpler | weighs
book w: algebra
x + y => y + x
a*(x + y) => a*x + a*y  if wide(x)
x - y => -(y - x)
sin(2*x) => 2*sin(x)*cos(x)
exp(x + y) => exp(x)*exp(y)
max(x, y) => max(y, x)
where(c, x, y) => where(not c, y, x)  exact
A @ (B @ C) => (A @ B) @ C
sum[a](x + y) => sum[a](x) + sum[a](y)

# ---- guards that promise too little | left is
book w: none
sqrt(x^2) => x  if x > -1
sqrt(x^2) => x
log(x^2) => 2*log(x)  if x != 0
abs(x) => x  if x >= -1e-9
abs(x) => x  if x > -1e-300
sign(x) => 1  finite if x >= 0
acos(cos(x)) => x  if x >= 0
asin(sin(x)) => x  if x >= -2 and x <= 2
atan(tan(x)) => x
acosh(cosh(x)) => x
(x^2)^0.5 => x
log(x^n) => n*log(x)
max(x, y) => x  if x >= y - 1
min(x*y, x*z) => x*min(y, z)
max(x*y, x*z) => x*max(y, z)  if x >= -1
abs(x + y) => abs(x) + abs(y)
x*z < y*z => x < y  if z >= 0
x/z < y/z => x < y  if z != 0
1/x < 1/y => y < x  if x != 0 and y != 0
x^2 < y^2 => x < y  if x >= 0
log(x/y) => log(x) - log(y)
atan2(y, x) => atan(y/x)  if x >= 0
atan2(y, x) => atan(y/x)
x % y => x - y*trunc(x/y)
x//y => 0  finite if x >= 0 and x <= y
lgamma(x + 1) - lgamma(x) => log(x)
sqrt(x*y) => sqrt(x)*sqrt(y)
pow_nought: 0^x => 0  finite if x >= 0
xlogy(x, y) => x*log(y)

# ---- axes, brackets, transposes | left is
flip[a](flip[b](x)) => x  exact
sum[a](flip[b](x)) => sum[a](x)
cumsum[a](flip[a](x)) => flip[a](cumsum[a](x))
max[a](sum[b](x)) => sum[a](max[b](x))
argmax[a](flip[a](x)) => argmax[a](x)
x[i] => flip[0](x)[i]  exact
flip[a](x) => x  exact
cumsum[a](cumsum[b](x)) => cumsum[a](x)
cumsum[a](x) => x

# ---- another type or shape | type of the left
sum[a](x) => x
x < y => x - y
A @ B => A
(A @ B).T => A.T @ B.T
argmax[a](x) => max[a](x)
x[i] => x
expand[a](c) => c
sum[a](x) => cumsum[a](x)
einsum[a](x, y) => einsum[a](y, x)
softmax[a](x)[i] => softmax[a](x[i])  if a > 0

# ---- complex numbers | left is
sqrt(x^2) => x  if complex(x)
log(x*y) => log(x) + log(y)  if complex(x)
log(exp(x)) => x  if complex(x)
sqrt(x*y) => sqrt(x)*sqrt(y)  if complex(x)
abs(x)^2 => re(x)^2 - im(x)^2  if complex(x)
conj(x*y) => x*conj(y)  if complex(x)
re(x*y) => re(x)*re(y)  if complex(x)
im(x + y) => im(x) - im(y)  if complex(x)
re(conj(x)) => -re(x)  exact if complex(x)
abs(x + y) => abs(x) + abs(y)  if complex(x)
log(x^2) => 2*log(x)  if complex(x)
conj(conj(x)) => conj(x)  exact if complex(x)

# ---- an index that the right side does not have | right is none
concat(x, y)[i] => x[i]  exact
concat(x, x)[i] => x[i]  exact
concat(x, y, z)[i] => concat(x, y)[i]  exact
concat(f64(x), y)[i] => f64(x[i])  exact
concat(y, x)[i] => y[i]
gather[a](concat[a](x, y), i) => gather[a](x, i)  exact
scatter_set[a](concat[a](x, y), i, v) => concat[a](scatter_set[a](x, i, v), y)  exact
scatter_add[a](concat[a](x, y), i, v) => concat[a](scatter_add[a](x, i, v), y)
x[i] => x[i + 1]*x[i]/x[i + 1]

# ---- functions of one family | left is
erf(-x) => erf(x)
erfc(-x) => 1 - erfc(x)
ndtr(-x) => -ndtr(x)
log_ndtr(-x) => -log_ndtr(x)
sinc(-x) => -sinc(x)
i0e(-x) => -i0e(x)
logit(1 - x) => logit(x)
softplus(-x) => -softplus(x)
gelu(-x) => -gelu(x)
silu(-x) => -silu(x)
erfinv(-x) => erfinv(x)
atan2(-y, x) => atan2(y, x)
lbeta(x, y) => lgamma(x) + lgamma(y)  if x > 0 and y > 0
logaddexp(x, x) => 2*x
log2(2*x) => log2(x) + 2
digamma(x + 1) => digamma(x) + 1/(x + 1e-20)  if x > 0
trigamma(x + 1) => trigamma(x) - 1/x  if x > 0
polygamma(n, x + 1) => polygamma(n, x)
log1mexp(x) => log1p(exp(-x))
gelu(x) => gelu_tanh(x)
acos(x) => asin(x)

# ---- ops of one's own | left is
cube(-x) => cube(x)
cube(2*x) => 7*cube(x)
bell(-x) => -bell(x)
twice(x) => x + x + 1e-20
halves(x) => x/2
blend(x, y) => blend(y, x)

# ---- a name that another rule has | of that name
mine: abs(x)*abs(x) => x^2 ;; mine: x*0.5 => x/2
mine: x*0.5 => x/2 ;; mine: x*0.5 => x/2

# ---- differentials | the differential is
book w: derivative
d(cube(x)) => 3*x*dx
d(cube(x)) => 2*x^2*dx
d(cube(x)) => 3*x^2*dx + 1e-9*dx
d(cube(x)) => 3.0000000001*x^2*dx
d(cube(x)) => where(x == 2, 0, 3*x^2)*dx
d(cube(x)) => where(x > 1000, 2, 3)*x^2*dx
d(blend(x, y)) => y*dx + x*dy
d(blend(x, y)) => y*dx + cos(x)*dx
d(blend(x, y)) => y*dx + cos(x)*dx - x*dy
d(blend(x, y)) => (y + cos(x))*dx + y*dy
d(bell(x)) => -x*bell(x)*dx
d(bell(x)) => 2*x*bell(x)*dx
d(line(x)) => sigmoid(-x)*dx
d(line(x)) => where(x > 20, 1, sigmoid(x))*dx
d(step(x)) => where(x > 2, dx, 0)
d(step(x)) => where(x > 3.0001, dx, 0)
d(squares(x)) => 2*sum(x)*sum(dx)
d(squares(x)) => sum(x*dx)
d(energy(x, w)) => sum(2*dx*x*w)
d(energy(x, w)) => sum(2*dx*x*w) + 2*sum(dw*x^2)

# ---- batching | a lane
book w: batching
batch(squares(x)) => sum[1](x)
batch(energy(x, w)) => sum[1](x*w)
batch(energy(x, w)) => sum[1](x^2)
batch(energy(x, w)) => sum[1](x^2*w) + 1e-12
batch(energy(x, w)) => expand_like[0](sum(x^2*w), sum[1](x))
batch(cube(x)) => x^2

# ---- f16 alone leaves its range | for the wider dtypes alone
book w: none
x/4 + y/4 => (x + y)/4
x*y + x*z => x*(y + z)
sqrt(x) => sqrt(x*4096)/64  if x >= 0
x - y => (x*100 - y*100)/100
cos(x)/3 + cos(y)/3 => 200*(cos(x) + cos(y))*200/120000
hypot(x, y) => hypot(100*x, 100*y)/100
softplus(x) => softplus(x)*3000/3000

# ---- of nothing, or of one | left is
sum[a](expand[a](c)) => c
max[a](x) >= 0 => true  exact if x >= 0 and number(x)
max[a](x) > -1 => true  exact if x >= 0 and number(x)
sum[a](x) > 0 => true  exact if x > 0 and number(x)
prod[a](x) < 1 => true  exact if x > 0 and x < 1 and number(x)
any[a](x or not x) => true  exact
all[a](x and not x) => false  exact
softmax[a](x) < 1 => true  exact if finite(x)
sum[a](x*y) => sum[a](x)*sum[a](y)
max[a](x^2) => max[a](abs(x))^2
max[a](sqrt(x)) => sqrt(max[a](x))  if x >= 0
min[a](x) <= max[a](x) => true  exact if number(x)
max[a](erf(x)) => erf(max[a](x))
min[a](1/x) => 1/max[a](x)  if x > 0
max[a](log(x)) => log(max[a](x))  if x > 0
max[a](where(x > 0, x, 0)) => relu(max[a](x))

# ---- repeated indices | left is
gather[a](scatter_add[a](x, i, v), i) - gather[a](x, i) => v
scatter_set[a](x, i, v) => scatter_add[a](x, i, v - gather[a](x, i))
gather[a](scatter_set[a](x, i, gather[a](x, k)), k) => gather[a](x, k)  exact
scatter_add[a](scatter_set[a](x, i, v), k, w) => scatter_set[a](scatter_add[a](x, k, w), i, v)
scatter_set[a](scatter_set[a](x, i, v), i, w) => scatter_set[a](x, i, v)  exact
scatter_add[a](0*x, i, v) => scatter_set[a](0*x, i, v)
scatter_add[a](x, i, v)*2 => scatter_set[a](2*x, i, 2*v + 2*gather[a](x, i))
gather[a](scatter_set[a](x, i, v), i) - v => 0*v

# ---- at a number, or at its neighbours | left is
where(x == 2, 3, x) => x
where(x == -0.3, 0, x) => x
where(x > 0.1 and x < 0.1000001, 0, x) => x
where(x + 1 == 3, 0, x) => x
where(x/3 == 7, 0, x) => x
where(abs(x - 100) < 0.001, 0, x) => x
where(sqrt(x) == 3, 0, x) => x
where(2^x == 32, 0, x) => x
where(x == y + 1, 0, x) => x
where(x*y == 1, 0, x) => x
where(x + y == 0, 1, x) => x
where(x >= 255 and x <= 256, 1, x) => x
where(floor(x) == 12, 12, x) => x
where(x == 3*y, 0, x) => x
where(x^2 == y, 0, x) => x
where(x == 1e-300, 1, x) => x
sin(x) => pinned(x)
sin(x/2) => pinned(x/2)
pinned(x) => sin(x)

# ---- far out, far in | left is
x + relu(abs(x) - 1e250) => x
min(x, 1e305) => x
max(x, -1e308) => x
where(abs(x) > 1e300, 0, x) => x
where(x < 1e-250 and x > 0, 0, x) => x
sqrt(x^2 + 1e-300) => abs(x)
hypot(x, 1e-200) => abs(x)
log(x + 1e-280) => log(x)  if x > 0
x + relu(x - 3e38) => x
where(abs(x) < 1e-38, 0, x) => x
atan(x) => 1.5707963267948966  finite if x > 10000000000
erf(x) => 1  finite if x > 5
tanh(x) => 1  finite if x > 10
sigmoid(x) => exp(x)  if x < -20
sin(x)/x => 1 - x^2/6  if abs(x) < 0.001
cos(x) => 1  finite if abs(x) < 1e-7
lgamma(x) => x*log(x) - x  if x > 1000000
log1p(x) => x - x^2/2  if abs(x) < 0.000001
exp(-x) => 0  finite if x > 700
expm1(x) => -1  finite if x < -40
gamma(x) => 1/x  if x > 0 and x < 1e-10
softplus(x) => x  if x > 33
logaddexp(x, y) => x  if x > y + 40
ndtr(x) => 0  finite if x < -38
erfc(x) => exp(-x^2)/(x*1.772453850905516)  if x > 100

# ---- NaN, infinities, zeros of both signs, subnormal numbers | left is
x*(-1) => 0 - x  exact
abs(x) => where(x < 0, -x, x)  exact
sqrt(x) => where(x < 0, nan, sqrt(abs(x)))  exact
1/x => sign(x)/abs(x)  exact
x - y => -(y - x)  exact
isfinite(x) => x < inf  exact
isfinite(x) => not isnan(x)  exact
x == x => not (x < x)  exact
x <= y => not (x > y)  exact
x >= y or x < y => true  exact
x*y == 0 => x == 0 or y == 0  exact
sign(x) => where(x > 0, 1, where(x < 0, -1, 0*abs(x)))  exact
x*7 => x*8 - x  exact
x/6 => x/3/2  exact
x/4/2 => x/8  exact
sqrt(x*x) => x  exact if x > 0
(x + y)/2 => x/2 + y/2  exact
fma(x, y, 0) => x*y  exact
max(x, y) >= x => true  exact
x != y => x < y or x > y  exact
where(x > 0, x, 0) => max(x, 0)  exact
1/(1/x) => x  exact
exp(x) > 0 => true  exact
x/y/y => x/(y*y)  exact
x - x == 0 => true  exact

# ---- the derivative alone | waits for derivatives
min(x, y) => where(x < y, x, y)
relu(x) - relu(-x) => x
stop_gradient(x) => x
max(x, 1000000) => where(x >= 1000000, x, 1000000)
max(x, 0.3) => where(x >= 0.3, x, 0.3)
where(x < -2.5, -2.5, x) => max(x, -2.5)
max(x, y) => relu(x - y) + y
x*x + stop_gradient(x) - x => x*x
where(x == 64, 64, x) => x
where(x*x == 9, x, sin(x)) => where(x == 3, 3, where(x == -3, -3, sin(x)))
sin(x) => sine(x)
sin(2*x) => sine(2*x)
cube(x) => two_cubes(x)

# ---- whole numbers that wrap, of 8 bits or of 64 | left is
x + y >= x => true  exact if integer(x)
x - 1 < x => true  exact if integer(x)
(x + x)//2 => x  exact if integer(x)
x*3//3 => x  exact if integer(x)
max(x + 1, y + 1) => max(x, y) + 1  exact if integer(x)
min(x, y) - 1 => min(x - 1, y - 1)  exact if integer(x)
x < y => x + 1 <= y  exact if integer(x)
abs(x)*abs(y) >= 0 => true  exact if integer(x)
-x//y => -(x//y)  exact if integer(x)
x % 256 => x  exact if integer(x)
bit_and(x, 255) => x  exact if integer(x)
bit_or(x, y) => x + y  exact if integer(x)
max(x, -x) => abs(x)  exact if integer(x)
x*y > 0 => (x > 0) == (y > 0)  exact if integer(x)
f64(x) == f64(y) => x == y  exact if integer(x)
i64(f64(x)) => x  exact if integer(x)
i64(u8(x)) => x  exact if integer(x)
f64(x + y) => f64(x) + f64(y)  if integer(x)
log(f64(2 + x)) => log(f64(x) + 2)  if integer(x)
sqrt(f64(x*x)) => abs(f64(x))  if integer(x)
x//3 + y//3 => (x + y)//3  exact if integer(x)
shift_right(shift_left(x, 1), 1) => x  exact if integer(x)
x % y < y => true  exact if integer(x)
f64(f32(x)) => x  exact
x*x*x >= 0 => true  exact if integer(x) and x >= 0
sum[a](x) >= 0 => true  exact if integer(x) and x >= 0

# ---- what the guard lets through: ties, neighbours, numbers that wrap or round alike | left is
x*2 == y*2 => x == y  exact if integer(x) and x >= 0
x*2 == y*2 => x == y  exact if integer(x) and x >= 0 and y >= 0
cast[f32](x) == cast[f32](y) => x == y  exact
cast[f32](x) == cast[f32](y) => x == y  exact if real(x)
cast[f64](x) == cast[f64](y) => x == y  exact if integer(x) and x != 0
x//y => floor(x/y)  exact if y >= 0
floor(x/y) => x//y  exact if y >= 0
floor(x/y) => x//y  exact if x >= 0 and y > 0
tanh(x) == tanh(y) => x == y  exact if y >= 0 and y <= 1
log(x) == log(y) => x == y  exact if x > 0 and y > 0
sqrt(x) == sqrt(y) => x == y  exact if x >= 1
cbrt(x) == cbrt(y) => x == y  exact if x != 0
shift_left(x, 1) == shift_left(y, 1) => x == y  exact if x <= 0
floor(floor(x)/2) => floor(x/2)  exact
floor(floor(x)/2) => floor(x/2)  exact if x <= 0
x^y/x => x^(y - 1)  if x != 0
concat(x, y)[i] => x[i]  if i <= 0
x + 1 == y + 1 => x == y  exact if x > 0 and y > 0
x*x == y*y => x == y  exact if x >= 0 and y >= 0
1/x == 1/y => x == y  exact if x >= 1 and y >= 1
exp(x) == exp(y) => x == y  exact if x <= 0 and y <= 0
x*y == 0 => x == 0 or y == 0  exact if x >= 0 and y >= 0
x*3 == y*3 => x == y  exact if real(x) and x > 0
bit_and(x, 127) == bit_and(y, 127) => x == y  exact if integer(x) and x >= 0 and y >= 0
x - y == 0 => x == y  exact if x >= 0 and y >= 0
cast[u8](x) == cast[u8](y) => x == y  exact if integer(x) and x > 0

# ---- signs of products that are too small | range of
sign(x)*sign(y) => sign(x*y)  if x <= 0

# ---- formulas with a slip | left is
sin(3*x) => 3*sin(x) - 4*sin(x)^2
cos(x + y) => cos(x)*cos(y) + sin(x)*sin(y)
tanh(x + y) => (tanh(x) + tanh(y))/(1 - tanh(x)*tanh(y))
log(x*y) => log(x) - log(y)  if x > 0 and y > 0
lgamma(x + 2) => lgamma(x) + log(x) + log(x + 2)  if x > 0
digamma(1 - x) - digamma(x) => pi/sin(pi*x)  if x > 0.01 and x < 0.99
trigamma(x + 1) => trigamma(x) + 1/x^2  if x > 0.1
erf(x/2) => erf(x)/2
acos(-x) => -acos(x)
atan(1/x) => 1.5707963267948966 - atan(x)
logsumexp[a](2*x) => 2*logsumexp[a](x)
softmax[a](2*x) => softmax[a](x)^2
sum[a](abs(x)) => abs(sum[a](x))
max[a](x + y) => max[a](x) + max[a](y)
x^y*x^z => x^(y*z)  if x > 0
exp(x*y) => exp(x)*exp(y)

# ---- differentials, batches | is
book w: derivative
d(cube(x)) => 3*x*x*dx + 1e-9*dx
d(cube(x)) => 3*abs(x)*x*dx
d(blend(x, y)) => (y + cos(x))*dx + abs(x)*dy
d(ramp(x)) => where(x > 999, dx, 0)
d(ramp(x)) => where(x > 1e300, 0, where(x > 1000, dx, 0))
d(mass(x, w)) => sum(w*dx)/sum(w)
d(mass(x, w)) => sum(w*dx)/sum(w) + sum(dw*x)/sum(w)
d(cube(x)) => 3*square_of(x)*dx

# ---- one name for two things in brackets | write two names
book wb: none
flip[a](transpose[a](x)) => x
pad[a](gather[a](x, i)) => x
pad[a](sum[a](x)) => x
expand[a](transpose[a](x)) => x
one_hot[t](i64(cast[t](x))) => x

# ---- brackets that are not there, or there in vain | brackets
cast(x) => x
transpose(x) => x
exp[a](x) => exp(x)

# ---- the left side never has a type | never has a type
clip(c, 0, 0.5) + shift_left(x, A) => x
bit_and(x/2, x) => x
softmax[a](0)*x => x

# ---- casts and bits | left is
f64(f32(x)) => x  exact
f32(f64(x)) => f32(f16(x))  exact
cast[t](cast[u](x)) => cast[t](x)  exact
i32(x) + i32(y) => i32(x + y)  exact if integer(x) and integer(y)
bitcast[t](-x) => -bitcast[t](x)  exact

# ---- bits are no real numbers | a rule with bitcast is exact
bitcast[t](x) => x
exp(bitcast[t](x)) => exp(x)

# ---- transposes twice are not what they were | type of the left
transpose[a](transpose[a](x)) => x
transpose[a](exp(transpose[a](x))) => exp(x)

# ---- indices and widths beyond the first few | left is
x[min(i, 2)] => x[i]
x[min(i, 6)] => x[i]
x[max(i, 1)] => x[i]
(popcount(bit_not(x)) + popcount(x)) % 56 => 8  exact if integer(x)

# ---- brought back by rules of the books | brought back by tanh_sigmoid
book wl: algebra
tanh(x/2) => 2*sigmoid(x) - 1

# ---- written otherwise in the graph | becoming `2*x`
book wa: algebra
x + x + x => 3*x

# ---- nothing is summed | occupied(a)
book wb: none
sum[a](softmax[a](x)) => 1  finite

# ---- apart before rounding alone | apart, before rounding
tanh(x) => sign(x)  if x > 20

# ---- helpers | helper of the books
x + y => slice_twice(x)
