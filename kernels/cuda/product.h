// A matrix product through cuBLASLt with what the library can do to it on the way, its epilogues.
// Behind kernels/matmul.h and kernels/linear.h.
#pragma once

#include <compare>

#include "kernels/matmul.h"

namespace xf::kernels {

// In the terms of C [M, N] = op(A) op(B); at most one of the vectors.
template <typename C>
struct Epilogue {
  const C* bias = nullptr;  // [N], added to every row of C
  bool relu = false;        // after the bias: C = max(0, C)
  C* sums_of_a = nullptr;   // [M] written: sum_k op(A)[m, k], beside C, which is written or
                            // accumulated
};

// So many products of equal sizes, each operand so many elements behind that of the product before.
struct Batch {
  int64_t count = 1, a_stride = 0, b_stride = 0, c_stride = 0;
  auto operator<=>(const Batch&) const = default;
};

// M, N, K >= 1. Returns false, with nothing done, where cuBLASLt has no kernel for the epilogue at
// these sizes, types and alignments, or the vector does not begin at a multiple of 16 bytes;
// without an epilogue it throws instead.
//
// The kernel is chosen when a product is first seen, by the library's heuristic, and remembered: it
// is a function of sizes, strides, types, epilogue, alignment (in units of up to 16 bytes) and
// version of the library, not of timing. A product that is new while a graph is being captured
// throws.
template <typename T, typename C>
bool multiply(const MatmulArgs<T, C>& args, const Epilogue<C>& epilogue, const Batch& batch = {});

}  // namespace xf::kernels
