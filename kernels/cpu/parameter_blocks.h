// What optimisers share on the CPU. They work in blocks of a constant size, so that a block's
// vector loop, and with it every rounding, is the same at any number of threads.
#pragma once

#include <algorithm>

#include "core/parallel.h"
#include "kernels/cpu/element.h"

namespace xf::kernels {

constexpr int64_t kBlock = 4096;      // elements
constexpr int64_t kSerialBlocks = 4;  // fewer are not worth a second thread

// body(block, begin, end)
template <typename Body>
void for_each_block(int64_t P, const Body& body) {
  parallel_for((P + kBlock - 1) / kBlock, kSerialBlocks, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      body(block, block * kBlock, std::min(P, (block + 1) * kBlock));
    }
  });
}

// What an update that is skipped does.
template <typename T>
void zero_gradient(int64_t P, T* g) {
  for_each_block(P, [=](int64_t, int64_t begin, int64_t end) { std::fill(g + begin, g + end, T{0}); });
}

// What the gradient is multiplied by; norm: of its mean over tokens.
inline double gradient_scale(double norm, float per_token, float clip_norm) {
  const double clip = clip_norm > 0 && norm > clip_norm ? clip_norm / norm : 1.0;
  return per_token * clip;
}

// rounded: null where the model computes in p.
template <typename T>
void round_block(const T* p, int64_t begin, int64_t end, bf16* rounded) {
  if (!rounded) return;
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) store(static_cast<float>(p[i]), rounded + i);
}

[[noreturn]] inline void refuse_bf16(const char* op) {
  fail(ErrorKind::failure, "{}: parameters and their gradients must be f32 or f64 on the CPU, got bf16", op);
}

}  // namespace xf::kernels
