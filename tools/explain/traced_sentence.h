// One sentence on its way through a trained model, teacher-forced along its translation, and every
// value that the model's blocks show (nn/trace.h).
#pragma once

#include <string>
#include <vector>

#include "data/vocabularies.h"
#include "tools/config/program_options.h"
#include "tools/inference/model_translator.h"

namespace xf::tools::explain {

struct SeenValue {
  std::string block;     // "decoder.layers.1.cross_attention"
  std::string equation;  // "AT2"
  std::string symbol;    // "p"
  Tensor value;          // on the CPU, f32
};

struct TracedSentence {
  PackedBatch batch;                    // what the model read, on its device
  std::vector<std::string> source;      // what the encoder reads: pieces and </s>
  std::vector<std::string> target_in;   // what the decoder reads: <s> and pieces
  std::vector<std::string> target_out;  // what it is to say at each position: pieces and </s>
  std::vector<int32_t> target_ids;      // of target_out
  std::string translation;              // the target as text
  std::vector<SeenValue>
      values;  // in the order of the pass; of a translation the last is the logits [Tt, V], LI1 z of "output"

  // Error failure when no block showed it.
  const SeenValue& find(const std::string& block, const std::string& symbol) const;
};

// Every value that a teacher-forced pass over a batch shows, up to the logits.
std::vector<SeenValue> traced_values(const nn::TranslationModel& model, Arena& arena,
                                     const PackedBatch& batch);

// How a command translates with a model: as xformer-translate does, in f32.
TranslationOptions translation_options(const std::string& model, const ComputeOptions& compute);

// A sentence and its translation as ids, of a model on `device` that may be in training. Of the
// translation as much as the model reads; of the source no more may be given.
TracedSentence trace_pair(const nn::TranslationModel& model, Arena& arena,
                          const data::Vocabularies& vocabularies, Device device,
                          const std::vector<int32_t>& source_ids, std::vector<int32_t> target_ids);

// "a sentence of 70 tokens; RUN was trained on at most 50, </s> counted": with </s> as many
// `tokens`; "" for one that is not longer.
std::string length_warning(const LoadedModel& model, int64_t tokens);
// On the standard error.
void warn_of_length(const LoadedModel& model, const std::vector<int32_t>& ids);

// A text on its way through a language model, which reads it as a target side, or through a
// classifier, which reads it as a source; the other side is empty. Of the classifier nothing behind
// its encoder. Error usage as below, and for a translation model.
TracedSentence trace_text(const LoadedModel& model, Arena& arena, const std::string& text);

// `source` and `target` are lines of text as a user writes them; an empty target: the model's own
// translation. Error usage for a line without tokens, or with more than the model reads; one that
// is longer than in training is warned of on the standard error.
TracedSentence trace_sentence(ModelTranslator& model, const std::string& source, const std::string& target);

}  // namespace xf::tools::explain
