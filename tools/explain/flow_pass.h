// The pass that a flow is drawn from: a trained model on a sentence, or a micro-model with fixed
// random weights on a made-up one, so that there is a picture before there is a model.
#pragma once

#include "tools/config/program_options.h"
#include "tools/explain/micro_model.h"
#include "tools/explain/traced_sentence.h"

namespace xf::tools::explain {

// Which target the decoder is forced along.
enum class FlowTarget {
  reference,  // a translation: the micro-model's is made up, a trained model's is its own, by beam
              // search
  greedy,     // what the model says itself, one word after the other
};

struct FlowPass {
  std::string model;  // for a caption: "a micro-model with random weights", or the folder of the
                      // weights
  nn::TransformerConfig config;
  TracedSentence traced;
  std::vector<std::string> vocabulary;  // every word of the target side; empty for a trained model
  Tensor words, positions;  // f32 [Ts, D] on the CPU: (EM1)'s terms for the source, scale * table and (EM3)
  std::vector<double> losses;  // [Tt]: -log p of what is to be said, by (CE1)
};

// The micro-model with two layers on either side.
FlowPass micro_pass(FlowTarget target);

// `options`: of a command with model, device and cpu-threads. Errors as trace_sentence() and
// load_model() have them.
FlowPass model_pass(const FlowOptions& options, const std::string& sentence, FlowTarget target);

}  // namespace xf::tools::explain
