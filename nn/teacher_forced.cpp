#include "nn/teacher_forced.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace xf::nn {

namespace {

template <typename T>
bool finite(const Tensor& scores) {
  return std::ranges::all_of(scores.to_vector<T>(), [](T score) { return std::isfinite(score); });
}

void check_finite(const Tensor& scores) {
  if (scores.dtype() == DType::f64 ? finite<double>(scores) : finite<float>(scores)) return;
  fail(ErrorKind::diverged, "the model's log-probabilities are not finite; its weights are damaged");
}

}  // namespace

std::vector<std::vector<int32_t>> teacher_forced(const TranslationModel& model, Arena& arena,
                                                 const PackedBatch& batch) {
  const PackedBatch there = batch.to(arena.device());
  Tape tape(arena, Tape::Mode::inference);
  Step step{.tape = tape};
  const Tensor scores = arena.allocate({batch.target_tokens, 1}, accumulator_of(model.dtype()));
  const Tensor ids = arena.allocate({batch.target_tokens, 1}, DType::i32);
  model.top_k(step, there, scores, ids);
  check_finite(scores);

  const auto all = ids.to_vector<int32_t>(), offsets = batch.target_offsets.to_vector<int32_t>();
  std::vector<std::vector<int32_t>> sentences;
  for (size_t b = 0; b + 1 < offsets.size(); ++b)
    sentences.emplace_back(all.begin() + offsets[b], all.begin() + offsets[b + 1]);
  return sentences;
}

}  // namespace xf::nn
