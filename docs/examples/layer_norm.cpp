// A kernel on memory of one's own: normalises the rows of an array, and compares with a loop.
#include <xformer/kernels/layer_norm.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const int64_t N = 3, D = 5;
  const float eps = 1e-6f;
  std::vector<float> x(N * D), gamma(D, 2), beta(D, 1), y(N * D), mean(N), rstd(N);
  for (int64_t i = 0; i < N * D; ++i) x[i] = std::sin(static_cast<float>(i * i));

  using xf::Tensor;
  xf::kernels::layer_norm_forward(Tensor::view(x.data(), {N, D}), Tensor::view(gamma.data(), {D}),
                                  Tensor::view(beta.data(), {D}), eps, Tensor::view(y.data(), {N, D}),
                                  Tensor::view(mean.data(), {N}), Tensor::view(rstd.data(), {N}));

  double largest = 0;
  for (int64_t n = 0; n < N; ++n) {
    const float* const row = x.data() + n * D;
    double sum = 0, squares = 0;
    for (int64_t d = 0; d < D; ++d) sum += row[d];
    for (int64_t d = 0; d < D; ++d) squares += (row[d] - sum / D) * (row[d] - sum / D);
    for (int64_t d = 0; d < D; ++d) {
      const double expected = gamma[d] * (row[d] - sum / D) / std::sqrt(squares / D + eps) + beta[d];
      largest = std::fmax(largest, std::fabs(y[n * D + d] - expected));
    }
  }
  std::printf("largest difference %.1e\n", largest);
  return largest < 1e-5 ? 0 : 1;
}
