# right.por - true rules that a careless checker would refuse.  Each is read alone, with the ops that stand here, and
# must be taken; where a heading says so, to wait for derivatives.  tests/rewrite/test_checker.c

op cube(x: T[..s]) = x^3
op blend(x: T[..s], y: T[..s]) = x*y + sin(x)
op bell(x: T[..s]) = exp(-x^2)
op line(x: T[..s]) = log1p(exp(x))
op step(x: T[..s]) = where(x > 3, x - 3, 0)
op squares(x: f64[n]) -> f64 = sum(x^2)
op energy(x: f64[n], w: f64[n]) -> f64 = dot(x^2, w)
op mass(x: f64[n], w: f64[n]) -> f64 = sum(w*x)/sum(w)
op twice(x: T[..s]) = 2*x
op sine(x: T[..s]) = let near = x < 3 in where(near, sin(where(near, x, 3)), sin(where(near, 3, x)))

# ---- constants that round to what is meant
book r: none
x*0.3333333333333333 => x/3
x*0.1 => x/10
x*0.7071067811865476 => x/sqrt(2)
erfc(0.7071067811865476*x) => 2*ndtr(-x)
erfc(x/1.4142135623730951) => 2*ndtr(-x)
sin(3.141592653589793*x) => sinpi(x)
log(x)*1.4426950408889634 => log2(x)
log(x)/2.302585092994046 => log10(x)
exp(x)*2.718281828459045 => exp(x + 1)
x*57.29577951308232 => x*180/pi  if wide(x)
x*0.2 + x*0.1 => x*0.3  if wide(x)
exp(0.6931471805599453*x) => exp2(x)
x*1e10/1e10 => x
(x/1000000)*1000000 => x
x*0.5 + x*0.25 => x*0.75

# ---- what cancels
(x + 1) - x => 1 + 0*x
log(exp(x) + exp(y)) => logaddexp(x, y)
x*(y + z) - x*y => x*z
sqrt(x + 1) - sqrt(x) => 1/(sqrt(x + 1) + sqrt(x))  if x >= 0
(1 - cos(x))/x^2 => 2*(sin(x/2)/x)^2
(exp(x) - 1)/x => expm1(x)/x
log(x) - log(y) => log(x/y)  if x > 0 and y > 0 and abs(x) < 1000 and abs(y) < 1000 and x > 0.01 and y > 0.01
cosh(x)^2 - sinh(x)^2 => 1 + 0*x
x^2 - y^2 => (x - y)*(x + y)
((x + y)^2 - (x - y)^2)/4 => x*y
sin(x + y) - sin(x)*cos(y) => cos(x)*sin(y)
x - sin(x) => minus_sin(x)
(x + y)*(x - y) + y^2 => x^2
x + 1e21 - 1e21 => x

# ---- guards of several variables, of sums, at their very ends
max(x, y) => x  if x - y >= 0 and x > y
abs(x - y) => x - y  if x > y
sqrt((x + y)^2) => x + y  if x + y >= 0
sqrt(x^2*y) => x*sqrt(y)  if x >= 0 and y >= 0 and moderate(y)
log(x*y) => log(x) + log(y)  if x > 0 and y > 0
acos(cos(x)) => x  if x >= 0 and x <= 3
asin(sin(x)) => x  if x >= -1.5 and x <= 1.5
x % y => x  if x >= 0 and x < y
x//y => floor(x/y)  if y >= 1 and x >= 0 and x <= 1
abs(x*y) => -(x*y)  if x > 0 and y < 0
min(x, y) => y  if y < x
sqrt(x)^2 => x
round(x + 2) => round(x) + 2  if x > -1e6 and x < 1e6
argmax[a](x) => argmin[a](-x)  exact if real(x)
log(x^3) => 3*log(x)  if x > 0
exp(log(x) + y) => x*exp(y)  if x > 0 and abs(x) < 1000 and abs(y) < 5 and x > 0.001 and wide(x)
x/abs(x) => sign(x)
relu(x)*relu(-x) => 0  finite

# ---- rounding
floor(-x) => -ceil(x)
ceil(x) => -floor(-x)
floor(x + 1) => floor(x) + 1  if abs(x) < 1000
trunc(x) => sign(x)*floor(abs(x))
x % 1 => x - floor(x)
floor(floor(x)/2) => floor(x/2)
round(-x) => -round(x)
floor(x/y)*y => x - x % y  if y > 0.5 and y < 100 and abs(x) < 1000
max(x, 1e300) => x  exact if x > 1e300
x + x => 2*x  exact
abs(-x) => abs(x)  exact if real(x)

# ---- exact
x*1 => x  exact
x - 0 => x  exact
-(-x) => x  exact
max(x, y) => max(y, x)  exact
x < y => y > x  exact
x <= y and x >= y => x == y  exact
where(isnan(x), 0, x) => x  exact if number(x)
not (x < y) => x >= y  exact if number(x) and number(y)
x == x => not isnan(x)  exact
x/(-1) => -x  exact
x*0.5 => x/2  exact
x/0.25 => 4*x  exact
where(c, x, x) => x  exact
scatter_set[a](scatter_add[a](x, i, v), i, w) => scatter_set[a](x, i, w)  exact
flip[a](flip[a](x)) => x  exact
-max[a](-x) => min[a](x)  exact if real(x)
isfinite(x) => x - x == 0  exact
(x > y) == (y < x) => x == x or true  exact

# ---- whole numbers and bools
x - y == 0 => x == y  exact if integer(x)
-x => 0 - x  exact if integer(x)
x//(-1) => -x  exact if integer(x)
x*(y + z) => x*y + x*z  exact if integer(x)
x % 2 == 1 => x % 2 != 0  exact if integer(x)
max(x, y) + min(x, y) => x + y  exact if integer(x)
-max(-x, -y) => min(x, y)  exact if integer(x) and x > -100 and y > -100 and x < 0 and y < 0
x//4//2 => x//8  exact if integer(x)
x % 4 % 2 => x % 2  exact if integer(x)
x*x => abs(x)*abs(x)  exact if integer(x)
not (x and y) => not x or not y  exact
x != y => not x == y  exact if boolean(x)
any[a](x or y) => any[a](x) or any[a](y)  exact
all[a](x and y) => all[a](x) and all[a](y)  exact
not all[a](x) => any[a](not x)  exact

# ---- of nothing, of one, of repeated indices
max[a](expand[a](c)) => c  if occupied(a)
sum[a](expand[a](c)*x) => c*sum[a](x)  if wide(c)
sum[a](x/expand[a](c)) => sum[a](x)/c  if wide(c)
max[a](x + expand[a](c)) => max[a](x) + c
prod[a](exp(x)) => exp(sum[a](x))
logsumexp[a](x + expand[a](c)) => logsumexp[a](x) + c
softmax[a](-x + expand[a](c)) => softmax[a](-x)
scatter_add[a](scatter_add[a](x, i, v), i, w) => scatter_add[a](x, i, v + w)  if wide(x)
gather[a](x*y, i) => gather[a](x, i)*gather[a](y, i)
gather[a](flip[a](flip[a](x)), i) => gather[a](x, i)
scatter_add[a](x, i, v) - x => scatter_add[a](0*x, i, v)
sum[a](where(c, x, 0)) + sum[a](where(c, 0, x)) => sum[a](x)
any[a](x) => not all[a](not x)  exact
max[a](where(expand[a](c), x, y)) => where(c, max[a](x), max[a](y))
cumsum[a](x + y) => cumsum[a](x) + cumsum[a](y)  if wide(x)

# ---- axes
(A @ B).T => B.T @ A.T
A.T.T => A
sum[a](flip[a](x)) => sum[a](x)
einsum[a](x + y, z) => einsum[a](x, z) + einsum[a](y, z)  if wide(x)
cumsum[a](flip[b](flip[b](x))) => cumsum[a](x)
softmax[a](x)[i] => softmax[a - 1](x[i])  if a > 0
max[a](max[b](x)) => -min[a](-max[b](x))

# ---- complex numbers
conj(x*y) => conj(x)*conj(y)  if complex(x)
abs(x*y) => abs(x)*abs(y)  if complex(x)
exp(x)*exp(y) => exp(x + y)  if complex(x)
sqrt(x)*sqrt(x) => x  if complex(x)
exp(log(x)) => x  if complex(x)
re(x + y) => re(x) + re(y)  if complex(x)
im(conj(x)) => -im(x)  exact if complex(x)
re(x*conj(x)) => re(x)^2 + im(x)^2  if complex(x)
(x + y)*(x - y) => x*x - y*y  if complex(x)

# ---- functions of one family, hard in binary128
erf(x) + erfc(x) => 1 + 0*x
erfc(-x) => 2 - erfc(x)
ndtr(x) => erfc(-x/sqrt(2))/2
lgamma(x + 1) - lgamma(x) => log(x)  if x > 0
digamma(x + 1) => digamma(x) + 1/x  if x > 0.01
lbeta(x, y) => lgamma(x) + lgamma(y) - lgamma(x + y)  if x > 0.01 and y > 0.01 and x < 100 and y < 100
logit(x) => -logit(1 - x)  if x > 0.01 and x < 0.99
sinh(x) => (exp(x) - exp(-x))/2  if wide(x)
tan(x/2) => sin(x)/(1 + cos(x))  if wide(x)
exp(x)*erfc(sqrt(x)) => erfcx(sqrt(x))  if x >= 0
silu(x) + silu(-x) => x*tanh(x/2)  if wide(x)
x*sigmoid(x) => silu(x)
softplus(x) - softplus(-x) => x
asinh(x) => log(x + hypot(1, x))  if x >= 0 and abs(x) < 1000
atanh(x) => log((1 + x)/(1 - x))/2  if abs(x) < 0.5
log1p(x)*2 => log1p(x)/0.5

# ---- true, with derivatives that are worse | waits for derivatives
x^0.3333333333333333 => cbrt(x)  if x > 0
exp(x) - exp(y) => 2*exp((x + y)/2)*sinh((x - y)/2)  if abs(x) < 100 and abs(y) < 100 and wide(x)
tanh(x) => 1 - 2/(exp(2*x) + 1)  if wide(x)
gamma(x + 1) => x*gamma(x)  if x > 0.01 and x < 5
atan2(y, x) => atan(y/x)  if x > 0
max(x*z, y*z) => z*max(x, y)  if z > 0
trigamma(x + 1) => trigamma(x) - 1/x^2  if x > 0.1
log_ndtr(x) => log(ndtr(x))  if x > -2

# ---- ops of one's own
cube(-x) => -cube(x)
bell(-x) => bell(x)
twice(x) => x + x
blend(x, y) - blend(x, z) => x*(y - z)  if abs(x) < 100 and abs(y) < 100 and abs(z) < 100

# ---- what gains
book r: stable
1 - cos(2*x) => 2*sin(x)^2
log(1 - exp(-x)) => log1mexp(x)
exp(2*x) - 1 => expm1(2*x)
log(x^2)/2 => log(abs(x))

sqrt(1 + x^2) - 1 => let s = sqrt(1 + x^2) in where(s == inf, s, x^2/(s + 1))
sqrt(x + 1) - 1 => x/(sqrt(x + 1) + 1)

# ---- what is simpler
book r: algebra
x*y + x*z => x*(y + z)  if wide(x)
log(exp(x)*exp(y)) => x + y
abs(x)*abs(x) => x^2
sin(x)^2 + sin(y)^2 + cos(x)^2 => 1 + sin(y)^2
exp(x)^2 => exp(2*x)  if wide(x)
(x + y)/2 - x/2 => y/2

# ---- true, but for derivatives
book r: last
floor(x) => x  if whole(x)
where(x > 3, x, min(x, 3)) => x
where(x > 1e200, x, min(x, 1e200)) => x
round(x) => x  exact if whole(x)
min(x, inf) => x  exact
max(max(x, y), x) => max(x, y)  exact
max(x, -x) => abs(x)

# ---- tables
book r: derivative
d(cube(x)) => 3*x^2*dx
d(blend(x, y)) => (y + cos(x))*dx + x*dy
d(bell(x)) => -2*x*bell(x)*dx
d(line(x)) => sigmoid(x)*dx
d(step(x)) => where(x > 3, dx, 0)
d(squares(x)) => 2*sum(x*dx)
d(energy(x, w)) => sum(2*dx*x*w) + sum(dw*x^2)
d(twice(x)) => 2*dx
book r: batching
batch(squares(x)) => sum[1](x^2)
batch(energy(x, w)) => sum[1](x^2*w)
batch(cube(x)) => x^3

# ---- trigonometry and hyperbolic functions of textbooks
book r: none
sin(x)^2 => (1 - cos(2*x))/2  if wide(x)
cos(x + y) + cos(x - y) => 2*cos(x)*cos(y)
sin(3*x) => 3*sin(x) - 4*sin(x)^3  if wide(x)
tan(x/2) => (1 - cos(x))/sin(x)  if wide(x) and x > 0.1 and x < 3
cosh(2*x) => 2*cosh(x)^2 - 1  if wide(x)
sinh(x)*cosh(x) => sinh(2*x)/2  if wide(x)
cos(x)^4 - sin(x)^4 => cos(2*x)
acos(-x) => pi - acos(x)
atan(1/x) => 1.5707963267948966 - atan(x)  if x > 0
atan(x) + atan(1/x) => 1.5707963267948966  finite if x > 0
tanh(2*x) => 2*tanh(x)/(1 + tanh(x)^2)  if wide(x)
sigmoid(x) => (1 + tanh(x/2))/2  if wide(x)
acosh(x) => log(x + sqrt(x^2 - 1))  if x > 1 and x < 1000

# ---- logarithms, powers, roots
log2(x) => log(x)/log(2)  if x > 0
log(x^2*y^2) => 2*log(abs(x*y))
x^y => exp2(y*log2(x))  if x > 0
sqrt(x*y) => sqrt(x)*sqrt(y)  if x > 0 and y > 0
cbrt(x*y) => cbrt(x)*cbrt(y)
cbrt(-x) => -cbrt(x)
x^2*x^3 => x^5
(x^2)^0.5 => abs(x)
exp(2*log(x)) => x^2  if x > 0
softplus(x) => max(x, 0) + log1p(exp(-abs(x)))
logaddexp(x, y) => max(x, y) + log1p(exp(-abs(x - y)))  if abs(x) < 1000 and abs(y) < 1000
log(x) + log(1/x) => 0*x  if x > 0
expm1(x)/(1 + expm1(x)) => -expm1(-x)  if wide(x)

# ---- special functions
lgamma(x + 2) => lgamma(x) + log(x) + log(x + 1)  if x > 0.01
ndtr(x) + ndtr(-x) => 1  finite
erf(x) => 2*ndtr(x*1.4142135623730951) - 1  if wide(x)
lbeta(x, y) => lbeta(y, x)
digamma(x + 2) => digamma(x) + 1/x + 1/(x + 1)  if x > 0.1
xlogy(x, y) => x*log(y)  if x > 0

# ---- extremes, sizes, rounding
abs(x - y) => abs(y - x)
max(x, y) - min(x, y) => abs(x - y)
max(x + z, y + z) => max(x, y) + z  if abs(x) < 1000 and abs(y) < 1000 and abs(z) < 1000
sign(x*y) => sign(x)*sign(y)
relu(x - y) => where(x > y, x - y, 0)
sum[a](x)/sum[a](x) => 1  finite if x > 0
ceil(x) - floor(x) => 0*x  if whole(x)
floor(x + 3) => floor(x) + 3  if abs(x) < 10000
x - x % 1 => floor(x)
where(x > 1000000, x, max(x, 1000000)) => max(x, 1000000)
sign(x)*x => abs(x)
floor(x) + (x - floor(x)) => x

# ---- exact
x*3 => x + x + x  exact
x*6 => x*3*2  exact
isfinite(x) => abs(x) < inf  exact if real(x)
isnan(x) => x != x  exact
fma(x, 1, y) => x + y  exact
not (x == y) => x != y  exact
x > y and y > x => false  exact
where(x > 0, x, nan) > 0 => x > 0  exact
where(c, x, y) => where(not c, y, x)  exact
f32(f64(f32(x))) => f32(x)  exact

# ---- whole numbers
(x - y)*(x + y) => x*x - y*y  exact if integer(x)
x//y*y + x % y => x  exact if integer(x)
sign(x)*abs(x) => x  exact if integer(x)
shift_left(x, 1) => x*2  exact if integer(x)
shift_right(x, 1) => x//2  exact if integer(x)
bit_xor(x, y) => bit_or(x, y) - bit_and(x, y)  exact if integer(x)
x + y => bit_xor(x, y) + 2*bit_and(x, y)  exact if integer(x)
x % 8 => bit_and(x, 7)  exact if integer(x)
bit_and(x, bit_or(x, y)) => x  exact if integer(x)
i64(f64(x)) => x  exact if integer(x) and x >= -1000 and x <= 1000
log(f64(1 + x)) => log1p(f64(x))  if integer(x)
x*x % 2 => x % 2  exact if integer(x)
f64(x) < f64(y) => x < y  exact if integer(x) and abs(x) < 100 and abs(y) < 100 and x > -100 and y > -100

# ---- folds, axes, indices
sum[a](x - y) => sum[a](x) - sum[a](y)  if wide(x)
sum[a](sum[b](x)) => sum[a](sum[b](x + 0))
min[a](exp(x)) => exp(min[a](x))
cumsum[a](-x) => -cumsum[a](x)
logsumexp[a](-x + expand[a](c)) => logsumexp[a](-x) + c

# ---- an op whose meaning changes sides without a tie
sin(x) => sine(x)
sin(2*x) => sine(2*x)
cos(x) => sine(x + 1.5707963267948966)  if x > -1000 and x < 1000

# ---- true, with other derivatives | waits for derivatives
erfcx(x) => exp(x^2)*erfc(x)  if x > 0 and x < 5
max(x, max(y, z)) => max(max(x, y), z)
min(max(x, y), max(x, z)) => max(x, min(y, z))
max(x, -inf) => x  exact
max[a](max(x, y)) => max(max[a](x), max[a](y))

# ---- ops of one's own, tables
book r: derivative
d(cube(x)) => 3*x*x*dx
d(mass(x, w)) => sum(w*dx)/sum(w) + sum(dw*x)/sum(w) - sum(w*x)/sum(w)^2*sum(dw)

# ---- casts
book rc: none
f32(f64(x)) => x  exact
f32(f64(x)) => f32(x)  exact
f64(i32(x)) + 1 => 1 + f64(i32(x))  exact
cast[t](cast[bool](x)) => cast[t](x != 0)  exact
exp(f64(x))*exp(f64(y)) => exp(f64(x + y))  if abs(x) < 100 and abs(y) < 100

# ---- brackets left out
flip(flip(x)) => x  exact
cumsum(-x) => -cumsum(x)
