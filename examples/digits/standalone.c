/* standalone.c - a trained model as plain C: no Porism, no allocation in the model, the same bits.
 *
 *     porism build examples/digits/digits.por:scores p=@model.npz 'X: u8[m, 64]' --name digits_model -o .
 *     cc -o standalone standalone.c digits_model.c -lm
 *     ./standalone pictures.npy scores.npy
 *
 * pictures.npy: u8[m, 64].  scores.npy: f32[m, 10], what the library answers; each bit is compared.
 */
#include "digits_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 64, DIGITS = 10 };

/* The elements of a .npy file, and how many rows of `row` bytes they make. */
static void *read_npy(const char *path, size_t row, long *rows)
{
	FILE *f = fopen(path, "rb");
	unsigned char head[10];
	if (!f || fread(head, 1, 10, f) != 10 || memcmp(head, "\x93NUMPY\x01", 7)) {
		fprintf(stderr, "%s: no .npy file of version 1\n", path);
		exit(3);
	}
	long begin = 10 + head[8] + 256*head[9];
	fseek(f, 0, SEEK_END);
	long bytes = ftell(f) - begin;
	fseek(f, begin, SEEK_SET);
	void *data = malloc((size_t)bytes + 1);
	if (!data || fread(data, 1, (size_t)bytes, f) != (size_t)bytes) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(3);
	}
	fclose(f);
	*rows = bytes/(long)row;
	return data;
}

int main(int argc, char **argv)
{
	long n, m;
	if (argc != 3)
		return fputs("standalone pictures.npy scores.npy\n", stderr), 2;
	unsigned char *pictures = read_npy(argv[1], PIXELS, &n);
	float *wanted = read_npy(argv[2], DIGITS*sizeof(float), &m);
	if (n != m)
		return fprintf(stderr, "%ld pictures and %ld rows of scores\n", n, m), 1;

	int64_t need = digits_model_workspace(n);
	float *scores = malloc((size_t)n*DIGITS*sizeof *scores + 1);
	void *workspace = need < 0 ? NULL : aligned_alloc(64, ((size_t)need + 64)/64*64);
	if (!scores || !workspace)
		return fputs("no memory\n", stderr), 3;
	if (digits_model(n, pictures, scores, workspace))
		return fputs("the model refused\n", stderr), 1;
	long same = 0;
	for (long i = 0; i < n; i++)
		same += !memcmp(scores + i*DIGITS, wanted + i*DIGITS, DIGITS*sizeof(float));
	printf("standalone C: %ld of %ld answers are the same to the bit\n", same, n);
	free(pictures), free(wanted), free(scores), free(workspace);
	return same != n;
}
