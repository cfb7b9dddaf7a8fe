#include "kernels/sort.h"

#include <algorithm>
#include <numeric>

#include "kernels/cpu/element.h"

namespace xf::kernels {

template <>
void sort(Cpu<kLevel>, const SortArgs& args) {
  const int32_t* const keys = args.keys;
  std::iota(args.order, args.order + args.N, 0);
  std::stable_sort(args.order, args.order + args.N,
                   [keys](int32_t a, int32_t b) { return keys[a] < keys[b]; });
  std::transform(args.order, args.order + args.N, args.sorted, [keys](int32_t from) { return keys[from]; });
}

}  // namespace xf::kernels
