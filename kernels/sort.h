// A stable sort of integers that remembers where they came from: the order in which rows that share
// a key can be added up, each sum in one place and always in the same order.
//   keys    [N] i32  in
//   sorted  [N] i32  written: the keys, smallest first
//   order   [N] i32  written: sorted_i = keys[order_i]; equal keys keep the order in which they
//           came
// The three do not overlap. N < 2^31.
#pragma once

#include "core/backend.h"
#include "core/tensor.h"

namespace xf::kernels {

void sort(const Tensor& keys, Out sorted, Out order);

struct SortArgs {
  const int32_t* keys;
  int32_t *sorted, *order;
  int64_t N;
};
template <CpuLevel L>
void sort(Cpu<L>, const SortArgs&);
void sort(Cuda, const SortArgs&);

}  // namespace xf::kernels
