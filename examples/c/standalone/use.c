/* Steps down the gradient with logistic.c, which export.c wrote:  cc use.c logistic.c -lm  and no Porism. */
#include "logistic.h"

#include <stdio.h>
#include <stdlib.h>

enum { M = 4, N = 2 };

int main(void)
{
	const double X[M * N] = {1, 0.5, 1, 1.5, 1, 2.5, 1, 4}, y[M] = {0, 0, 1, 1};
	double w[N] = {0}, loss = 0, dw[N];
	int64_t bytes = logistic_workspace(N, M);
	void *workspace = bytes < 0 ? NULL : malloc((size_t)bytes);
	if (!workspace) return puts("there is no workspace"), 1;
	for (int step = 0; step <= 200; step++) {
		int code = logistic(N, M, w, X, y, &loss, dw, workspace);
		if (code) return printf("logistic gave %d\n", code), 1;
		if (step % 100 == 0) printf("step %3d  loss %.6f\n", step, loss);
		for (int i = 0; i < N; i++) w[i] -= 0.5 * dw[i];
	}
	free(workspace);
	return 0;
}
