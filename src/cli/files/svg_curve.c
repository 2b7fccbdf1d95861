/* svg_curve.c - the picture of a fit: the loss of each step, smoothed, and a held-out metric on a right axis.
 *
 *     title
 *     -- loss   -o- metric
 *     |                   |
 *     |  plot             |      left .. left + width, top .. top + height
 *     |___________________|
 *            step
 */
#include "files.h"

#include <math.h>

enum { PAGE_WIDTH = 760, PAGE_HEIGHT = 420, LEFT = 72, TOP = 72, BOTTOM = 56, COLUMNS = 600, SPANS = 120 };
static const char loss_colour[] = "#1f6fb4", faint_colour[] = "#a9cbe8", metric_colour[] = "#d0661b";
static const char ink[] = "#333", grid_colour[] = "#e6e6e6";

/* An axis: numbers low..high (their log10 if log) to pixels from..to. */
typedef struct Axis {
	Ticks ticks;
	bool log;
	double low, high, from, to;
} Axis;

static const double drawable = 1e300; /* the largest number: differences of two stay finite */

/* The number as the axis measures it; NaN is a gap. */
static double measure(const Axis *a, double x)
{
	if (!(fabs(x) <= drawable) || (a->log && !(x > 0))) return NAN;
	return a->log ? log10(x) : x;
}

static double place(const Axis *a, double measured)
{
	return a->from + (measured - a->low) / (a->high - a->low) * (a->to - a->from);
}

/* An axis that covers the numbers. */
static Axis axis_of(const double *x, size_t n, bool log, double from, double to)
{
	Axis a = {.log = log, .from = from, .to = to};
	double low = INFINITY, high = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		low = fmin(low, measure(&a, x[i]));
		high = fmax(high, measure(&a, x[i]));
	}
	if (low > high) low = high = 0;
	if (log) {
		low = floor(low);
		high = fmax(ceil(high), low + 1);
		a.ticks = nice_ticks(low, high, high - low < 6 ? (int)(high - low) : 6);
	} else {
		a.ticks = nice_ticks(low, high, 5);
	}
	a.low = a.ticks.first;
	a.high = a.ticks.first + (a.ticks.count - 1) * a.ticks.step;
	return a;
}

static double tick_at(const Axis *a, int i)
{
	return (round(a->ticks.first / a->ticks.step) + i) * a->ticks.step;
}

static void write_tick(Output *o, const Axis *a, int i)
{
	double x = tick_at(a, i), size = fmax(fabs(a->low), fabs(a->high));
	if (a->log && fabs(x) <= 4)
		output_printf(o, "%g", pow(10, x));
	else if (a->log)
		output_printf(o, "1e%g", x);
	else if (size < 1e6 && a->ticks.decimals <= 5)
		output_printf(o, "%.*f", a->ticks.decimals, x);
	else
		output_printf(o, "%.*g", (int)fmin(15, ceil(log10(size / a->ticks.step)) + 1), x);
}

/* The ticks of a vertical axis at x, with their labels on the side of `anchor`, and its name. */
static void draw_vertical(Output *o, const Axis *a, double x, bool left, const char *colour)
{
	for (int i = 0; i < a->ticks.count; i++) {
		double y = place(a, tick_at(a, i));
		output_printf(o, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">",
			x + (left ? -8 : 8), y + 4, left ? "end" : "start", colour);
		write_tick(o, a, i);
		output_printf(o, "</text>\n");
	}
}

static void draw_grid(Output *o, const Axis *x, const Axis *y)
{
	output_printf(o, "<g stroke=\"%s\" stroke-width=\"1\">\n", grid_colour);
	for (int i = 0; i < y->ticks.count; i++) {
		double at = place(y, tick_at(y, i));
		output_printf(o, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x->from, at,
			x->to, at);
	}
	output_printf(o, "</g>\n<g text-anchor=\"middle\">\n");
	for (int i = 0; i < x->ticks.count; i++) {
		double at = place(x, tick_at(x, i));
		if (at < x->from - 0.5 || at > x->to + 0.5) continue;
		output_printf(o, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#888\"/>\n",
			at, y->from, at, y->from + 5);
		output_printf(o, "<text x=\"%.1f\" y=\"%.1f\">", at, y->from + 20);
		write_tick(o, x, i);
		output_printf(o, "</text>\n");
	}
	output_printf(o, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#888\"/>\n", x->from,
		y->from, x->to, y->from);
	output_printf(
		o, "<text x=\"%.1f\" y=\"%.1f\">step</text>\n</g>\n", (x->from + x->to) / 2, y->from + 42);
}

/* A path that a gap interrupts. */
typedef struct Pen {
	Output *output;
	const Axis *x, *y;
	bool down;
} Pen;

static void pen_open(Pen *p, const char *colour, double width)
{
	output_printf(p->output,
		"<path fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-linejoin=\"round\" "
		"stroke-linecap=\"round\" d=\"",
		colour, width);
	p->down = false;
}

static void pen_to(Pen *p, double step, double measured)
{
	if (isnan(measured)) {
		p->down = false;
		return;
	}
	output_printf(
		p->output, "%c%.2f %.2f", p->down ? 'L' : 'M', place(p->x, step), place(p->y, measured));
	if (!p->down) output_printf(p->output, "h0"); /* a lone point shows as a dot */
	p->down = true;
}

static void pen_close(Pen *p)
{
	output_printf(p->output, "\"/>\n");
}

/* Each step; where a column of the picture has several, their least and greatest in the order they came. */
static void draw_raw(Pen *p, const Curve *c, size_t from, size_t to)
{
	size_t low = from, high = from;
	for (size_t i = from; i < to; i++) {
		if (measure(p->y, c->loss[i]) < measure(p->y, c->loss[low]) ||
			isnan(measure(p->y, c->loss[low])))
			low = i;
		if (measure(p->y, c->loss[i]) > measure(p->y, c->loss[high]) ||
			isnan(measure(p->y, c->loss[high])))
			high = i;
	}
	size_t first = low < high ? low : high, second = low < high ? high : low;
	pen_to(p, (double)first + (double)c->first_step, measure(p->y, c->loss[first]));
	if (second != first)
		pen_to(p, (double)second + (double)c->first_step, measure(p->y, c->loss[second]));
}

static size_t column_start(const Curve *c, size_t column, size_t columns)
{
	return (size_t)((double)c->steps * (double)column / (double)columns);
}

/* Over the steps on one side, each with the weight keep^|d|, d being how far it is from where they stand: the
 * sums of 1, d, d*d, of the loss x and of d*x. */
typedef struct SideSums {
	double one, d, dd, x, dx;
} SideSums;

/* They stand a step further: what is behind them (side -1) or before them (1) is one step further away. */
static void sums_move(SideSums *s, double keep, int side)
{
	s->dd = keep * (s->dd + 2 * side * s->d + s->one);
	s->d = keep * (s->d + side * s->one);
	s->dx = keep * (s->dx + side * s->x);
	s->one *= keep;
	s->x *= keep;
}

static void sums_add(SideSums *s, double x)
{
	if (isnan(x)) return;
	s->one += 1;
	s->x += x;
}

/* What the line that fits them best has where they stand: at the ends of the curve, too, where a mean would
 * lie above or below it. */
static double fitted(const SideSums *a, const SideSums *b)
{
	double one = a->one + b->one, d = a->d + b->d, dd = a->dd + b->dd;
	double x = a->x + b->x, dx = a->dx + b->dx;
	double spread = one * dd - d * d;
	double best = (dd / spread) * x - (d / spread) * dx;
	return spread > 1e-9 * one * dd && isfinite(best) ? best : x / one;
}

/* The smoothed loss at the end of each column, of the steps on both sides; NaN where a column has nothing to
 * draw.  One more stands before them: that of the first step. */
static void smooth_loss(const Curve *c, const Axis *y, size_t columns, double smooth[COLUMNS + 1])
{
	double keep = exp(-SPANS / (double)c->steps);
	SideSums before[COLUMNS + 1] = {{0}}, m = {0};
	bool empty[COLUMNS + 1];
	for (size_t column = 0, i = 0; column <= columns; column++) {
		size_t end = column ? column_start(c, column, columns) : 1;
		empty[column] = true;
		for (; i < end; i++) {
			sums_move(&m, keep, -1);
			sums_add(&m, measure(y, c->loss[i]));
			if (!isnan(measure(y, c->loss[i]))) empty[column] = false;
		}
		before[column] = m;
	}
	empty[1] &= empty[0];
	m = (SideSums){0};
	for (size_t column = columns + 1, i = c->steps; column--;) {
		for (size_t end = column ? column_start(c, column, columns) : 1; i > end; i--) {
			sums_move(&m, keep, 1);
			sums_add(&m, measure(y, c->loss[i - 1]));
		}
		SideSums after = m;
		sums_move(&after, keep, 1);
		smooth[column] = empty[column] ? NAN : fitted(&before[column], &after);
	}
}

static void draw_loss(Output *o, const Curve *c, const Axis *x, const Axis *y)
{
	Pen pen = {.output = o, .x = x, .y = y};
	size_t columns = c->steps < COLUMNS ? c->steps : COLUMNS;
	double smooth[COLUMNS + 1];
	pen_open(&pen, faint_colour, 1);
	for (size_t i = 0; i < columns; i++)
		draw_raw(&pen, c, column_start(c, i, columns), column_start(c, i + 1, columns));
	pen_close(&pen);
	if (columns) smooth_loss(c, y, columns, smooth);
	pen_open(&pen, loss_colour, 2);
	for (size_t i = columns && column_start(c, 1, columns) == 1; i <= columns && columns; i++) {
		size_t step = i ? column_start(c, i, columns) - 1 : 0;
		pen_to(&pen, (double)step + (double)c->first_step, smooth[i]);
	}
	pen_close(&pen);
}

static void draw_metric(Output *o, const Curve *c, const Axis *x, const Axis *y)
{
	Pen pen = {.output = o, .x = x, .y = y};
	pen_open(&pen, metric_colour, 2);
	for (size_t i = 0; i < c->metrics; i++) pen_to(&pen, c->metric_step[i], measure(y, c->metric[i]));
	pen_close(&pen);
	for (size_t i = 0; i < c->metrics && c->metrics <= 60; i++) {
		double v = measure(y, c->metric[i]);
		if (isnan(v)) continue;
		output_printf(o, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3\" fill=\"%s\"/>\n",
			place(x, c->metric_step[i]), place(y, v), metric_colour);
	}
}

/* The name of a vertical axis, along it. */
static void draw_axis_name(Output *o, double x, const char *name, const char *how, const char *colour)
{
	double y = (TOP + PAGE_HEIGHT - BOTTOM) / 2.0;
	output_printf(o,
		"<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\" fill=\"%s\">", x, y,
		colour);
	svg_text(o, name);
	output_printf(o, "%s</text>\n", how);
}

static void draw_legend(Output *o, double x, const char *anchor, const char *name, const char *colour)
{
	output_printf(o,
		"<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\" fill=\"%s\" font-weight=\"600\">&#9644; ", x,
		TOP - 18, anchor, colour);
	svg_text(o, name);
	output_printf(o, "</text>\n");
}

static void draw_page(Output *o, const Curve *c)
{
	bool two = c->metrics > 0;
	double right = PAGE_WIDTH - (two ? 72 : 28), base = PAGE_HEIGHT - BOTTOM;
	double first = (double)c->first_step, last = first + (c->steps ? (double)c->steps - 1 : 0);
	for (size_t i = 0; i < c->metrics; i++) {
		first = fmin(first, c->metric_step[i]);
		last = fmax(last, c->metric_step[i]);
	}
	Axis x = {.low = first, .high = last > first ? last : first + 1, .from = LEFT, .to = right};
	Axis y = axis_of(c->loss, c->steps, c->log_loss, base, TOP);
	x.ticks = nice_ticks(x.low, x.high, 7);
	if (x.ticks.step < 1) x.ticks = (Ticks){floor(x.low), 1, (int)(x.high - x.low) + 1, 0};
	draw_grid(o, &x, &y);
	draw_vertical(o, &y, LEFT, true, ink);
	draw_loss(o, c, &x, &y);
	const char *loss = c->loss_name ? c->loss_name : "training loss";
	draw_legend(o, LEFT, "start", loss, loss_colour);
	draw_axis_name(o, 18, loss, c->log_loss ? ", log" : "", loss_colour);
	if (!two) return;
	Axis side = axis_of(c->metric, c->metrics, false, base, TOP);
	draw_vertical(o, &side, right, false, metric_colour);
	draw_metric(o, c, &x, &side);
	draw_legend(o, right, "end", c->metric_name ? c->metric_name : "held out", metric_colour);
	draw_axis_name(o, PAGE_WIDTH - 12, c->metric_name ? c->metric_name : "held out", c->metric_name ? ", held out" : "",
		metric_colour);
}

bool svg_curve(const char *path, const Curve *c, char *error, size_t room)
{
	Output o;
	if (!output_open(&o, path, error, room)) return false;
	output_printf(&o,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
		"font-family=\"system-ui, Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"%s\">\n",
		PAGE_WIDTH, PAGE_HEIGHT, PAGE_WIDTH, PAGE_HEIGHT, ink);
	output_printf(&o, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
	if (c->title) {
		output_printf(&o, "<title>");
		svg_text(&o, c->title);
		output_printf(
			&o, "</title>\n<text x=\"%d\" y=\"30\" font-size=\"17\" font-weight=\"600\">", LEFT);
		svg_text(&o, c->title);
		output_printf(&o, "</text>\n");
	}
	draw_page(&o, c);
	output_printf(&o, "</svg>\n");
	return output_close(&o, error, room);
}
