/* Effects: what a program tells while it runs, and what must hold.  The library prints nothing itself.
 *
 *     cc effects.c $(pkg-config --cflags --libs porism) -lm
 */
#include <porism.h>
#include <stdio.h>

/* All that is printed, and what does not hold, in order. */
static int tell(void *user, const por_effect *e)
{
	(void)user;
	if (e->kind != POR_EFFECT_PRINT) return 0; /* the call's error says it */
	for (int i = 0; i < e->n; i++) {
		double x;
		por_convert(1, POR_F64, &x, por_array_dtype(&e->value[i]), e->value[i].data);
		printf("%s%s = %g", i ? ", " : "", e->name[i], x);
	}
	printf("\n");
	return 0; /* anything else ends the call */
}

int main(void)
{
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64"), *steps = por_input(g, "steps", "i64");

	/* a token goes through the effects, and the loop carries it */
	por_node *first = por_do(NULL, POR_EFFECT_PRINT, 1, (const char *const[]){"x"}, &x);
	por_loop *l = por_loop_open(g, steps, 0);
	por_node *w = por_loop_carry(l, x), *t = por_loop_carry(l, first), *square = por_mul(w, w);
	por_node *told = por_do(t, POR_EFFECT_PRINT, 2, (const char *const[]){"step", "loss"},
		(por_node *[]){por_loop_index(l), square});
	por_node *held = por_do(told, POR_EFFECT_ASSERT, 2, (const char *const[]){"loss < 10", "loss"},
		(por_node *[]){por_lt(square, por_number(g, 10)), square});
	por_loop_next(l, w, por_sub(w, por_mul(por_number(g, 0.4), w)));
	por_loop_next(l, t, held);
	por_loop_close(l);

	/* the last token is the program's last result, which is no array */
	por_options o = {.size = sizeof o, .hear = tell};
	por_program *p = por_compile(g, 2, (por_node *[]){x, steps}, 2,
		(por_node *[]){por_loop_last(l, w), por_loop_last(l, t)}, &o);
	if (!p) {
		printf("%s\n", por_graph_error(g)->text);
		return 1;
	}
	double xs[] = {2, 4}, y;
	int64_t n = 3;
	for (int i = 0; i < 2; i++) {
		por_array in[] = {por_view(&xs[i], POR_F64, 0, NULL), por_view(&n, POR_I64, 0, NULL)};
		por_array out = por_view(&y, POR_F64, 0, NULL);
		if (por_call(p, NULL, 2, in, 1, &out))
			printf("%s\n", por_program_error(p)->text);
		else
			printf("y = %g\n", y);
	}
	por_program_free(p);
	por_close(g);
	return 0;
}
