// Lines of text to their translations: encode, search in batches sorted by length, decode, back in
// order. Where there are enough batches, each thread has its own; the translations are the same.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/dist/collective.h"
#include "data/batches.h"
#include "data/parallel_corpus.h"
#include "data/vocabularies.h"
#include "nn/decode/alignment.h"
#include "nn/decode/search.h"

namespace xf::tools {

// Of a batch, at most; caps the memory of long sentences.
constexpr int64_t kSourceTokensPerBatch = 8192;

// A line to translate, prepared already (data::TextPipeline).
struct SourceLine {
  std::string text;
  std::string prefix = {};        // what its translation begins with
  std::string shown_prefix = {};  // how the translation shows it; empty: as the prefix's tokens say
};

struct Translation {
  std::vector<nn::Hypothesis> hypotheses;  // best first; none for a line without tokens
  std::vector<std::string> texts;          // of each hypothesis; one empty text for a line without
                                           // tokens
  std::vector<nn::Alignment> alignments;   // of each hypothesis, if asked for
  bool cropped = false;                    // the line was longer than the model can read
  bool unknown = false;                    // most of it is in no piece (data::is_mostly_unknown())
};

// body(batch, arena) of each batch that is the share's. Where there are enough of them each worker,
// a thread, has its own, and but for the first one its own arena. Throws Stopped between batches.
void for_each_batch(const std::vector<data::IndexedBatch>& batches, Arena& arena, int workers, Share share,
                    const std::function<void(const data::IndexedBatch& batch, Arena& arena)>& body);

// Workers for it: all threads, each with a batch of its own, on the CPU; one elsewhere.
int workers_on(Device device);

// `search` with the special ids of the target vocabulary.
nn::SearchOptions with_specials(nn::SearchOptions search, const data::Tokenizer& target);

class Translator {
 public:
  using Found = std::function<void(const Translation& translation, size_t line)>;

  // `search` needs no special ids: with_specials() adds them. `alignment_layer`: aligns by it
  // (nn/decode/alignment.h). `workers`: threads that may have a batch each, with memory besides the
  // arena's; on the CPU. `share`: of the batches; lines of the others get no texts.
  Translator(const nn::TranslationModel& model, Arena& arena, const data::Vocabularies& vocabularies,
             nn::SearchOptions search, int64_t sentences_per_batch,
             std::optional<int64_t> alignment_layer = std::nullopt, int workers = 1, Share share = {});

  // One translation per line, in order. `first_number`: of the first line, for what is drawn.
  // `found` gets each translation and its place in `lines` as it is there, in any order, one at a
  // time. Errors as Search::translate() and align() have them. Throws Stopped between batches.
  std::vector<Translation> translate(const std::vector<SourceLine>& lines, uint64_t first_number = 0,
                                     const Found& found = {}) const;
  // without prefixes
  std::vector<Translation> translate(const std::vector<std::string>& lines) const;

 private:
  struct Lines;
  void translate(const Lines& lines, const data::IndexedBatch& indexed, Arena& arena) const;
  void add_alignments(const data::Sequences& sources, const std::vector<int64_t>& sentences,
                      const std::vector<Translation*>& translations, Arena& arena) const;

  const nn::TranslationModel& model_;
  Arena& arena_;
  const data::Vocabularies& vocabularies_;
  size_t most_words_;  // tokens of a line that the model reads, without </s>
  nn::SearchOptions search_;
  int64_t sentences_per_batch_;
  std::optional<int64_t> alignment_layer_;
  int workers_;
  Share share_;
};

}  // namespace xf::tools
