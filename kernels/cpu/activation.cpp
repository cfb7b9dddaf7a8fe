// Bias, activation and dropout on the CPU: one trip through memory per direction. The backward pass of relu
// needs no random words: a > 0 already says that the element was active and kept.
#include "kernels/activation.h"

#include "kernels/cpu/philox_row.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector_math.h"

namespace xf::kernels {

namespace {

// factors: 0 or 1/(1-p) per element; not read when !kDrop, a constant because a choice inside would not
// vectorise.
template <typename T, bool kDrop>
void relu_run(const T* x, const T* bias, const T* factors, int64_t n, T* a) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const T active = std::max(x[i] + bias[i], T{0});
    a[i] = kDrop ? active * factors[i] : active;
  }
}

template <typename T, bool kDrop>
void gelu_run(const T* x, const T* bias, const T* factors, int64_t n, T* a) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const T z = x[i] + bias[i];
    const T active = z * vector_normal(z).cumulative;
    a[i] = kDrop ? active * factors[i] : active;
  }
}

template <typename T>
void relu_backward_row(const T* da, const T* a, T scale, int64_t F, T* dx, Acc<T>* dbias) {
#pragma omp simd
  for (int64_t i = 0; i < F; ++i) {
    const T d = a[i] > T{0} ? da[i] * scale : T{0};
    dx[i] = d;
    dbias[i] += d;
  }
}

// f'(z) = Phi(z) + z phi(z)
template <typename T, bool kDrop>
void gelu_backward_run(const T* da, const T* x, const T* bias, const T* factors, int64_t n, T* dx,
                       Acc<T>* dbias) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const T z = x[i] + bias[i];
    const Normal<T> normal = vector_normal(z);
    const T kept = kDrop ? da[i] * factors[i] : da[i];
    const T d = kept * (normal.cumulative + z * normal.density);
    dx[i] = d;
    dbias[i] += d;
  }
}

}  // namespace

template <typename T>
void bias_activation_forward(Cpu, const BiasActivationForwardArgs<T>& args) {
  const bool relu = args.activation == Activation::relu, drop = args.dropout.active();
  const auto run = relu ? (drop ? relu_run<T, true> : relu_run<T, false>)
                        : (drop ? gelu_run<T, true> : gelu_run<T, false>);
  for_each_row(args.N, args.F, [&](int64_t row) {
    const int64_t at = row * args.F;
    for_each_dropout_run<T>(args.dropout, row, args.F, [&](int64_t begin, int64_t n, const T* factors) {
      run(args.x + at + begin, args.bias + begin, factors, n, args.a + at + begin);
    });
  });
}

template <typename T>
void bias_activation_backward(Cpu, const BiasActivationBackwardArgs<T>& args) {
  const T scale = static_cast<T>(args.dropout.scale);
  const auto backward_run = args.dropout.active() ? gelu_backward_run<T, true> : gelu_backward_run<T, false>;
  const Acc<T>* sums = column_sums<Acc<T>>(args.N, args.F, args.F, [&](int64_t row, Acc<T>* partial) {
    const int64_t at = row * args.F;
    if (args.activation == Activation::relu) {
      relu_backward_row(args.da + at, args.saved + at, scale, args.F, args.dx + at, partial);
      return;
    }
    for_each_dropout_run<T>(args.dropout, row, args.F, [&](int64_t begin, int64_t n, const T* factors) {
      backward_run(args.da + at + begin, args.saved + at + begin, args.bias + begin, factors, n,
                   args.dx + at + begin, partial + begin);
    });
  });
  add_to(sums, args.F, args.dbias);
}

template void bias_activation_forward(Cpu, const BiasActivationForwardArgs<float>&);
template void bias_activation_forward(Cpu, const BiasActivationForwardArgs<double>&);
template void bias_activation_backward(Cpu, const BiasActivationBackwardArgs<float>&);
template void bias_activation_backward(Cpu, const BiasActivationBackwardArgs<double>&);

}  // namespace xf::kernels
