/* gamma.h - the gamma function and its derivatives.
 *
 * All rest on Stirling's series at z >= 12 (digamma: 10), reached by the recurrence Gamma(x + 1) = x*Gamma(x) in a
 * fixed number of steps, those that are not needed multiplying by 1.  Logarithm, product and sum are carried in two
 * doubles, for the difference of the two is small near 1 and 2.  Negative arguments by reflection.
 * lgamma near its zeros 1 and 2 is a polynomial (Chebyshev interpolation in 60 digits); at its zeros below 0 only the
 * absolute error is small.  polygamma is n! times Hurwitz's zeta function of n + 1, summed by Euler and Maclaurin.
 * Largest errors measured, in ulp (dense samples against binary128):
 *   gamma 4.5, lgamma 3 (below 0: of max(|result|, 4)), digamma 3.5 (near its zero 1.46: of 2^-8; below 0: of 8),
 *   polygamma 6 for n < 8; f32 through f64 0.5.
 */

/* what Stirling's series adds to (z - 1/2)*log z - z + log(2 pi)/2, for z >= 12 */
M double stirling_rest_f64(double z)
{
	double r = 1 / z, s = r * r, c = -3617.0 / 122400;
	c = __builtin_fma(c, s, 1.0 / 156);
	c = __builtin_fma(c, s, -691.0 / 360360);
	c = __builtin_fma(c, s, 1.0 / 1188);
	c = __builtin_fma(c, s, -1.0 / 1680);
	c = __builtin_fma(c, s, 1.0 / 1260);
	c = __builtin_fma(c, s, -1.0 / 360);
	return __builtin_fma(c, s, 1.0 / 12) * r;
}

/* log Gamma(x + n) as an unrounded sum (gives the upper part, stores the lower) and p + pl = x(x + 1)...(x + n - 1),
 * for x > 0, with n <= 12 such that x + n >= 12 */
M double stirling_two_f64(double x, double *lo, double *p, double *pl)
{
	double n = x < 12 ? __builtin_ceil(12 - x) : 0, g = 1, gl = 0;
	for (int j = 0; j < 12; j++) {
		double q = x + j, b = q - x, ql = (x - (q - b)) + (j - b);
		double h = g * q, l = __builtin_fma(g, q, -h) + (g * ql + gl * q), s = h + l;
		gl = j < n ? l - (s - h) : gl;
		g = j < n ? s : g;
	}
	*p = g, *pl = gl;
	double z = x + n, b = z - x, zl = (x - (z - b)) + (n - b);
	double l, h = log_two_f64(z, &l), a = z - 0.5;
	double u = a * h, ul = __builtin_fma(a, h, -u) + (a * l + (zl * h + zl * (a / z)));
	double v = u - z, vl = ((u - v) - z) + (ul - zl);
	double w = v + 0x1.d67f1c864beb5p-1, wl = (v > 1 ? (v - w) + 0x1.d67f1c864beb5p-1 : (0x1.d67f1c864beb5p-1 - w) + v);
	double t = stirling_rest_f64(z) + (wl + vl - 0x1.65b5a1b7ff5dfp-55);
	double y = w <= 0x1.fffffffffffffp1023 ? w + t : w;
	*lo = y <= 0x1.fffffffffffffp1023 ? t - (y - w) : 0;
	return y;
}

/* integral of t^(x-1) e^-t; exact at whole x <= 23.  Below 0, -pi/(x*sin(pi*x)*Gamma(-x)). */
M double gamma_f64(double x)
{
	double a = __builtin_fabs(x);
	a = a > 200 ? 200 : a;
	double l, p, pl, h = stirling_two_f64(a, &l, &p, &pl);
	double up = exp_two_f64(h, l, 0) / p * (1 - pl / p);
	double down = p / x * exp_two_f64(-h, -l, a > 100 ? 64 : 0) * (1 + pl / p);
	down = -0x1.921fb54442d18p1 * down / sinpi_f64(x) * (a > 100 ? 0x1p-64 : 1);
	down = x == __builtin_trunc(x) ? __builtin_nan("") : down;
	double f = 1;
	for (int j = 2; j < 23; j++)
		f *= j < x ? j : 1;
	double y = x > 0 ? (x <= 23 && x == __builtin_trunc(x) ? f : up) : down;
	return x == 0 ? 1 / x : y;
}

/* log|Gamma(x)| */
M double lgamma_f64(double x)
{
	double a = __builtin_fabs(x), l, p, pl, h = stirling_two_f64(a, &l, &p, &pl);
	double ql, q = log_two_f64(p, &ql);
	double s = h - q, b = s - h, far = s + (((h - (s - b)) - (q + b)) + (l - ql - pl / p));
	far = a > 0x1p900 ? h : far;
	double t = a < 1.5 ? a - 1 : a - 2;
	double c = 0x1.2703c630b7c91p-22;
	c = __builtin_fma(c, t, -0x1.37fd9803f5075p-21);
	c = __builtin_fma(c, t, 0x1.f038cb8faf0cep-21);
	c = __builtin_fma(c, t, -0x1.08fccc745e548p-19);
	c = __builtin_fma(c, t, 0x1.2620de177fee5p-18);
	c = __builtin_fma(c, t, -0x1.3d4ce65b94c59p-17);
	c = __builtin_fma(c, t, 0x1.5808af1a3fd01p-16);
	c = __builtin_fma(c, t, -0x1.78d8f868eda9ap-15);
	c = __builtin_fma(c, t, 0x1.a127cd91aa6e2p-14);
	c = __builtin_fma(c, t, -0x1.d3fd6a9087faap-13);
	c = __builtin_fma(c, t, 0x1.0b36af5972f1ep-11);
	c = __builtin_fma(c, t, -0x1.38ac5bfce42bcp-10);
	c = __builtin_fma(c, t, 0x1.7add6eadfcc7ap-9);
	c = __builtin_fma(c, t, -0x1.e404fc21d8fe7p-8);
	c = __builtin_fma(c, t, 0x1.51322ac7d8333p-6);
	c = __builtin_fma(c, t, -0x1.13e001a557555p-4);
	c = __builtin_fma(c, t, 0x1.4a34cc4a60fa6p-2);
	c = __builtin_fma(c, t, 0x1.b0ee6072093cep-2);
	double near = __builtin_fma(t, c, a < 1.5 ? -log1p_f64(t) : 0);
	double y = __builtin_fabs(t) <= 0.2 ? near : far;
	double sine = __builtin_fabs(sinpi_f64(x));
	double down = 0x1.250d048e7a1bdp0 - log_f64(a) - log_f64(sine) - y;
	down = a < 0x1p-500 ? y : down;
	y = x < 0 ? (x == __builtin_trunc(x) ? __builtin_inf() : down) : y;
	return x == 0 ? __builtin_inf() : x - x == 0 ? y : x * x;
}

/* derivative of lgamma: psi(x) = log z - 1/(2z) - ... - sum of 1/(x + j); below 0, psi(-x) - 1/x - pi*cot(pi*x) */
M double digamma_f64(double x)
{
	double a = __builtin_fabs(x), n = a < 10 ? __builtin_ceil(10 - a) : 0, g = 0, gl = 0;
	for (int j = 0; j < 10; j++) {
		double q = a + j, b = q - a, ql = (a - (q - b)) + (j - b);
		double r = 1 / q, rl = r * (__builtin_fma(-r, q, 1) - r * ql);
		double s = g + r, c = s - g;
		gl += j < n ? ((g - (s - c)) + (r - c)) + rl : 0;
		g = j < n ? s : g;
	}
	double z = a + n, b = z - a, zl = (a - (z - b)) + (n - b);
	double l, h = log_two_f64(z, &l), r = 1 / z, s = r * r, c = -3617.0 / 8160;
	c = __builtin_fma(c, s, 1.0 / 12);
	c = __builtin_fma(c, s, -691.0 / 32760);
	c = __builtin_fma(c, s, 1.0 / 132);
	c = __builtin_fma(c, s, -1.0 / 240);
	c = __builtin_fma(c, s, 1.0 / 252);
	c = __builtin_fma(c, s, -1.0 / 120);
	c = __builtin_fma(c, s, 1.0 / 12);
	double half = 0.5 * r, halfl = 0.5 * r * __builtin_fma(-r, z, 1);
	double u = h - half, ul = (h - u) - half;
	double v = u - g, e = v - u;
	double vl = (u - (v - e)) - (g + e);
	double y = v + (vl + (ul + l + zl * (r + s * (0.5 + r * 0x1.5555555555555p-3)) - halfl - gl - s * c));
	double down = y + 1 / a - 0x1.921fb54442d18p1 * (cospi_f64(x) / sinpi_f64(x));
	y = x < 0 ? (x == __builtin_trunc(x) ? __builtin_nan("") : down) : y;
	return a < 0x1p-1000 ? -1 / x : x == __builtin_inf() ? x : y;
}

/* Gamma(s) * (x^-s + (x + 1)^-s + ...) for x > 0 and a whole s >= 2: twelve terms, then the integral, half a term and
 * Bernoulli's corrections, all divided by the first term */
M double zeta_gamma_f64(double s, double x)
{
	double l, p, pl, h = stirling_two_f64(s, &l, &p, &pl);
	double ql, q = log_two_f64(x, &ql), u = s * q, ul = __builtin_fma(s, q, -u) + s * ql;
	double v = h - u, b = v - h, vl = ((h - (v - b)) - (u + b)) + (l - ul);
	double first = exp_two_f64(v, __builtin_fabs(v) < 1300 ? vl : 0, 0) / p * (1 - pl / p);
	double sum = 0;
	for (int k = 11; k > 0; k--)
		sum += pow_f64(x / (x + k), s);
	double z = x + 12, r = 1 / (z * z), t = s * (1 / z), c = t * (1.0 / 12);
	t *= (s + 1) * (s + 2) * r, c -= t * (1.0 / 720);
	t *= (s + 3) * (s + 4) * r, c += t * (1.0 / 30240);
	t *= (s + 5) * (s + 6) * r, c -= t * (1.0 / 1209600);
	t *= (s + 7) * (s + 8) * r, c += t * (1.0 / 47900160);
	t *= (s + 9) * (s + 10) * r, c -= t * (691.0 / 1307674368000);
	t *= (s + 11) * (s + 12) * r, c += t * (1.0 / 74724249600);
	double rest = pow_f64(x / z, s) * (z / (s - 1) + 0.5 + c);
	return first * (1 + (sum + rest));
}

/* Derivative number n of digamma, n whole and >= 0, else NaN: (-1)^(n+1) n! zeta(n + 1, x).  Below 0 the sum of
 * (x + k)^-s over all whole k depends only on d, x less the nearest whole number, and what lies right of it is taken
 * off: below 0 the error is small against n!/|d|^(n+1) only.  NaN at 0 and the negative integers for even n, inf for
 * odd n. */
M double polygamma_f64(double n, double x)
{
	double s = n >= 1 ? n + 1 : 2, even = 2 * __builtin_floor(0.5 * n) == n ? -1 : 1;
	double d = x - __builtin_rint(x);
	double right = zeta_gamma_f64(s, x > 0 ? x : 1 + d);
	double left = zeta_gamma_f64(s, 1 - d), far = zeta_gamma_f64(s, x > 0 ? 1 : 1 - x);
	double pole = gamma_f64(s) * pow_f64(d, -s);
	double y = x > 0 ? right : (pole + right) + even * (left - far);
	y = x <= 0 && d == 0 ? (even < 0 ? __builtin_nan("") : __builtin_inf()) : y;
	y = x == __builtin_inf() ? 0 : y;
	y = n == 0 ? digamma_f64(x) : even * y;
	return n >= 0 && n <= 0x1.fffffffffffffp1023 && n == __builtin_floor(n) ? y : __builtin_nan("");
}

/* Derivative of digamma: 1/x^2 + ... + 1/(x + n - 1)^2 and Stirling's series at x + n >= 10, the small terms first; below
 * 0 that of 1 + x and 1/x^2, below -1/2 (pi/sin(pi*x))^2 less that of 1 - x, which is at most a sixth of it */
M double trigamma_f64(double x)
{
	double a = x < -0.5 ? 1 - x : x < 0 ? 1 + x : x, n = a < 10 ? __builtin_ceil(10 - a) : 0;
	double r = 1 / (a + n), s = r * r, c = -3617.0 / 510;
	c = __builtin_fma(c, s, 7.0 / 6);
	c = __builtin_fma(c, s, -691.0 / 2730);
	c = __builtin_fma(c, s, 5.0 / 66);
	c = __builtin_fma(c, s, -1.0 / 30);
	c = __builtin_fma(c, s, 1.0 / 42);
	c = __builtin_fma(c, s, -1.0 / 30);
	c = __builtin_fma(c, s, 1.0 / 6);
	double y = r + s * (0.5 + c * r);
	for (int j = 9; j >= 0; j--) {
		double q = a + j;
		y += j < n ? 1 / (q * q) : 0;
	}
	double w = sinpi_f64(x), t = 0x1.921fb54442d18p1 / w, tl = __builtin_fma(-t, w, 0x1.921fb54442d18p1) / w;
	double left = x < -0.5 ? __builtin_fma(t, t, 2 * t * tl - y) : 1 / (x * x) + y;
	left = x == __builtin_trunc(x) ? (x - x == 0 ? __builtin_inf() : __builtin_nan("")) : left;
	return x > 0 ? (x <= 0x1.fffffffffffffp1023 ? y : 0) : x == 0 ? __builtin_inf() : left;
}

/* log(Gamma(x)*Gamma(y)/Gamma(x + y)) for x, y >= 0, NaN below: with a the smaller and b the larger.  Gamma(b)/Gamma(a + b)
 * is moved to b + n >= 12 first; there the large parts of the two logarithms cancel in log1p(a/b). */
M double lbeta_f64(double x, double y)
{
	double a = x < y ? x : y, b = x < y ? y : x, p = 1;
	double n = b < 12 ? __builtin_ceil(12 - b) : 0;
	for (int j = 0; j < 12; j++)
		p *= j < n ? 1 + a / (b + j) : 1;
	double z = b + n, c = a + z;
	double rest = stirling_rest_f64(z) - stirling_rest_f64(c), fall = (z - 0.5) * log1p_f64(a / z);
	double l, h = log_two_f64(c, &l), m = a * h, ml = __builtin_fma(a, h, -m) + a * l;
	double small = (lgamma_f64(a) + ((a - fall) + (log_f64(p) + (rest - ml)))) - m;
	double large = (0x1.d67f1c864beb5p-1 - 0.5 * log_f64(a)) + (rest + stirling_rest_f64(a)) - fall - a * log1p_f64(b / a);
	l = a < 12 ? small : large;
	l = b == __builtin_inf() ? -b : l;
	l = a == 0 ? (b == __builtin_inf() ? __builtin_nan("") : __builtin_inf()) : l;
	return a >= 0 && y == y && x == x ? l : __builtin_nan("");
}

/* through f64 */
M float trigamma_f32(float x)           { return (float)trigamma_f64(x); }
M float lbeta_f32(float x, float y)     { return (float)lbeta_f64(x, y); }
M float gamma_f32(float x)              { return (float)gamma_f64(x); }
M float lgamma_f32(float x)             { return (float)lgamma_f64(x); }
M float digamma_f32(float x)            { return (float)digamma_f64(x); }
M float polygamma_f32(float n, float x) { return (float)polygamma_f64(n, x); }
