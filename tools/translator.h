// Lines of text to their translations: encode, search in batches sorted by length, decode, back in order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nn/search.h"
#include "tools/vocabularies.h"

namespace xf::tools {

// Of a batch, at most; caps the memory of long sentences.
constexpr int64_t kSourceTokensPerBatch = 8192;

struct Translation {
  std::vector<nn::Hypothesis> hypotheses;  // best first; none for a line without tokens
  std::vector<std::string> texts;          // of each hypothesis; one empty text for a line without tokens
  bool cropped = false;                    // the line was longer than the model can read
};

// `search` with the special ids of the target vocabulary.
nn::SearchOptions with_specials(nn::SearchOptions search, const data::Tokenizer& target);

class Translator {
 public:
  // `search` needs no special ids: with_specials() adds them.
  Translator(const nn::TranslationModel& model, Arena& arena, const Vocabularies& vocabularies,
             nn::SearchOptions search, int64_t sentences_per_batch);

  // One translation per line, in order. Lines are prepared already (data::TextPipeline). Throws Stopped
  // between batches.
  std::vector<Translation> translate(const std::vector<std::string>& lines) const;

 private:
  const Vocabularies& vocabularies_;
  size_t most_words_;  // tokens of a line that the model reads, without </s>
  nn::Search search_;
  int64_t sentences_per_batch_;
};

}  // namespace xf::tools
