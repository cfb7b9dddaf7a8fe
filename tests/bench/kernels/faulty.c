// A layer normalisation that is right, and with -DFAULT=N what people write by mistake, or on purpose.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xformer_kernel.h>

enum { NONE, WRONG, KEPT, LATER, CRASH, ENDLESS, BEHIND, INPUT, CODE, EXIT, UNWRITTEN };
#ifndef FAULT
#define FAULT NONE
#endif

static void normalise(const struct xf_layer_norm_forward_args* a) {
  const float *gamma = a->gamma, *beta = a->beta;
  for (int64_t n = 0; n < a->N; ++n) {
    const float* x = (const float*)a->x + n * a->D;
    float* y = (float*)a->y + n * a->D;
    double mean = 0, squares = 0;
    for (int64_t d = 0; d < a->D; ++d) mean += x[d] / (double)a->D;
    for (int64_t d = 0; d < a->D; ++d) squares += (x[d] - mean) * (x[d] - mean);
    const double rstd = 1 / sqrt(squares / (double)a->D + a->eps);
    for (int64_t d = 0; d < a->D; ++d) y[d] = (float)(gamma[d] * (x[d] - mean) * rstd + beta[d]);
    ((float*)a->mean)[n] = (float)mean;
    ((float*)a->rstd)[n] = (float)rstd;
  }
}

// The results of its first call, whatever it is called with.
static void remember(const struct xf_layer_norm_forward_args* a) {
  static float *y, *mean, *rstd;
  static int64_t N;
  const size_t rows = (size_t)a->N * sizeof(float), values = rows * (size_t)a->D;
  if (N != a->N) {
    normalise(a);
    N = a->N;
    y = malloc(values), mean = malloc(rows), rstd = malloc(rows);
    memcpy(y, a->y, values), memcpy(mean, a->mean, rows), memcpy(rstd, a->rstd, rows);
  }
  memcpy(a->y, y, values), memcpy(a->mean, mean, rows), memcpy(a->rstd, rstd, rows);
}

int layer_norm_forward(const struct xf_layer_norm_forward_args* a) {
  static int calls;
  float* const y = a->y;
  ++calls;
  puts("a kernel may print");
  if (FAULT == KEPT) {
    remember(a);
    return 0;
  }
  if (FAULT == LATER && calls > 1) return 0;  // does nothing once it has been checked
  normalise(a);
  if (FAULT == WRONG) y[7] *= 1.01f;
  if (FAULT == CRASH) *(volatile int*)8 = 1;
  while (FAULT == ENDLESS) {
  }
  if (FAULT == BEHIND) y[a->N * a->D] = 1;
  if (FAULT == INPUT) ((float*)a->gamma)[0] = 1;
  if (FAULT == UNWRITTEN) ((float*)a->rstd)[a->N - 1] = NAN;
  if (FAULT == EXIT) exit(0);
  return FAULT == CODE ? 7 : 0;
}
