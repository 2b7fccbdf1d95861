/* svg_digits.c - small grey pictures, enlarged, with what was read and what they are. */
#include "files.h"

#include <math.h>

enum { PICTURE = 72, CELL_WIDTH = 96, CELL_HEIGHT = 112, PER_ROW = 8, MARGIN = 20, HEAD = 48 };

static int grey_of(double x, double ink)
{
	double dark = x / ink;
	if (!(dark > 0)) return 255;
	return dark >= 1 ? 0 : (int)lround(255 * (1 - dark));
}

/* A rectangle for each run of equal pixels in a row; white ones are the paper. */
static void draw_picture(Output *o, const Digits *d, const double *pixels, double scale)
{
	for (size_t i = 0; i < d->height; i++) {
		const double *row = pixels + i * d->width;
		for (size_t j = 0, k; j < d->width; j = k) {
			int grey = grey_of(row[j], d->ink);
			for (k = j + 1; k < d->width && grey_of(row[k], d->ink) == grey;) k++;
			if (grey == 255) continue;
			output_printf(o,
				"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%02x%02x%02x\"/>\n",
				(double)j * scale, (double)i * scale, (double)(k - j) * scale, scale,
				(unsigned)grey, (unsigned)grey, (unsigned)grey);
		}
	}
}

static void draw_cell(Output *o, const Digits *d, size_t i)
{
	double scale = (double)PICTURE / (double)(d->width > d->height ? d->width : d->height);
	double x = MARGIN + (double)(i % PER_ROW) * CELL_WIDTH + (CELL_WIDTH - PICTURE) / 2;
	double y = (d->title ? HEAD : MARGIN) + (double)(i / PER_ROW) * CELL_HEIGHT;
	output_printf(o, "<g transform=\"translate(%g %g)\">\n<g shape-rendering=\"crispEdges\">\n", x, y);
	draw_picture(o, d, d->pixels + i * d->width * d->height, scale);
	output_printf(o, "<rect width=\"%.2f\" height=\"%.2f\" fill=\"none\" stroke=\"#ccc\"/>\n</g>\n",
		(double)d->width * scale, (double)d->height * scale);
	output_printf(o, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">read %d, is %d</text>\n</g>\n",
		PICTURE / 2, PICTURE + 18, d->read[i], d->is[i]);
}

bool svg_digits(const char *path, const Digits *d, char *error, size_t room)
{
	Output o;
	size_t across = d->count < PER_ROW ? d->count : PER_ROW, down = (d->count + PER_ROW - 1) / PER_ROW;
	size_t width = 2 * MARGIN + (across < 3 ? 3 : across) * CELL_WIDTH;
	size_t height = (d->title ? HEAD : MARGIN) + down * CELL_HEIGHT + MARGIN / 2;
	if (d->count && (!d->width || !d->height))
		return file_fail(error, room, "%s: pictures of %zu by %zu; 1 or more each way was wanted",
			path, d->width, d->height);
	if (!output_open(&o, path, error, room)) return false;
	output_printf(&o,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %zu %zu\" width=\"%zu\" "
		"height=\"%zu\" font-family=\"system-ui, Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#333\">\n",
		width, height, width, height);
	output_printf(&o, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
	if (d->title) {
		output_printf(
			&o, "<text x=\"%d\" y=\"30\" font-size=\"17\" font-weight=\"600\">", MARGIN + 12);
		svg_text(&o, d->title);
		output_printf(&o, "</text>\n");
	}
	for (size_t i = 0; i < d->count; i++) draw_cell(&o, d, i);
	output_printf(&o, "</svg>\n");
	return output_close(&o, error, room);
}
