// Embedding on the CPU. Forward: threads take runs of tokens. Backward: threads take runs of
// `order`, moved forward to where the id changes, so that a table row has one writer, which adds
// its tokens in order at any thread count.
#include "kernels/embedding.h"

#include <cmath>

#include "kernels/cpu/element.h"
#include "kernels/cpu/philox_row.h"
#include "kernels/cpu/rows.h"

namespace xf::kernels {

namespace {

// `what` = "op: index", `table` = what the index is one of.
void check_range(const int32_t* values, int64_t N, int64_t limit, const char* what, const char* table,
                 int32_t least = 0) {
  for (int64_t n = 0; n < N; ++n) {
    XF_CHECK(values[n] >= least && values[n] < limit, "{} {} of token {} is outside of the {} {}", what,
             values[n], n, limit, table);
  }
}

}  // namespace

template <typename T, CpuLevel L>
void embedding_forward(Cpu<L>, const EmbeddingForwardArgs<T>& args) {
  check_range(args.ids, args.N, args.V, "embedding: id", "words of the vocabulary", kEmptyPlace);
  check_range(args.positions, args.N, args.P, "embedding: position", "positions of the table");
  const Acc<T> scale = args.scale;  // EM1
  for_each_row(args.N, args.D, [&](int64_t n) {
    if (args.ids[n] == kEmptyPlace) return fill_zero(args.x + n * args.D, args.D);
    for_each_dropout_run<Acc<T>>(
        args.dropout, n, args.D, [&](int64_t begin, int64_t count, const Acc<T>* factors) {
          const T* const word = args.table + args.ids[n] * args.D + begin;
          const T* const position = args.position_table + args.positions[n] * args.D + begin;
          T* const x = args.x + n * args.D + begin;
          if (factors) {
#pragma omp simd
            for (int64_t i = 0; i < count; ++i)
              store((scale * widen(word[i]) + widen(position[i])) * factors[i], x + i);
          } else {
#pragma omp simd
            for (int64_t i = 0; i < count; ++i) store(scale * widen(word[i]) + widen(position[i]), x + i);
          }
        });
  });
}

template <>
void quantized_embedding_forward(Cpu<kLevel>, const QuantizedEmbeddingArgs& args) {
  check_range(args.ids, args.N, args.V, "embedding: id", "words of the vocabulary");
  check_range(args.positions, args.N, args.P, "embedding: position", "positions of the table");
  const int64_t strip = quads_of(args.D) * kStrip;
  for_each_row(args.N, args.D, [&](int64_t n) {
    const int64_t word = args.ids[n];
    const int32_t* const quads = args.quads + word / kStrip * strip + word % kStrip;
    const float step = args.scale * args.scales[word];
    const float* const position = args.position_table + args.positions[n] * args.D;
    float* const x = args.x + n * args.D;
    for (int64_t i = 0; i < args.D; ++i) {
      const auto value = static_cast<int8_t>(quads[i / kQuad * kStrip] >> 8 * (i % kQuad));
      x[i] = std::fma(step, static_cast<float>(value), position[i]);  // EM5
    }
  });
}

template <typename T, CpuLevel L>
void embedding_backward(Cpu<L>, const EmbeddingBackwardArgs<T>& args) {
  check_range(args.ids, args.N, args.V, "embedding_backward: id", "words of the vocabulary", kEmptyPlace);
  check_range(args.order, args.N, args.N, "embedding_backward: order", "tokens");
  const Acc<T> scale = args.scale;  // EM2
  const auto next_word = [&](int64_t i) {
    while (i > 0 && i < args.N && args.ids[args.order[i]] == args.ids[args.order[i - 1]]) ++i;
    return i;
  };
  const auto add_token = [&](int64_t n) {
    if (args.ids[n] == kEmptyPlace) return;
    for_each_dropout_run<Acc<T>>(args.dropout, n, args.D,
                                 [&](int64_t begin, int64_t count, const Acc<T>* factors) {
                                   const T* const dx = args.dx + n * args.D + begin;
                                   Acc<T>* const row = args.dtable + args.ids[n] * args.D + begin;
                                   if (factors) {
#pragma omp simd
                                     for (int64_t i = 0; i < count; ++i)
                                       row[i] += scale * (widen(dx[i]) * factors[i]);
                                   } else {
#pragma omp simd
                                     for (int64_t i = 0; i < count; ++i) row[i] += scale * widen(dx[i]);
                                   }
                                 });
  };
  parallel_for(args.N, row_grain(args.D), [&](int64_t begin, int64_t end) {
    const int64_t last = next_word(end);
    for (int64_t i = next_word(begin); i < last; ++i) add_token(args.order[i]);
  });
}

XF_INSTANTIATE(embedding_forward, EmbeddingForwardArgs);
XF_INSTANTIATE(embedding_backward, EmbeddingBackwardArgs);

}  // namespace xf::kernels
