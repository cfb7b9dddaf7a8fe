// A model along given targets (nn/teacher_forced.h), line by line: its likeliest words, which two
// tutorials score, and how probable the targets are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/arena.h"
#include "data/vocabularies.h"
#include "nn/translation_model.h"

namespace xf::tools {

// The text of the ids without special tokens, and without words that have a "<" in them. The source
// and the target have been through the vocabulary too, so what it does not know is missing there.
struct ForcedLine {
  std::string source, target, predicted;
};

// The line's words but those with a "<" in them.
std::string without_special_words(std::string_view line);

// One per pair of lines, in order; lines are prepared already (data::TextPipeline). Error data for
// a line that is longer than the model's positions. Throws Stopped between batches.
std::vector<ForcedLine> teacher_forced(const nn::TranslationModel& model, Arena& arena,
                                       const data::Vocabularies& vocabularies,
                                       const std::vector<std::string>& sources,
                                       const std::vector<std::string>& targets, int64_t sentences_per_batch);

// log p, in nats, of each token of each target, </s> last. Lines and errors as above.
std::vector<std::vector<double>> log_probabilities(const nn::TranslationModel& model, Arena& arena,
                                                   const data::Vocabularies& vocabularies,
                                                   const std::vector<std::string>& sources,
                                                   const std::vector<std::string>& targets);

}  // namespace xf::tools
