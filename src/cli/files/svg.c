/* svg.c - what the drawings share: text and ticks. */
#include "files.h"

#include <math.h>

void svg_text(Output *o, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&': output_printf(o, "&amp;"); break;
		case '<': output_printf(o, "&lt;"); break;
		case '>': output_printf(o, "&gt;"); break;
		default: output_printf(o, "%c", (unsigned char)*text < ' ' ? ' ' : *text);
		}
	}
}

Ticks nice_ticks(double low, double high, int wanted)
{
	double size = fmax(fabs(low), fabs(high));
	if (!(high - low > 1e-9 * size + 1e-300)) {
		double half = size > 1e-300 ? 0.1 * size : 1;
		low -= half;
		high += half;
	}
	double rough = (high - low) / wanted;
	int power = (int)floor(log10(rough));
	double unit = pow(10, power), ratio = rough / unit;
	int times = 10;
	if (ratio <= 1)
		times = 1;
	else if (ratio <= 2)
		times = 2;
	else if (ratio <= 5)
		times = 5;
	Ticks t = {.step = unit * times};
	if (ratio > 5) power++;
	/* A bound that is a tick but for rounding counts as one. */
	double first = floor(low / t.step + 1e-6), last = ceil(high / t.step - 1e-6);
	t.first = first * t.step;
	t.count = (int)(last - first) + 1;
	t.decimals = power < 0 ? -power : 0;
	return t;
}
