#include "data/batches.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "data/sentencepiece_tokenizer.h"
#include "data/word_tokenizer.h"
#include "tests/data/errors.h"
#include "tests/data/multi30k.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::data;
using tests::error_of;
using Ids = std::vector<int32_t>;

namespace {

constexpr BatchSpecials kSpecials{.source_eos = 3, .target_bos = 2, .target_eos = 3};

ParallelCorpus corpus_of(const std::vector<std::pair<Ids, Ids>>& pairs) {
  ParallelCorpus corpus;
  corpus.parts = {{{.paths = {"x.src", "x.trg"}}, static_cast<int64_t>(pairs.size())}};
  for (const auto& [source, target] : pairs) {
    corpus.source.push_back(source);
    corpus.target.push_back(target);
    corpus.lines.push_back(corpus.size());
  }
  return corpus;
}

// Pair i: source i % 7 + 1 ids, target i % 5 + 1 ids, all of them 100 + i, so that a batch shows
// who is in it.
ParallelCorpus numbered_corpus(int32_t pairs) {
  std::vector<std::pair<Ids, Ids>> made;
  for (int32_t i = 0; i < pairs; ++i) {
    made.push_back(
        {Ids(static_cast<size_t>(i % 7 + 1), 100 + i), Ids(static_cast<size_t>(i % 5 + 1), 100 + i)});
  }
  return corpus_of(made);
}

Ids ids(const Tensor& tensor) { return tensor.to_vector<int32_t>(); }

// First id of each sentence.
Ids first_ids(const Tensor& values, const Tensor& offsets) {
  Ids firsts;
  const Ids all = ids(values), ends = ids(offsets);
  for (size_t b = 0; b + 1 < ends.size(); ++b) firsts.push_back(all[static_cast<size_t>(ends[b])]);
  return firsts;
}

bool same(const PackedBatch& a, const PackedBatch& b) {
  return ids(a.source_ids) == ids(b.source_ids) && ids(a.target_out) == ids(b.target_out) &&
         ids(a.source_offsets) == ids(b.source_offsets) && ids(a.target_offsets) == ids(b.target_offsets);
}

}  // namespace

TEST_CASE("TrainingBatches: a batch by hand, every field", "[unit]") {
  const ParallelCorpus corpus = corpus_of({{{7, 5}, {9}}, {{5}, {8, 9, 8}}});
  TrainingBatches batches(corpus, kSpecials, capacity_for(80), 1, {.shuffle = Shuffle::none});
  const PackedBatch batch = batches.next();
  CHECK(batch.sentences == 2);
  CHECK(batch.source_tokens == 5);
  CHECK(batch.target_tokens == 6);
  CHECK(ids(batch.source_ids) == Ids{7, 5, 3, 5, 3});
  CHECK(ids(batch.source_positions) == Ids{0, 1, 2, 0, 1});
  CHECK(ids(batch.source_offsets) == Ids{0, 3, 5});
  CHECK(ids(batch.source_order) == Ids{2, 4, 1, 3, 0});
  CHECK(ids(batch.target_in) == Ids{2, 9, 2, 8, 9, 8});
  CHECK(ids(batch.target_out) == Ids{9, 3, 8, 9, 8, 3});
  CHECK(ids(batch.target_positions) == Ids{0, 1, 0, 1, 2, 3});
  CHECK(ids(batch.target_offsets) == Ids{0, 2, 6});
  CHECK(ids(batch.target_order) == Ids{0, 2, 3, 5, 1, 4});
  CHECK(batches.cursor() == BatchCursor{1, 0});
}

TEST_CASE("TrainingBatches: an epoch has every pair once, each batch is as full as its capacities allow",
          "[unit]") {
  const ParallelCorpus corpus = numbered_corpus(500);
  for (const BatchCapacity capacity :
       {BatchCapacity{40, 50, 1000}, {1000, 23, 1000}, {1000, 1000, 6}, {6, 8, 1}}) {
    TrainingBatches batches(corpus, kSpecials, capacity, 7);
    const int64_t expected = batches.batches_in_epoch();
    std::multiset<int32_t> seen;
    PackedBatch before;
    for (int64_t i = 0; i < expected; ++i) {
      CHECK(batches.cursor().epoch == 0);
      const PackedBatch batch = batches.next();
      CHECK(batch.target_tokens <= capacity.target_tokens);
      CHECK(batch.source_tokens <= capacity.source_tokens);
      CHECK(batch.sentences <= capacity.sentences);
      if (before.sentences > 0) {  // its successor's first sentence did not fit any more
        CHECK((before.target_tokens + ids(batch.target_offsets)[1] > capacity.target_tokens ||
               before.source_tokens + ids(batch.source_offsets)[1] > capacity.source_tokens ||
               before.sentences == capacity.sentences));
      }
      for (const int32_t id : first_ids(batch.source_ids, batch.source_offsets)) seen.insert(id);
      CHECK(first_ids(batch.source_ids, batch.source_offsets) ==
            first_ids(batch.target_out, batch.target_offsets));
      before = batch;
    }
    CHECK(batches.cursor() == BatchCursor{1, 0});
    CHECK(seen.size() == 500);
    CHECK(std::set<int32_t>(seen.begin(), seen.end()).size() == 500);
  }
}

TEST_CASE("TrainingBatches: the order depends on seed and epoch and on nothing else", "[unit]") {
  const ParallelCorpus corpus = numbered_corpus(300);
  const auto first_of = [&](uint64_t seed, int64_t epoch) {
    TrainingBatches batches(corpus, kSpecials, capacity_for(400), seed);
    batches.restore({epoch, 0});
    return batches.next();
  };
  CHECK(same(first_of(1, 0), first_of(1, 0)));
  CHECK(same(first_of(1, 5), first_of(1, 5)));
  CHECK_FALSE(same(first_of(1, 0), first_of(1, 1)));
  CHECK_FALSE(same(first_of(1, 0), first_of(2, 0)));
}

TEST_CASE("TrainingBatches: a restored cursor goes on with the same batches, across the end of an epoch",
          "[unit]") {
  const ParallelCorpus corpus = numbered_corpus(200);
  TrainingBatches straight(corpus, kSpecials, capacity_for(120), 3);
  const int64_t two_epochs = 2 * straight.batches_in_epoch();
  for (int64_t i = 0; i < two_epochs; ++i) {
    TrainingBatches resumed(corpus, kSpecials, capacity_for(120), 3);
    resumed.restore(straight.cursor());
    CHECK(same(resumed.next(), straight.next()));
    CHECK(resumed.cursor() == straight.cursor());
  }
  CHECK(straight.cursor().epoch >= 1);
  for (const BatchCursor wrong : {BatchCursor{0, 200}, BatchCursor{0, -1}, BatchCursor{-1, 0}}) {
    CHECK_THAT(error_of([&] { straight.restore(wrong); }), Catch::StartsWith("3: "));
  }
}

TEST_CASE(
    "TrainingBatches: a batch that is skipped is as large as it would be, and leaves the next ones alone",
    "[unit]") {
  const ParallelCorpus corpus = numbered_corpus(60);
  TrainingBatches all(corpus, kSpecials, capacity_for(40), 7), some(corpus, kSpecials, capacity_for(40), 7);
  for (int i = 0; i < 50; ++i) {  // over several epochs
    const PackedBatch expected = all.next();
    if (i % 3 == 0) {
      const PackedBatch batch = some.next();
      CHECK(ids(batch.source_ids) == ids(expected.source_ids));
    } else {
      const BatchSize size = some.skip();
      CHECK(size.source_tokens == expected.source_tokens);
      CHECK(size.target_tokens == expected.target_tokens);
      CHECK(size.sentences == expected.sentences);
    }
    CHECK(some.cursor() == all.cursor());
  }
}

TEST_CASE("TrainingBatches: a shuffle has no favourite place", "[unit]") {
  // Over 2000 epochs of 10 pairs each pair is first 200 times on average; five sigma of the
  // binomial is 67.
  const ParallelCorpus corpus = numbered_corpus(10);
  TrainingBatches batches(corpus, kSpecials, {1000, 1000, 1}, 11);
  std::vector<int> first(10, 0);
  for (int64_t epoch = 0; epoch < 2000; ++epoch) {
    batches.restore({epoch, 0});
    ++first[static_cast<size_t>(ids(batches.next().source_ids)[0] - 100)];
  }
  for (const int count : first) CHECK(std::abs(count - 200) < 67);
}

TEST_CASE("TrainingBatches: a pair that no batch can hold is named by its line before training", "[unit]") {
  const ParallelCorpus corpus = corpus_of({{{4}, {4}}, {Ids(12, 4), {4}}});
  const std::string message = error_of([&] { TrainingBatches(corpus, kSpecials, capacity_for(8), 1); });
  CHECK_THAT(message, Catch::StartsWith("3: x.src, x.trg: line 2 ") && Catch::Contains("--mini-batch-words"));
  CHECK_THAT(error_of([] { capacity_for(7); }), Catch::StartsWith("2: "));
}

TEST_CASE("Capacities: target words, a quarter more source tokens, an eighth as many sentences", "[unit]") {
  CHECK(capacity_for(8000).target_tokens == 8000);
  CHECK(capacity_for(8000).source_tokens == 10000);
  CHECK(capacity_for(8000).sentences == 1000);
}

TEST_CASE("BatchSpecials: a vocabulary without sentence ends is refused", "[unit]") {
  const auto without = make_word_tokenizer("<unk>\na\n", "list");
  CHECK_THAT(error_of([&] { batch_specials(*without, *without); }), Catch::StartsWith("3: "));
}

TEST_CASE("Validation batches: every pair once, longest first, and they know where they came from",
          "[unit]") {
  const ParallelCorpus corpus = numbered_corpus(100);
  std::vector<int64_t> seen;
  for (const IndexedBatch& indexed : validation_batches(corpus, kSpecials, {30, 40, 7})) {
    CHECK(indexed.batch.target_tokens <= 30);
    CHECK(indexed.batch.source_tokens <= 40);
    CHECK(indexed.batch.sentences == static_cast<int64_t>(indexed.sentences.size()));
    const Ids firsts = first_ids(indexed.batch.target_out, indexed.batch.target_offsets);
    for (size_t b = 0; b < firsts.size(); ++b) CHECK(firsts[b] == 100 + indexed.sentences[b]);
    seen.insert(seen.end(), indexed.sentences.begin(), indexed.sentences.end());
  }
  CHECK(std::is_sorted(seen.begin(), seen.end(), [&](int64_t a, int64_t b) {
    return corpus.source.length(a) != corpus.source.length(b)
               ? corpus.source.length(a) > corpus.source.length(b)
               : a < b;
  }));
  std::sort(seen.begin(), seen.end());
  std::vector<int64_t> all(100);
  std::iota(all.begin(), all.end(), 0);
  CHECK(seen == all);
}

TEST_CASE("Translation batches: sources only, an empty one is </s>, an over-long one stands alone",
          "[unit]") {
  Sequences sources;
  for (const size_t length : {size_t{0}, size_t{30}, size_t{2}, size_t{2}}) sources.push_back(Ids(length, 9));
  const auto batches = translation_batches(sources, 3, 10, 64);
  REQUIRE(batches.size() == 2);
  CHECK(batches[0].sentences == std::vector<int64_t>{1});
  CHECK(batches[0].batch.source_tokens == 31);
  CHECK(batches[1].sentences == std::vector<int64_t>{2, 3, 0});
  CHECK(ids(batches[1].batch.source_ids) == Ids{9, 9, 3, 9, 9, 3, 3});
  CHECK_FALSE(batches[1].batch.target_in.defined());
  CHECK(translation_batches(Sequences(), 3, 10, 64).empty());
}

TEST_CASE("TrainingBatches: an epoch of Multi30k is about 55 batches of 8,000 target tokens", "[unit]") {
  const auto folder = tests::multi30k();
  if (!folder) return;
  // 0.436 M target tokens with </s>, joint lower-cased BPE 10k, counted with SentencePiece's own
  // programs.
  const ParallelText text = read_text(
      TextKind::translation, {{.paths = {*folder + "train.en", *folder + "train.de"}}}, {.lowercase = true});
  const auto bpe = make_sentencepiece_tokenizer(train_bpe({&text.source, &text.target}, {}), "multi30k.spm");
  const ParallelCorpus corpus = encode_corpus(text, *bpe, *bpe, {});
  TrainingBatches batches(corpus, batch_specials(*bpe, *bpe), capacity_for(8000), 1);
  int64_t count = 0, target_tokens = 0;
  while (batches.cursor().epoch == 0) {
    target_tokens += batches.next().target_tokens;
    ++count;
  }
  CHECK(target_tokens == corpus.statistics.target.tokens + 29000);
  CHECK(count == Approx(55).margin(1));
}
