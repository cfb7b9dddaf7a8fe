#include "tools/app/vocabulary_warnings.h"
#include "tools/config/training_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "data/parallel_corpus.h"
#include "data/unicode.h"
#include "data/unknown_share.h"
#include "data/word_boundaries.h"

namespace xf::tools {
namespace {

constexpr double kManyUnknown = 0.05;
constexpr double kForeign = 0.25;                       // of a text that is measured on
constexpr int64_t kSampled = 10000;                     // sentences of a side, evenly from all of
                                                        // it
constexpr int64_t kFewTokens = 3, kManyCharacters = 5;  // of a line
constexpr std::string_view kMark = "\u2581";

struct Side {
  std::string text, vocabulary;  // where they are from
  const data::Sequences& sequences;
  const data::Tokenizer& tokenizer;
};

struct Unknown {
  double share = 0;
  int64_t first = -1;  // the first sentence that has one
};

// visit(ids, place)
template <typename Visit>
void for_each_sampled(const Side& side, const Visit& visit) {
  const int64_t step = std::max<int64_t>(1, side.sequences.size() / kSampled);
  for (int64_t i = 0; i < side.sequences.size(); i += step) visit(side.sequences[i], i);
}

Unknown unknown_of(const Side& side) {
  data::UnknownCount count(side.tokenizer);
  Unknown unknown;
  for_each_sampled(side, [&](const std::vector<int32_t>& ids, int64_t i) {
    count.add(ids);
    if (unknown.first < 0 && count.unknown() > 0) unknown.first = i;
  });
  unknown.share = count.share();
  return unknown;
}

// What an entry of a list may look like.
bool is_piece(const std::string& entry) {
  return entry.ends_with("@@") || (entry.size() > kMark.size() && entry.starts_with(kMark));
}
bool is_character(const std::string& entry) { return data::to_utf32(entry).size() == 1; }
bool is_composed(const std::string& entry) { return data::is_nfc(entry); }
bool is_lower_case(const std::string& entry) { return data::lower_case(entry) == entry; }

template <typename Holds>
double share(const data::Tokenizer& tokenizer, Holds holds) {
  int64_t count = 0;
  for (int32_t id = 0; id < tokenizer.size(); ++id) count += holds(tokenizer.piece(id));
  return static_cast<double>(count) / std::max(1, tokenizer.size());
}

std::string what_to_do(const Side& side, const TrainingOptions& options) {
  const data::Tokenizer& tokenizer = side.tokenizer;
  if (std::string_view(tokenizer.extension()) == ".spm" && share(tokenizer, is_composed) < 0.99)
    return "its pieces are not in Unicode's form NFC, and the text is: give one that was learnt from NFC";
  if (std::string_view(tokenizer.extension()) == ".spm")
    return "give a SentencePiece model of this language and script, for text that is not split yet";
  if (share(tokenizer, is_piece) > 0.1)
    return "its entries are pieces: split the text into them first, or give the SentencePiece model instead";
  if (share(tokenizer, is_character) > 0.9) return "its entries are characters: give --tokenizer character";
  const double lower = share(tokenizer, is_lower_case);
  if (options.text.lowercase && lower < 0.95)
    return "its words have capitals, and the text is lower-cased: give --lowercase=false";
  if (!options.text.lowercase && lower > 0.99)
    return "its words are in lower case: give --lowercase, or a list with capitals";
  return "give a list of this text's words, separated by spaces";
}

std::string described(const Side& side, const Unknown& unknown, const data::ParallelCorpus& corpus) {
  return fmt::format("{}: {:.1f}% of the tokens are unknown to the vocabulary {}, the first on {}", side.text,
                     100 * unknown.share, side.vocabulary, corpus.place(unknown.first));
}

// The sides that are text, and not classes.
std::vector<Side> sides_of(const TrainingInputs& inputs) {
  const TrainingOptions& options = inputs.options;
  const data::ParallelCorpus& corpus = inputs.corpus;
  const std::vector<std::string>& given = options.data.vocabs;
  const std::string other =
      !options.saving.pretrained_model.empty() ? "of " + options.saving.pretrained_model : "learnt here";
  const data::TextFiles& files = corpus.parts.front().files;
  std::vector<Side> sides;
  if (corpus.has_source())
    sides.push_back(
        {files.source(), given.empty() ? other : given.front(), corpus.source, *inputs.vocabularies.source});
  if (corpus.targets_end)
    sides.push_back(
        {files.target(), given.empty() ? other : given.back(), corpus.target, *inputs.vocabularies.target});
  return sides;
}

void add_unknown(const Side& side, const TrainingInputs& inputs, std::vector<std::string>& warnings) {
  const TrainingOptions& options = inputs.options;
  const Unknown unknown = unknown_of(side);
  if (unknown.share <= kManyUnknown) return;
  const std::string text = described(side, unknown, inputs.corpus);
  if (options.data.vocabs.empty() && options.saving.pretrained_model.empty()) {
    const bool has_pieces = std::string_view(side.tokenizer.extension()) == ".spm";
    warnings.push_back(text + (has_pieces ? "; characters that its training lines lack are unknown"
                                          : fmt::format("; words rarer than --min-freq {} are unknown",
                                                        options.text.min_freq)));
    return;
  }
  const std::string advice = what_to_do(side, options);
  if (unknown.share > data::kMostUnknown && !options.data.allow_unknown)
    fail(ErrorKind::data, "{}; {}; --allow-unknown trains on it anyway", text, advice);
  warnings.push_back(text + "; " + advice);
}

// A text to measure on that is of another language, or whose sides are the wrong way round.
void add_unlike(const ValidationSet& set, const std::string& option, const TrainingInputs& inputs,
                std::vector<std::string>& warnings) {
  using enum data::Spacing;
  const data::TextFiles& files = set.text.parts.front().files;
  if (inputs.spacing && *inputs.spacing != one_token && set.fit.spacing != one_token &&
      (*inputs.spacing == unspaced) != (set.fit.spacing == unspaced)) {
    warnings.push_back(
        fmt::format("{}: {} is written {} spaces, unlike the training target; are the files in the order of "
                    "--train-sets?",
                    option, files.target(), set.fit.spacing == unspaced ? "without" : "with"));
  }
  const auto add = [&](const std::string& path, const data::Sequences& sequences,
                       const data::Tokenizer& tokenizer, const data::Sequences& learnt) {
    const double share = unknown_of({path, "", sequences, tokenizer}).share;
    if (share > kForeign && share > 2 * unknown_of({path, "", learnt, tokenizer}).share)
      warnings.push_back(
          fmt::format("{}: {:.1f}% of the tokens of {} are unknown to the vocabulary; "
                      "is it the language of --train-sets?",
                      option, 100 * share, path));
  };
  const data::ParallelCorpus& corpus = inputs.corpus;
  add(files.source(), set.corpus.source, *inputs.vocabularies.source, corpus.source);
  add(files.target(), set.corpus.target, *inputs.vocabularies.target, corpus.target);
}

// Pieces that are whole lines, as BPE makes them of little text without spaces, say nothing about
// other lines.
void add_long_pieces(const Side& side, const TrainingOptions& options, std::vector<std::string>& warnings) {
  const bool is_learnt = options.data.vocabs.empty() && options.saving.pretrained_model.empty();
  if (!is_learnt || std::string_view(side.tokenizer.extension()) != ".spm") return;
  int64_t lines = 0, tokens = 0, characters = 0;  // these of scripts without spaces
  for_each_sampled(side, [&](const std::vector<int32_t>& ids, int64_t) {
    ++lines;
    tokens += std::ssize(ids);
    for (const int32_t id : ids)
      characters +=
          std::ranges::count_if(data::to_utf32(side.tokenizer.piece(id)), data::is_written_without_spaces);
  });
  if (tokens >= kFewTokens * lines || characters < kManyCharacters * lines) return;
  const auto a_line = [&](int64_t count) { return static_cast<double>(count) / static_cast<double>(lines); };
  warnings.push_back(
      fmt::format("{}: {:.1f} pieces a line of {:.1f} characters: they are nearly whole lines; give a "
                  "smaller --vocab-size than {}",
                  side.text, a_line(tokens), a_line(characters), options.text.vocab_size));
}

// Words of a given list that only other normalisation forms tell apart: text, in form C, has one of
// them.
void add_same_words(const Side& side, const TrainingInputs& inputs, std::vector<std::string>& warnings) {
  const data::Tokenizer& tokenizer = side.tokenizer;
  if (inputs.options.data.vocabs.empty() || std::string_view(tokenizer.extension()) != ".txt") return;
  std::set<std::string> words;
  int64_t same = 0;
  std::string last;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    std::string word = data::normalize_nfc(tokenizer.piece(id));
    if (words.insert(word).second) continue;
    ++same;
    last = std::move(word);
  }
  const std::string warning = fmt::format(
      "{}: {} of its words, as '{}', differ from others only in Unicode's normal form; the text is in NFC "
      "and never has them",
      side.vocabulary, same, last);
  if (same > 0 && std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
}

// Lines of the source that begin with no tag, where the model has tags of several languages.
void add_untagged(const TrainingInputs& inputs, std::vector<std::string>& warnings) {
  const data::ParallelCorpus& corpus = inputs.corpus;
  const data::Tokenizer& source = *inputs.vocabularies.source;
  const std::vector<std::string> tags = source.tags();
  if (!corpus.has_source() || tags.size() < 2 || !tags.front().starts_with(">>")) return;
  const std::set<std::string> known(tags.begin(), tags.end());
  int64_t untagged = 0, read = 0;
  const int64_t step = std::max<int64_t>(1, corpus.size() / kSampled);
  for (int64_t i = 0; i < corpus.size(); i += step) {
    ++read;
    untagged += !known.contains(source.piece(corpus.source[i].front()));
  }
  if (untagged == 0) return;
  warnings.push_back(fmt::format(
      "{}: {:.1f}% of the lines do not begin with a language tag, and the model has {}: {} {} ...",
      corpus.parts.front().files.source(), 100 * static_cast<double>(untagged) / static_cast<double>(read),
      tags.size(), tags[0], tags[1]));
}

// Scores of text that stays cut into pieces are higher than those of words.
void add_scored_pieces(const TrainingInputs& inputs, std::vector<std::string>& warnings) {
  const data::Tokenizer& target = *inputs.vocabularies.target;
  const auto& metrics = inputs.options.validation.valid_metrics;
  const bool scores_text =
      std::ranges::any_of(metrics, [](const std::string& name) { return name == "bleu" || name == "chrf"; });
  if (!inputs.validation || !scores_text || !target.serialize().starts_with("#words whitespace")) return;
  if (share(target, is_piece) > 0.1)
    warnings.push_back(
        "BLEU and chrF of validations count pieces, since the text is split into them; join the pieces of "
        "translation and reference before comparing with other scores");
}

}  // namespace

std::vector<std::string> vocabulary_warnings(const TrainingInputs& inputs) {
  if (inputs.start == RunStart::resumed) return {};
  std::vector<std::string> warnings;
  for (const Side& side : sides_of(inputs)) {
    add_unknown(side, inputs, warnings);
    add_same_words(side, inputs, warnings);
    add_long_pieces(side, inputs.options, warnings);
  }
  if (model_type(inputs.options.model) == nn::ModelType::translation) {
    if (inputs.validation) add_unlike(*inputs.validation, "valid-sets", inputs, warnings);
    for (const TestSet& test : inputs.tests) add_unlike(*test.set, "test-sets", inputs, warnings);
  }
  add_untagged(inputs, warnings);
  add_scored_pieces(inputs, warnings);
  return warnings;
}

}  // namespace xf::tools
