// What the output layer says at each position of a translation: logits, probabilities, the loss.
// All but ranks and the entropy's sum is computed by the kernels that the model uses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nn/evaluation.h"
#include "tools/config/program_options.h"
#include "tools/explain/traced_sentence.h"

namespace xf::tools::explain {

struct OutputToken {
  int32_t id = 0;
  std::string piece;
  double logit = 0, probability = 0, log_probability = 0;
  int64_t rank = 0;  // from 1, among the whole vocabulary; ties: the smaller id first
};

struct OutputPosition {
  std::string read;               // the token that the decoder reads here
  OutputToken target;             // the one that it is to say
  std::vector<OutputToken> best;  // most probable first
  double entropy = 0;             // of the distribution, nats
  double loss = 0;                // with label smoothing (CE1)
};

struct OutputProbabilities {
  std::vector<std::string> source;
  std::string translation;
  int64_t vocabulary = 0;
  float label_smoothing = 0;
  std::vector<OutputPosition> positions;
  double loss = 0, negative_log_probability = 0;  // sums over all positions

  // The positions to be shown: all, or number `position` from 1. Error usage where there is no
  // such.
  std::vector<size_t> shown(std::optional<int64_t> position) const;
};

// Of one position with the logits z [1, V] (CE1): what is minimised, and -log p(target).
nn::LossSums loss_of(const Tensor& z, int32_t target, float label_smoothing);

// z f32 [Tt, V], as TracedSentence has it last; `top`: how many tokens per position, at most V.
OutputProbabilities output_probabilities(const TracedSentence& sentence, const data::Tokenizer& vocabulary,
                                         float label_smoothing, int64_t top);

std::string to_text(const OutputProbabilities& output, const std::vector<size_t>& shown);
std::string to_json(const OutputProbabilities& output, const std::vector<size_t>& shown);
std::string to_svg(const OutputProbabilities& output, const std::vector<size_t>& shown);

// xformer-explain logits
std::string logits(const LogitsOptions& options);

}  // namespace xf::tools::explain
