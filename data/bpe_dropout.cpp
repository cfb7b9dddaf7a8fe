#include "data/bpe_dropout.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/parallel.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

constexpr std::string_view kSpace = "\u2581";  // what SentencePiece writes for the space before a
                                               // word

// Streams of the seed, the uppermost bit set, which in no other stream is: shuffles are numbered by
// epochs, parameters from 0 on.
constexpr uint64_t kSourceSite = 2, kTargetSite = 3;
uint64_t stream_of(uint64_t site, int64_t epoch, int64_t line) {
  return site << 62 | static_cast<uint64_t>(epoch) << 36 | static_cast<uint64_t>(line);
}

constexpr int64_t kGrain = 1000;  // sentences

int64_t character_bytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// Where the characters of a word end, from 0 on.
std::vector<size_t> character_ends(std::string_view word) {
  std::vector<size_t> ends = {0};
  while (ends.back() < word.size())
    ends.push_back(ends.back() + static_cast<size_t>(character_bytes(word[ends.back()])));
  return ends;
}

}  // namespace

BpeDropout::BpeDropout(const Tokenizer& tokenizer, double rate)
    : tokenizer_(tokenizer), threshold_(static_cast<uint32_t>(std::min(rate * 0x1p32, 0x1p32 - 1))) {
  XF_CHECK(rate >= 0 && rate <= 1, "bpe_dropout: rate must be in [0, 1], got {}", rate);
  pieces_.reserve(static_cast<size_t>(tokenizer.size()));
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    pieces_.push_back(tokenizer.piece(id));
    ids_.emplace(pieces_.back(), id);
  }
}

int32_t BpeDropout::id_of(std::string_view piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? -1 : found->second;
}

// Of all neighbours that make a piece, less those that the dice leave out, the pair whose piece has
// the lowest id is joined, until none is left: pieces are numbered in the order in which they were
// learnt.
void BpeDropout::append_word(std::string_view word, PhiloxSequence& random, std::vector<int32_t>& ids) const {
  std::vector<size_t> ends = character_ends(word);
  for (;;) {
    int32_t best = -1;
    size_t best_at = 0;
    for (size_t i = 1; i + 1 < ends.size(); ++i) {
      const int32_t joined = id_of(word.substr(ends[i - 1], ends[i + 1] - ends[i - 1]));
      if (joined < 0 || (best >= 0 && joined >= best) || (threshold_ > 0 && random.next() < threshold_))
        continue;
      best = joined;
      best_at = i;
    }
    if (best < 0) break;
    ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(best_at));
  }
  for (size_t i = 1; i < ends.size(); ++i) {
    const int32_t id = id_of(word.substr(ends[i - 1], ends[i] - ends[i - 1]));
    const int32_t known = id < 0 ? tokenizer_.unk_id() : id;
    const bool goes_on =
        // <unk>s in a row are one
        known == tokenizer_.unk_id() && !ids.empty() && ids.back() == known;
    if (!goes_on) ids.push_back(known);
  }
}

std::vector<int32_t> BpeDropout::encode(std::string_view text, PhiloxSequence& random) const {
  const std::string parted = with_plain_spaces(text);
  std::vector<int32_t> ids;
  for (std::string_view rest = parted; !rest.empty();) {
    const std::string_view part =
        rest.substr(0, rest.find(' '));  // no other space ends a word for SentencePiece
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    if (!part.empty()) append_word(std::string(kSpace) + std::string(part), random, ids);
  }
  return ids;
}

DroppedCorpus::DroppedCorpus(const ParallelText& text, const ParallelCorpus& corpus,
                             const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer,
                             double rate, int64_t max_length, uint64_t seed)
    : corpus_(corpus), max_length_(max_length), seed_(seed) {
  if (corpus.has_source())
    sides_.push_back(side(text.source, corpus.source, source_tokenizer, rate, kSourceSite));
  sides_.push_back(side(text.target, corpus.target, target_tokenizer, rate, kTargetSite));
}

DroppedCorpus::Side DroppedCorpus::side(const std::vector<std::string>& lines, const Sequences& sequences,
                                        const Tokenizer& tokenizer, double rate, uint64_t site) const {
  if (std::string_view(tokenizer.extension()) != ".spm")
    fail(
        ErrorKind::usage,
        "bpe-dropout: this is a word vocabulary, and only SentencePiece's have merges; give --tokenizer spm");
  const BpeDropout without(tokenizer, 0);
  std::vector<char> merged(static_cast<size_t>(corpus_.size()));
  parallel_for(corpus_.size(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      PhiloxSequence none(0, 0);
      const std::string& line = lines[static_cast<size_t>(corpus_.line(i) - 1)];
      merged[static_cast<size_t>(i)] = std::ranges::equal(without.encode(line, none), sequences[i]);
    }
  });
  if (std::ranges::count(merged, 1) == 0) {
    fail(ErrorKind::usage,
         "bpe-dropout: this vocabulary does not merge its pieces in the order of their ids; train one with "
         "xformer-vocab, or leave --vocabs out");
  }
  return {lines, sequences, BpeDropout(tokenizer, rate), site, std::move(merged)};
}

Sequences DroppedCorpus::of_epoch(const Side& side, int64_t epoch) const {
  std::vector<std::vector<int32_t>> all(static_cast<size_t>(corpus_.size()));
  parallel_for(corpus_.size(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t line = corpus_.line(i);
      std::vector<int32_t> plain = side.sequences[i];
      PhiloxSequence random(seed_, stream_of(side.site, epoch, line));
      std::vector<int32_t> ids;
      if (side.merged[static_cast<size_t>(i)])
        ids = side.pieces.encode(side.lines[static_cast<size_t>(line - 1)], random);
      const bool fits = !ids.empty() && (max_length_ == 0 || static_cast<int64_t>(ids.size()) <= max_length_);
      all[static_cast<size_t>(i)] = std::move(fits ? ids : plain);
    }
  });
  Sequences sequences;
  for (const std::vector<int32_t>& ids : all) sequences.push_back(ids);
  return sequences;
}

ParallelCorpus DroppedCorpus::of_epoch(int64_t epoch) const {
  ParallelCorpus dropped = {.parts = corpus_.parts,
                            .source = {},
                            .target = of_epoch(sides_.back(), epoch),
                            .targets_end = corpus_.targets_end,
                            .lines = corpus_.lines,
                            .prepared = nullptr,
                            .statistics = corpus_.statistics};
  if (corpus_.has_source()) dropped.source = of_epoch(sides_.front(), epoch);
  return dropped;
}

}  // namespace xf::data
