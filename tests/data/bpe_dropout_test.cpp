#include "data/bpe_dropout.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "data/batches.h"
#include "data/sentencepiece_tokenizer.h"
#include "data/word_rules.h"
#include "data/word_tokenizer.h"
#include "tests/data/errors.h"
#include "tests/data/multi30k.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::data;
using tests::error_of;
using Ids = std::vector<int32_t>;
using Lines = std::vector<std::string>;

namespace {

// Words that share parts, characters of one to four bytes, one too rare to be a piece, spaces of
// two kinds, and a sentence that is cut short.
const Lines kSource = {"a man rides a bike .", "two men ride two bikes .",
                       "the biker's bikes  are riding \u4E2D\u4E2E",
                       "\u00E4 m\u00E4n\u00A0rides \U0001F642 .", "men"};
const Lines kTarget = {"ein mann f\u00E4hrt rad .", "zwei m\u00E4nner fahren rad .", "die r\u00E4der fahren",
                       "m\u00E4nner .",
                       "mann mann mann mann mann mann mann mann mann mann mann mann mann mann"};
constexpr int64_t kLongest = 12;

struct Example {
  ParallelText text{{{{.paths = {"x.src", "x.trg"}}, std::ssize(kSource)}}, kSource, kTarget};
  std::unique_ptr<Tokenizer> bpe = make_sentencepiece_tokenizer(
      train_bpe({&kSource, &kTarget}, {.vocab_size = 110, .character_coverage = 0.99f}), "small.spm");
  ParallelCorpus corpus = encode_corpus(text, *bpe, *bpe, {.max_length = kLongest, .crop = true});

  DroppedCorpus dropped(double rate, uint64_t seed = 1) const {
    return {text, corpus, *bpe, *bpe, rate, kLongest, seed};
  }
};

Ids encoded(const BpeDropout& pieces, const std::string& text, uint64_t stream = 0) {
  PhiloxSequence random(7, stream);
  return pieces.encode(text, random);
}

std::vector<Ids> all(const Sequences& sequences) {
  std::vector<Ids> ids;
  for (int64_t i = 0; i < sequences.size(); ++i) ids.push_back(sequences[i]);
  return ids;
}

}  // namespace

TEST_CASE("BPE-dropout: at rate 0 the pieces are SentencePiece's, at rate 1 characters", "[unit]") {
  const Example e;
  for (const Lines& lines : {kSource, kTarget}) {
    for (const std::string& line : lines) {
      INFO(line);
      CHECK(encoded(BpeDropout(*e.bpe, 0), line) == e.bpe->encode(line));
    }
  }
  Lines characters;
  for (const int32_t id : encoded(BpeDropout(*e.bpe, 1), "men")) characters.push_back(e.bpe->piece(id));
  CHECK(characters == Lines{"\u2581", "m", "e", "n"});
}

TEST_CASE("BPE-dropout: other pieces are of the same text, and the more the higher the rate", "[unit]") {
  const Example e;
  double before = 0;
  for (const double rate : {0.0, 0.1, 0.3, 0.6}) {
    const BpeDropout pieces(*e.bpe, rate);
    double count = 0;
    for (uint64_t stream = 0; stream < 300; ++stream) {
      const Ids ids = encoded(pieces, kSource[1], stream);
      CHECK(e.bpe->decode(ids) == kSource[1]);
      count += static_cast<double>(ids.size()) / 300;
    }
    CHECK(count > before * 1.05);
    before = count;
  }
}

TEST_CASE("BPE-dropout: a merge is left out with its probability", "[unit]") {
  const Lines lines = {"xy", "xy", "xy", "z"};  // the merges: x y, and SPACE xy
  const auto bpe = make_sentencepiece_tokenizer(train_bpe({&lines}, {.vocab_size = 10}), "x.spm");
  REQUIRE(bpe->piece(4) == "xy");
  REQUIRE(bpe->encode("xy").size() == 1);
  const double p = 0.25, expected = (1 - p) * (1 - p);
  const BpeDropout pieces(*bpe, p);
  constexpr int kTrials = 20000;
  int whole = 0;
  for (int i = 0; i < kTrials; ++i) whole += encoded(pieces, "xy", static_cast<uint64_t>(i)).size() == 1;
  CHECK(std::abs(whole / double{kTrials} - expected) < 4 * std::sqrt(expected * (1 - expected) / kTrials));
}

TEST_CASE("BPE-dropout: an epoch's corpus depends on seed and epoch and on nothing else", "[unit]") {
  const Example e;
  const DroppedCorpus dropped = e.dropped(0.3);
  const ParallelCorpus third = dropped.of_epoch(3);
  CHECK(all(third.source) == all(e.dropped(0.3).of_epoch(3).source));
  CHECK(all(third.target) == all(e.dropped(0.3).of_epoch(3).target));
  CHECK(all(third.source) != all(dropped.of_epoch(4).source));
  CHECK(all(third.source) != all(e.dropped(0.3, 2).of_epoch(3).source));
  CHECK(third.lines == e.corpus.lines);
  const int threads = thread_count();
  set_thread_count(1);
  CHECK(all(third.source) == all(dropped.of_epoch(3).source));
  set_thread_count(threads);
}

TEST_CASE("BPE-dropout: what would be too long, or was cut short, keeps its pieces", "[unit]") {
  const Example e;
  REQUIRE(e.corpus.statistics.cropped >= 1);
  bool kept = false;
  for (int64_t epoch = 0; epoch < 20; ++epoch) {
    const ParallelCorpus dropped = e.dropped(0.6).of_epoch(epoch);
    for (int64_t i = 0; i < dropped.size(); ++i) {
      CHECK(dropped.source.length(i) <= kLongest);
      CHECK(dropped.target.length(i) <= kLongest);
    }
    CHECK(std::ranges::equal(dropped.target[4], e.corpus.target[4]));
    kept = kept || std::ranges::equal(dropped.source[0], e.corpus.source[0]);
  }
  CHECK(kept);
}

TEST_CASE("BPE-dropout: batches of an epoch are cut from its own corpus, and restored with it", "[unit]") {
  const Example e;
  const DroppedCorpus dropped = e.dropped(0.3);
  const auto make = [&] {
    return TrainingBatches(e.corpus, batch_specials(*e.bpe, *e.bpe),
                           {.target_tokens = 26, .source_tokens = 26, .sentences = 2}, 1, {},
                           [&](int64_t epoch) { return dropped.of_epoch(epoch); });
  };
  TrainingBatches straight = make();
  for (int i = 0; i < 12; ++i) {
    TrainingBatches resumed = make();
    resumed.restore(straight.cursor());
    const PackedBatch a = straight.next(), b = resumed.next();
    CHECK(a.source_ids.to_vector<int32_t>() == b.source_ids.to_vector<int32_t>());
    CHECK(a.target_out.to_vector<int32_t>() == b.target_out.to_vector<int32_t>());
  }
  CHECK(straight.cursor().epoch >= 2);
}

TEST_CASE("BPE-dropout: a vocabulary of words is refused", "[unit]") {
  const Example e;
  const auto words = build_word_tokenizer(
      {&kSource, &kTarget}, {.min_frequency = 1, .specials = {}, .rules = make_word_rules("icu")});
  const ParallelCorpus corpus = encode_corpus(e.text, *words, *words, {});
  CHECK_THAT(error_of([&] { DroppedCorpus(e.text, corpus, *words, *words, 0.1, 0, 1); }),
             Catch::EndsWith(
                 "this is a word vocabulary, and only SentencePiece's have merges; give --tokenizer spm"));
}

TEST_CASE("BPE-dropout: at rate 0 every line of Multi30k has SentencePiece's pieces", "[unit]") {
  const auto data = tests::multi30k();
  if (!data) return;
  const ParallelText text = read_text(
      TextKind::translation, {{.paths = {*data + "train.en", *data + "train.de"}}}, {.lowercase = true});
  const auto bpe = make_sentencepiece_tokenizer(
      train_bpe({&text.source, &text.target}, {.vocab_size = 10000}), "joint.spm");
  const BpeDropout without(*bpe, 0);
  int64_t other = 0;
  for (const auto* side : {&text.source, &text.target}) {
    for (const std::string& line : *side) other += encoded(without, line) != bpe->encode(line);
  }
  CHECK(other == 0);
}
