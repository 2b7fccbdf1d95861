/* polynomial.c - sums of products worked out: x*(x - 1) - 2*(x^2 - 1) + x*(x + 1) is 2.
 *
 * Needs: a node over what stands for classes.  Gives: the same as a sum of few products and quotients of
 * classes, like terms collected, squares of roots resolved; or NULL where there is nothing to work out, or
 * too much of it.
 */
#include "egraph.h"

enum { TERMS = 12, FACTORS = 5, DEPTH = 10, POWER = 4, FEW_TERMS = 4 };

typedef struct Factor {
	Node *x;
	int power;
} Factor;

typedef struct Product {
	double c;
	uint32_t n;
	Factor f[FACTORS]; /* by id */
} Product;

typedef struct Polynomial {
	uint32_t n;
	Product p[TERMS];
} Polynomial;

static bool same_factors(const Product *a, const Product *b)
{
	bool same = a->n == b->n;
	for (uint32_t i = 0; same && i < a->n; i++)
		same = a->f[i].x == b->f[i].x && a->f[i].power == b->f[i].power;
	return same;
}

static bool add_term(Polynomial *p, const Product *t)
{
	for (uint32_t i = 0; i < p->n; i++) {
		if (!same_factors(&p->p[i], t)) continue;
		p->p[i].c += t->c;
		if (p->p[i].c == 0) p->p[i] = p->p[--p->n];
		return true;
	}
	if (p->n == TERMS) return false;
	if (t->c != 0) p->p[p->n++] = *t;
	return true;
}

static bool multiply(const Product *a, const Product *b, Product *out)
{
	*out = (Product){.c = a->c * b->c};
	for (uint32_t i = 0, k = 0; i < a->n || k < b->n;) {
		bool left = k == b->n || (i < a->n && a->f[i].x->id <= b->f[k].x->id);
		const Factor *f = left ? &a->f[i++] : &b->f[k++];
		if (out->n && out->f[out->n - 1].x == f->x) {
			out->f[out->n - 1].power += f->power;
			if (!out->f[out->n - 1].power) out->n--;
		} else if (out->n == FACTORS)
			return false;
		else
			out->f[out->n++] = *f;
	}
	return true;
}

static bool times(const Polynomial *a, const Polynomial *b, Polynomial *out)
{
	Product t;
	out->n = 0;
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < b->n; k++)
			if (!multiply(&a->p[i], &b->p[k], &t) || !add_term(out, &t)) return false;
	return true;
}

static bool plus(const Polynomial *a, double sign, Polynomial *to)
{
	for (uint32_t i = 0; i < a->n; i++) {
		Product t = a->p[i];
		t.c *= sign;
		if (!add_term(to, &t)) return false;
	}
	return true;
}

static bool polynomial_of(Node *x, uint32_t depth, Polynomial *out);

static bool power_of(Node *x, int n, uint32_t depth, Polynomial *out)
{
	Polynomial base, so_far;
	if (x->op == OP_SQRT && n > 1) { /* the square is what it is the root of */
		if (!power_of(x->arg[0], n / 2, depth, out)) return false;
		base = (Polynomial){1, {{1, 1, {{x, 1}}}}};
		so_far = *out;
		return n % 2 ? times(&so_far, &base, out) : true;
	}
	if (!polynomial_of(x, depth, &base)) return false;
	*out = base;
	for (int i = 1; i < n; i++) {
		so_far = *out;
		if (!times(&so_far, &base, out)) return false;
	}
	return true;
}

static bool divided(const Polynomial *a, Node *by, uint32_t depth, Polynomial *out)
{
	Polynomial b;
	if (!polynomial_of(by, depth, &b)) return false;
	if (b.n != 1) b = (Polynomial){1, {{1, 1, {{by, 1}}}}};
	double c = 1 / b.p[0].c;
	if (c * b.p[0].c != 1 || !isfinite(c)) return false;
	b.p[0].c = c;
	for (uint32_t i = 0; i < b.p[0].n; i++) b.p[0].f[i].power *= -1;
	return times(a, &b, out);
}

/* As deep as DEPTH; what is no sum, product or power of them is a factor. */
static bool polynomial_of(Node *x, uint32_t depth, Polynomial *out)
{
	Polynomial a, b;
	double c;
	if (constant_value(x, &c) && x->op == OP_CONST && isfinite(c)) {
		*out = (Polynomial){c != 0, {{c, 0, {{NULL, 0}}}}};
		return true;
	}
	bool inside = depth > 0;
	switch (inside ? (Op)x->op : OP_NONE) {
	case OP_NEG: out->n = 0; return polynomial_of(x->arg[0], depth - 1, &a) && plus(&a, -1, out);
	case OP_ADD:
	case OP_SUB:
		return polynomial_of(x->arg[0], depth - 1, out) && polynomial_of(x->arg[1], depth - 1, &b) &&
			plus(&b, x->op == OP_ADD ? 1 : -1, out);
	case OP_MUL:
		if (x->arg[0] == x->arg[1]) return power_of(x->arg[0], 2, depth - 1, out);
		return polynomial_of(x->arg[0], depth - 1, &a) && polynomial_of(x->arg[1], depth - 1, &b) &&
			times(&a, &b, out);
	case OP_DIV: return polynomial_of(x->arg[0], depth - 1, &a) && divided(&a, x->arg[1], depth - 1, out);
	case OP_POW:
		if (!constant_value(x->arg[1], &c) || x->arg[1]->op != OP_CONST || c != floor(c) || c < 2 ||
			c > POWER)
			break;
		return power_of(x->arg[0], (int)c, depth - 1, out);
	default: break;
	}
	*out = (Polynomial){1, {{1, 1, {{x, 1}}}}};
	return true;
}

/* The factors above the line, or below it; NULL: there are none. */
static Node *factors_node(Graph *g, const Type *type, const Product *p, int sign)
{
	Node *y = NULL;
	for (uint32_t i = 0; i < p->n; i++) {
		Node *f = p->f[i].x;
		int power = sign * p->f[i].power;
		if (power < 1) continue;
		if (power > 1) f = build2(g, OP_POW, f, constant_float(g, type, power));
		y = y ? build2(g, OP_MUL, y, f) : f;
	}
	return y;
}

static Node *product_node(Graph *g, const Type *type, const Product *p, double c)
{
	Node *above = factors_node(g, type, p, 1), *below = factors_node(g, type, p, -1);
	double under = fabs(c) < 1 && 1 / c == floor(1 / c) ? 1 / c : 1;
	double over = under == 1 ? c : 1;
	if (!above || over != 1) {
		Node *number = constant_float(g, type, over);
		above = above ? build2(g, OP_MUL, number, above) : number;
	}
	if (under != 1) {
		Node *number = constant_float(g, type, under);
		below = below ? build2(g, OP_MUL, number, below) : number;
	}
	return below ? build2(g, OP_DIV, above, below) : above;
}

static Node *sum_node(Graph *g, const Type *type, const Polynomial *p)
{
	Node *y = NULL;
	for (int sign = 1; sign >= -1; sign -= 2) /* what is added before what is subtracted */
		for (uint32_t i = 0; i < p->n; i++) {
			double c = p->p[i].c;
			if ((c > 0) != (sign > 0)) continue;
			Node *t = product_node(g, type, &p->p[i], fabs(c));
			if (y)
				y = build2(g, sign > 0 ? OP_ADD : OP_SUB, y, t);
			else
				y = sign > 0 ? t : build1(g, OP_NEG, t);
		}
	return y ? y : constant_float(g, type, 0);
}

Node *polynomial_form(Graph *g, Node *x)
{
	Polynomial p;
	bool ring =
		x->op == OP_ADD || x->op == OP_SUB || x->op == OP_MUL || x->op == OP_DIV || x->op == OP_NEG;
	if (!ring || node_dtype(x) != DT_F64 || !polynomial_of(x, DEPTH, &p) || p.n > FEW_TERMS) return NULL;
	return sum_node(g, x->type, &p);
}
