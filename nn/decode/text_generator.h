// Text from a language model: each next token is drawn (nn/sampling_filter.h). What is drawn is a
// function of the seed, the prompt's number and the model's logits, whatever other prompts are
// continued beside it.
#pragma once

#include "nn/language_model.h"
#include "nn/sampling_filter.h"

namespace xf::nn {

struct SamplingOptions {
  SamplingFilter filter = {};
  // Tokens of a line, prompt included; at most Model::kMaxPositions, and a model that reads fewer
  // ends there.
  int64_t max_length = 100;
  uint64_t seed = 1;
  // Ids. <s> and <pad> never come out, nor does <unk>; -1: the vocabulary has no such token.
  int32_t bos = -1, eos = -1, unk = -1, pad = -1;
};

struct SampledLine {
  std::vector<int32_t> ids;  // prompt and continuation, without </s>
  bool cut = false;          // the length limit came before </s>
};

class TextGenerator {
 public:
  // Error usage for options that make no sense.
  TextGenerator(const LanguageModel& model, Arena& arena, const SamplingOptions& options);

  // A line for each prompt, ids that may be none. They are numbered from `first_number`. Memory
  // comes from the arena and is back there on return. Errors: usage for a prompt of max_length
  // tokens or more; diverged when logits are not finite.
  std::vector<SampledLine> sample(const std::vector<std::vector<int32_t>>& prompts,
                                  uint64_t first_number) const;

  // Tokens of a line: what was asked for, or less where the model reads no more.
  int64_t max_length() const { return options_.max_length; }

 private:
  const LanguageModel& model_;
  Arena& arena_;
  SamplingOptions options_;
  std::vector<int32_t> banned_;  // ids that never come out
};

}  // namespace xf::nn
