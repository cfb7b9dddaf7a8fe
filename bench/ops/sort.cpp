#include "kernels/sort.h"

#include "bench/ops/ops.h"
#include "tests/cases/sort.h"

namespace xf::bench {

namespace {

Case sorting(const Scope& scope, const std::vector<int32_t>& keys, const std::string& variant) {
  const auto N = static_cast<int64_t>(keys.size());
  tests::Target target = scope.target;
  target.dtype = DType::i32;
  return case_of(target, "sort", {N}, variant, {12 * product(N, 1), 0}, [=](Inputs& in) {
    const Tensor from = in.ids(keys), sorted = in.zeros({N}, DType::i32), order = in.zeros({N}, DType::i32);
    return Call{[=] { kernels::sort(from, sorted, order); },
                {{sorted}, {order}},
                [=] {
                  const auto wide = [](const std::vector<int32_t>& v) {
                    return std::vector<double>(v.begin(), v.end());
                  };
                  const auto expected = tests::sort_reference(keys);
                  return Expected{wide(expected.sorted), wide(expected.order)};
                }};
  });
}

}  // namespace

void sort_rows(const Scope& scope, std::vector<Case>& rows) {
  if (!scope.odd()) {
    const auto words = static_cast<int32_t>(scope.model.config.target_vocabulary);
    rows.push_back(sorting(scope, tests::random_keys(scope.model.tokens(), words, 1), ""));
    return;
  }
  for (const tests::SortCase& c : tests::sort_cases()) rows.push_back(sorting(scope, c.keys, ""));
}

}  // namespace xf::bench
