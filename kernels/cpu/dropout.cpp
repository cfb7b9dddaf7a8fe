#include "kernels/dropout.h"

#include "kernels/cpu/element.h"
#include "kernels/cpu/philox_row.h"
#include "kernels/cpu/rows.h"

namespace xf::kernels {

// DR2, and DR3 of dy.
template <typename T, CpuLevel L>
void dropout(Cpu<L>, const DropoutApplyArgs<T>& args) {
  for_each_row(args.N, args.D, [&](int64_t n) {
    const T* const x = args.x + n * args.x_stride;
    T* const y = args.y + n * args.y_stride;
    for_each_dropout_run<Acc<T>>(args.dropout, n, args.D,
                                 [&](int64_t begin, int64_t count, const Acc<T>* factors) {
                                   if (!factors) {
                                     if (x != y) std::copy_n(x, count, y);
                                     return;
                                   }
#pragma omp simd
                                   for (int64_t i = 0; i < count; ++i)
                                     store(widen(x[begin + i]) * factors[i], y + begin + i);
                                 });
  });
}

XF_INSTANTIATE(dropout, DropoutApplyArgs);

}  // namespace xf::kernels
