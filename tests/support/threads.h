// Our own kernels give the same bits at any number of threads, and twice.
#pragma once

#include <vector>

#include "core/parallel.h"
#include "tests/support/compare.h"

namespace xf::tests {

// `body` returns the tensors that it computed from scratch. Use sizes beyond kernels/cpu/rows.h's
// kSerialElements, or no second thread starts.
template <typename Body>
bool same_bits_at_any_thread_count(const Body& body) {
  const int threads_before = thread_count();
  set_thread_count(1);
  const std::vector<Tensor> expected = body();
  bool same = true;
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    const std::vector<Tensor> actual = body();
    for (size_t i = 0; i < expected.size(); ++i) same = same && same_bits(actual[i], expected[i]);
  }
  set_thread_count(threads_before);
  return same;
}

}  // namespace xf::tests
