/* linear.h - QR and triangular solves, for R = float or double.
 *
 * The order is that of eval_linear.c: every sum one ascending chain of fma.  There a column is reflected after
 * the other; here a row of all columns at once, which is the same chain for each.  Before: N, R, FMA1 (of
 * numbers), ROOT, ABS, QUIET(x): NaN made the positive quiet one.
 */

/* A matrix of m rows and n columns and what becomes of it: Householder's vectors, one after another, what each divides
 * by, and a row for work. */
typedef struct N(Factors) {
	int64_t m, n;
	R *a, *q, *r, *vectors, *divisors, *t;
} N(Factors);

/* Of vector k: t(j) = (sum over i of v(i) x(i,j))/u; x(i,j) = fma(-t(j), v(i), x(i,j)), for i in [k, m), j in [from, n). */
CORE void N(reflect)(const N(Factors) *f, int64_t k, int64_t from, R *x)
{
	int64_t m = f->m, n = f->n;
	const R *v = f->vectors + k*m;
	R u = f->divisors[k], *t = f->t;
	for (int64_t j = from; j < n; j++)
		t[j] = -(R)0;
	for (int64_t i = k; i < m; i++)
		for (int64_t j = from; j < n; j++)
			t[j] = FMA1(v[i], x[i*n + j], t[j]);
	for (int64_t j = from; j < n; j++)
		t[j] = t[j]/u;
	for (int64_t i = k; i < m; i++)
		for (int64_t j = from; j < n; j++)
			x[i*n + j] = FMA1(-t[j], v[i], x[i*n + j]);
}

/* The Householder vector of column k into v; what it divides by; a(k,k) becomes d(k). */
CORE R N(householder)(int64_t k, int64_t m, int64_t n, R *a, R *v)
{
	R c = 0, s = -(R)0;
	for (int64_t i = k; i < m; i++) {
		R x = a[i*n + k] < 0 ? -a[i*n + k] : a[i*n + k];
		c = c != c ? c : x > c || x != x ? x : c;
	}
	if (c == 0) {
		a[k*n + k] = 0;
		return 0;
	}
	for (int64_t i = k; i < m; i++)
		v[i] = a[i*n + k]/c;
	for (int64_t i = k; i < m; i++)
		s = FMA1(v[i], v[i], s);
	R h = ROOT(s), first = v[k];
	v[k] = first < 0 ? first - h : first + h;
	a[k*n + k] = first < 0 ? h*c : -(h*c);
	return s + h*(first < 0 ? -first : first);
}

CORE void N(qr_of)(const N(Factors) *f)
{
	int64_t m = f->m, n = f->n;
	R *q = f->q, *r = f->r, *divisors = f->divisors;
	for (int64_t i = 0; i < m*n; i++)
		q[i] = 0;
	for (int64_t k = 0; k < n; k++) {
		divisors[k] = N(householder)(k, m, n, f->a, f->vectors + k*m);
		if (divisors[k] != 0)
			N(reflect)(f, k, k + 1, f->a);
		for (int64_t j = 0; j < n; j++)
			r[k*n + j] = j < k ? 0 : f->a[k*n + j];
		q[k*n + k] = 1;
	}
	for (int64_t k = n; k-- > 0;)
		if (divisors[k] != 0)
			N(reflect)(f, k, k, q);
	for (int64_t k = 0; k < n; k++) {
		if (!(r[k*n + k] < 0))
			continue;
		for (int64_t j = k; j < n; j++)
			r[k*n + j] = -r[k*n + j];
		for (int64_t i = 0; i < m; i++)
			q[i*n + k] = -q[i*n + k];
	}
	for (int64_t i = 0; i < m*n; i++)
		q[i] = QUIET(q[i]);
	for (int64_t i = 0; i < n*n; i++)
		r[i] = QUIET(r[i]);
}

CORE void N(qr)(const CoreWork *w)
{
	int64_t m = w->param[1], n = w->param[2];
	R *work = w->scratch, *vectors = work + m*n, *divisors = vectors + m*n;
	for (int64_t b = w->lo; b < w->hi; b++) {
		N(Factors) f = { m, n, work, (R *)w->buffer[1] + b*m*n, (R *)w->buffer[2] + b*n*n, vectors, divisors, divisors + n };
		__builtin_memcpy(work, (const R *)w->buffer[0] + b*m*n, (uint64_t)(m*n)*sizeof(R));
		N(qr_of)(&f);
	}
}

/* Takes n solved rows z from a row, four at once; `of` walks that row of the triangle in steps. */
CORE void N(solve_row)(const R *of, int64_t step, int64_t n, const R *z, int64_t columns, R *row)
{
	int64_t j = 0;
	for (; j + 4 <= n; j += 4) {
		R b0 = -of[j*step], b1 = -of[(j + 1)*step], b2 = -of[(j + 2)*step], b3 = -of[(j + 3)*step];
		const R *z0 = z + j*columns, *z1 = z0 + columns, *z2 = z1 + columns, *z3 = z2 + columns;
		for (int64_t c = 0; c < columns; c++)
			row[c] = FMA1(b3, z3[c], FMA1(b2, z2[c], FMA1(b1, z1[c], FMA1(b0, z0[c], row[c]))));
	}
	for (; j < n; j++)
		for (int64_t c = 0; c < columns; c++)
			row[c] = FMA1(-of[j*step], z[j*columns + c], row[c]);
}

CORE R N(solve_one)(const R *of, int64_t step, int64_t n, const R *z, R sum)
{
	for (int64_t j = 0; j < n; j++)
		sum = FMA1(-of[j*step], z[j], sum);
	return sum;
}

/* Of one column, downwards: what is solved is taken from all rows below, which is the same chain for each. */
CORE void N(solve_down)(int64_t n, int turned, const R *a, R *z)
{
	for (int64_t j = 0; j < n; j++) {
		R by = z[j] = z[j]/a[j*n + j];
		for (int64_t i = j + 1; i < n && turned; i++)
			z[i] = FMA1(-a[j*n + i], by, z[i]);
		for (int64_t i = j + 1; i < n && !turned; i++)
			z[i] = FMA1(-a[i*n + j], by, z[i]);
	}
}

CORE void N(solve)(int64_t n, int64_t columns, int down, int turned, const R *a, R *z)
{
	for (int64_t done = 0; done < n; done++) {
		int64_t i = down ? done : n - 1 - done, from = down ? 0 : i + 1, step = turned ? n : 1;
		const R *of = (turned ? a + i : a + i*n) + from*step;
		R *row = z + i*columns;
		if (columns == 1)
			row[0] = N(solve_one)(of, step, done, z + from, row[0]);
		else
			N(solve_row)(of, step, done, z + from*columns, columns, row);
		for (int64_t c = 0; c < columns; c++)
			row[c] = row[c]/a[i*n + i];
	}
}

CORE void N(tri_solve)(const CoreWork *w)
{
	const int64_t *p = w->param;
	int turned = p[1] != 0, down = (p[0] != 0) == turned;
	int64_t n = p[3], columns = p[4];
	for (int64_t b = w->lo; b < w->hi; b++) {
		R *z = (R *)w->buffer[2] + b*n*columns;
		const R *from = (const R *)w->buffer[1] + b*n*columns;
		if (z != from)
			__builtin_memcpy(z, from, (uint64_t)(n*columns)*sizeof(R));
		const R *a = (const R *)w->buffer[0] + b*n*n;
		if (columns == 1 && down)
			N(solve_down)(n, turned, a, z);
		else
			N(solve)(n, columns, down, turned, a, z);
		for (int64_t i = 0; i < n*columns; i++)
			z[i] = QUIET(z[i]);
	}
}
