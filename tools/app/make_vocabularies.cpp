#include "tools/app/make_vocabularies.h"

#include <algorithm>

#include "core/error.h"
#include "data/labels.h"
#include "data/parallel_corpus.h"
#include "data/sentencepiece_tokenizer.h"
#include "data/vocabularies.h"
#include "data/word_tokenizer.h"
#include "tools/app/piece_learning.h"
#include "tools/config/training_options.h"
#include "tools/formats/given_vocabulary.h"
#include "tools/setup/task_data.h"
#include "tools/setup/text_options.h"

namespace xf::tools {
namespace {

using Texts = std::vector<const std::vector<std::string>*>;

std::shared_ptr<const data::Tokenizer> train(const TrainingOptions& options, const Texts& texts,
                                             const std::vector<std::string>& paths, const Announce& announce,
                                             size_t side = 0) {
  if (options.text.tokenizer != "spm") {
    return data::build_word_tokenizer(texts, {.min_frequency = options.text.min_freq,
                                              .specials = {},
                                              .rules = word_rules(options.text, paths, side)});
  }
  return learn_pieces(texts, {.vocab_size = static_cast<int32_t>(options.text.vocab_size)}, announce);
}

// A vocabulary that lower-cases words after cutting must get its text with capitals, and no other
// may.
std::shared_ptr<const data::Tokenizer> load_given(const TrainingOptions& options, const std::string& path) {
  std::shared_ptr<const data::Tokenizer> tokenizer = read_given_vocabulary(path, options.text.tokenizer);
  if (tokenizer->lowercases() != (cuts_by_language(options.text) && options.text.lowercase)) {
    fail(ErrorKind::usage,
         "{}: {} by spaCy's rules; --tokenizer and --lowercase must be the same as when it was made", path,
         tokenizer->lowercases() ? "cuts and lower-cases words" : "does not lower-case words");
  }
  return tokenizer;
}

data::Vocabularies read_or_learn(const TrainingOptions& options, const data::ParallelText& text,
                                 const Announce& announce) {
  const auto& paths = options.data.vocabs;
  const data::TextFiles& first = text.parts.front().files;  // whose names tell the languages
  const nn::ModelType type = model_type(options.model);
  if (type != nn::ModelType::translation) {
    const bool classes = type == nn::ModelType::classification;
    const std::shared_ptr<const data::Tokenizer> of_text =
        paths.empty() ? train(options, {classes ? &text.source : &text.target},
                              {classes ? first.source() : first.target()}, announce)
                      : load_given(options, paths[0]);
    if (classes) return {of_text, data::build_labels(text.target)};
    return {of_text, of_text};
  }
  if (paths.size() == 1) {
    const auto both = load_given(options, paths[0]);
    return {both, both};
  }
  if (paths.size() == 2) return {load_given(options, paths[0]), load_given(options, paths[1])};
  if (options.text.joint_vocab) {
    const auto both =
        train(options, {&text.source, &text.target}, {first.source(), first.target()}, announce);
    return {both, both};
  }
  return {train(options, {&text.source}, {first.source()}, announce),
          train(options, {&text.target}, {first.target()}, announce, 1)};
}

// What there is to say of pieces that were learnt.
void add_notes(const TrainingOptions& options, const data::ParallelText& text,
               data::Vocabularies& vocabularies) {
  const int64_t asked = options.text.vocab_size;
  const bool has_labels = model_type(options.model) == nn::ModelType::classification;
  const int64_t fewest = has_labels ? vocabularies.source->size()
                                    : std::min(vocabularies.source->size(), vocabularies.target->size());
  if (fewest < asked) vocabularies.asked = asked;
  vocabularies.lines_cut = data::lines_cut_by_bpe({&text.source, &text.target});
  const std::vector<Texts> learnt_from = vocabularies.joint()
                                             ? std::vector<Texts>{{&text.source, &text.target}}
                                             : std::vector<Texts>{{&text.source}, {&text.target}};
  for (const Texts& texts : learnt_from)
    vocabularies.share = std::min(vocabularies.share, data::bpe_sample(texts).share);
}

}  // namespace

data::Vocabularies make_vocabularies(const TrainingOptions& options, const data::ParallelText& text,
                                     const Announce& announce) {
  data::Vocabularies vocabularies = read_or_learn(options, text, announce);
  const bool learnt = options.data.vocabs.empty() && options.text.tokenizer == "spm";
  if (learnt) add_notes(options, text, vocabularies);
  return vocabularies;
}

}  // namespace xf::tools
