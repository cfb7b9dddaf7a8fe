#include "nn/teacher_forced.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/error.h"
#include "nn/evaluation.h"

namespace xf::nn {

namespace {

template <typename T>
bool finite(const Tensor& scores) {
  return std::ranges::all_of(scores.to_vector<T>(), [](T score) { return std::isfinite(score); });
}

[[noreturn]] void fail_as_not_finite() {
  fail(ErrorKind::diverged, "the model's log-probabilities are not finite; its weights are damaged");
}

void check_finite(const Tensor& scores) {
  if (!(scores.dtype() == DType::f64 ? finite<double>(scores) : finite<float>(scores))) fail_as_not_finite();
}

// log softmax(z) of one entry.
double log_probability(std::span<const double> z, int32_t id) {
  const double top = *std::ranges::max_element(z);
  double sum = 0;
  for (const double value : z) sum += std::exp(value - top);
  return z[static_cast<size_t>(id)] - top - std::log(sum);
}

// What is there for each target token of a batch, by sentence.
template <typename T>
std::vector<std::vector<T>> by_sentence(const std::vector<T>& of_tokens, const PackedBatch& batch) {
  const auto offsets = batch.target_offsets.to_vector<int32_t>();
  std::vector<std::vector<T>> sentences;
  for (size_t b = 0; b + 1 < offsets.size(); ++b)
    sentences.emplace_back(of_tokens.begin() + offsets[b], of_tokens.begin() + offsets[b + 1]);
  return sentences;
}

}  // namespace

std::vector<std::vector<int32_t>> teacher_forced(const TranslationModel& model, Arena& arena,
                                                 const PackedBatch& batch) {
  const PackedBatch there = batch.to(arena.device());
  Tape tape(arena, Tape::Mode::inference);
  ForwardContext context{.tape = tape};
  const Tensor scores = arena.allocate({batch.target_tokens, 1}, accumulator_of(model.dtype()));
  const Tensor ids = arena.allocate({batch.target_tokens, 1}, DType::i32);
  model.top_k(context, there, scores, ids);
  check_finite(scores);
  return by_sentence(ids.to_vector<int32_t>(), batch);
}

std::vector<std::vector<double>> log_probabilities(const TranslationModel& model, Arena& arena,
                                                   const PackedBatch& batch) {
  Tape tape(arena, Tape::Mode::inference);
  ForwardContext context{.tape = tape};
  const Tensor logits = model.logits(context, batch.to(arena.device()));
  const std::vector<double> all = read_values(logits);
  const std::vector<int32_t> targets = batch.target_out.to_vector<int32_t>();
  const auto V = static_cast<size_t>(logits.width());
  std::vector<double> of_tokens;
  for (size_t i = 0; i < targets.size(); ++i)
    of_tokens.push_back(log_probability({all.data() + i * V, V}, targets[i]));
  if (!std::ranges::all_of(of_tokens, [](double value) { return std::isfinite(value); }))
    fail_as_not_finite();
  return by_sentence(of_tokens, batch);
}

}  // namespace xf::nn
