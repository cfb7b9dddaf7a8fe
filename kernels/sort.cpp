#include "kernels/sort.h"

#include <limits>

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

void sort(const Tensor& keys, Out sorted, Out order) {
  const int64_t N = keys.numel();
  XF_CHECK(N <= std::numeric_limits<int32_t>::max(), "sort: {} keys are more than an i32 can count", N);
  check_arguments(signature_of("sort"), {&keys, &sorted, &order});
  if (N == 0) return;
  dispatch_device(keys, [&](auto backend) {
    sort(backend, SortArgs{.keys = keys.data<int32_t>(),
                           .sorted = sorted.data<int32_t>(),
                           .order = order.data<int32_t>(),
                           .N = N});
  });
}

}  // namespace xf::kernels
