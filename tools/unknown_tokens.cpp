#include "tools/unknown_tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "data/unicode.h"
#include "data/unknown_share.h"

namespace xf::tools {
namespace {

constexpr double kManyUnknown = 0.05;
constexpr int64_t kSampled = 10000;  // sentences of a side, evenly from all of it
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

Unknown unknown_of(const Side& side) {
  data::UnknownCount count(side.tokenizer);
  Unknown unknown;
  const int64_t step = std::max<int64_t>(1, side.sequences.size() / kSampled);
  for (int64_t i = 0; i < side.sequences.size(); i += step) {
    count.add(side.sequences[i]);
    if (unknown.first < 0 && count.unknown() > 0) unknown.first = i;
  }
  unknown.share = count.share();
  return unknown;
}

// What an entry of a list may look like.
bool is_piece(const std::string& entry) {
  return entry.ends_with("@@") || (entry.size() > kMark.size() && entry.starts_with(kMark));
}
bool is_character(const std::string& entry) { return data::to_utf32(entry).size() == 1; }
bool is_lower_case(const std::string& entry) { return data::lower_case(entry) == entry; }

template <typename Holds>
double share(const data::Tokenizer& tokenizer, Holds holds) {
  int64_t count = 0;
  for (int32_t id = 0; id < tokenizer.size(); ++id) count += holds(tokenizer.piece(id));
  return static_cast<double>(count) / std::max(1, tokenizer.size());
}

std::string what_to_do(const Side& side, const Options& options) {
  const data::Tokenizer& tokenizer = side.tokenizer;
  if (std::string_view(tokenizer.extension()) == ".spm")
    return "give a SentencePiece model of this language and script, for text that is not cut yet";
  if (share(tokenizer, is_piece) > 0.1)
    return "its entries are pieces: cut the text into them first, or give the SentencePiece model in its "
           "place";
  if (share(tokenizer, is_character) > 0.9) return "its entries are characters: give --tokenizer character";
  if (!options.get_bool("lowercase") && share(tokenizer, is_lower_case) > 0.99)
    return "its words are in lower case: give --lowercase, or a list with capitals";
  return "give a list of the words as they stand in this text, apart by spaces";
}

std::string described(const Side& side, const Unknown& unknown, const data::ParallelCorpus& corpus) {
  return fmt::format("{}: {:.1f}% of the tokens are unknown to the vocabulary {}, the first on {}", side.text,
                     100 * unknown.share, side.vocabulary, corpus.place(unknown.first));
}

}  // namespace

std::vector<std::string> unknown_token_warnings(const TrainingInputs& inputs) {
  if (inputs.start == RunStart::resumed) return {};
  const Options& options = inputs.options;
  const data::ParallelCorpus& corpus = inputs.corpus;
  const std::vector<std::string>& given = options.get_strings("vocabs");
  const bool is_pretrained = given.empty() && options.is_set("pretrained-model");
  const std::string pretrained =
      is_pretrained ? "of " + options.get_string("pretrained-model") : "learnt here";
  const data::TextFiles& files = corpus.parts.front().files;
  std::vector<Side> sides;
  if (corpus.has_source())
    sides.push_back({files.source(), given.empty() ? pretrained : given.front(), corpus.source,
                     *inputs.vocabularies.source});
  if (corpus.targets_end)
    sides.push_back({files.target(), given.empty() ? pretrained : given.back(), corpus.target,
                     *inputs.vocabularies.target});
  std::vector<std::string> warnings;
  for (const Side& side : sides) {
    const Unknown unknown = unknown_of(side);
    if (unknown.share <= kManyUnknown) continue;
    const std::string text = described(side, unknown, corpus);
    if (given.empty() && !is_pretrained) {
      warnings.push_back(text +
                         fmt::format("; words rarer than --min-freq {} are", options.get_int("min-freq")));
      continue;
    }
    if (unknown.share > data::kMostUnknown && !options.get_bool("allow-unknown"))
      fail(ErrorKind::data, "{}; {}; --allow-unknown trains on it all the same", text,
           what_to_do(side, options));
    warnings.push_back(text + "; " + what_to_do(side, options));
  }
  return warnings;
}

}  // namespace xf::tools
