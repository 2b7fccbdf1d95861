/* Where a thrown ball lands, and how that changes with the angle: a loop that a condition ends, a branch in
 * it, and the derivative through both.
 *
 *     cc landing.c $(pkg-config --cflags --libs porism) -lm
 */
#include <porism.h>
#include <stdio.h>

/* Air resistance slows a fast ball by the square of its speed, a slow one in proportion to it. */
static por_node *drag(por_graph *g, por_node *speed)
{
	por_node *fast = por_mul(por_number(g, 0.02), speed), *slow = por_number(g, 0.1);
	return por_if(por_gt(speed, por_number(g, 5)), fast, slow);
}

/* Explicit steps of 5 ms while the ball is above the ground; the last one is cut where it meets it. */
static por_node *distance(por_graph *g, por_node *angle, por_node *speed)
{
	por_node *zero = por_constant(g, "f64", 0), *h = por_number(g, 0.005), *v[2], *next[2];
	por_loop *l = por_loop_open(g, NULL, 0);
	por_node *x = por_loop_carry(l, zero), *y = por_loop_carry(l, por_constant(g, "f64", 1.5));
	v[0] = por_loop_carry(l, por_mul(speed, por_cos(angle)));
	v[1] = por_loop_carry(l, por_mul(speed, por_sin(angle)));
	por_node *k = drag(g, por_hypot(v[0], v[1])), *gravity = por_number(g, 9.81);
	por_loop_while(l, por_gt(y, por_number(g, 0)));
	next[0] = por_sub(v[0], por_mul(h, por_mul(k, v[0])));
	next[1] = por_sub(v[1], por_mul(h, por_add(gravity, por_mul(k, v[1]))));
	por_loop_next(l, x, por_add(x, por_mul(h, v[0])));
	por_loop_next(l, y, por_add(y, por_mul(h, v[1])));
	for (int i = 0; i < 2; i++) por_loop_next(l, v[i], next[i]);
	por_loop_close(l);
	por_node *below = por_div(por_loop_last(l, y), por_loop_last(l, v[1]));
	return por_sub(por_loop_last(l, x), por_mul(below, por_loop_last(l, v[0])));
}

int main(void)
{
	por_graph *g = por_open(NULL);
	por_node *in[2] = {por_input(g, "angle", "f64"), por_input(g, "speed", "f64")};
	por_node *out[2] = {distance(g, in[0], in[1])};
	por_grad(out[0], 1, in, &out[1]);
	por_program *p = por_compile(g, 2, in, 2, out, NULL);
	if (!p) {
		printf("%s\n", por_graph_error(g)->text);
		return 1;
	}

	/* the angle that throws furthest: where the derivative changes its sign */
	double low = 0.1, high = 1.4, angle, speed = 20, far, slope;
	por_array given[2] = {por_view(&angle, POR_F64, 0, NULL), por_view(&speed, POR_F64, 0, NULL)};
	por_array got[2] = {por_view(&far, POR_F64, 0, NULL), por_view(&slope, POR_F64, 0, NULL)};
	for (int i = 0; i < 40; i++) {
		angle = (low + high)/2;
		if (por_call(p, NULL, 2, given, 2, got)) {
			printf("%s\n", por_program_error(p)->text);
			return 1;
		}
		if (i < 4) printf("angle %.4f: %8.4f m, %+9.4f m a radian\n", angle, far, slope);
		*(slope > 0 ? &low : &high) = angle;
	}
	printf("furthest at %.4f: %.4f m\n", angle, far);
	por_program_free(p);
	por_close(g);
	return 0;
}
