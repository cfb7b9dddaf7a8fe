#include "data/bucket_batches.h"

#include <algorithm>
#include <set>

#include "core/philox.h"
#include "data/batches.h"
#include "tests/data/errors.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::data;

namespace {

constexpr BatchOrder kPools{.shuffle = Shuffle::data, .pool = 100};

// Lengths 4 to 41 as captions have them, the target's near the source's. Pair i's ids are i.
ParallelCorpus captions(int64_t pairs) {
  ParallelCorpus corpus;
  PhiloxSequence random(5, 0);
  for (int64_t i = 0; i < pairs; ++i) {
    const uint32_t length =
        6 + random.below(6) + random.below(8) + random.below(random.below(20) == 0 ? 23 : 3);
    const uint32_t other = length - 2 + random.below(5);
    corpus.source.push_back(std::vector<int32_t>(length, static_cast<int32_t>(i)));
    corpus.target.push_back(std::vector<int32_t>(other, static_cast<int32_t>(i)));
    corpus.lines.push_back(i + 1);
  }
  return corpus;
}

std::vector<int64_t> sizes(const EpochBatches& batches) {
  std::vector<int64_t> sizes;
  int64_t begin = 0;
  for (const int64_t end : batches.ends) {
    sizes.push_back(end - begin);
    begin = end;
  }
  return sizes;
}

// Number of batches, and how many pairs the smallest has: all others are full.
std::pair<size_t, int64_t> count_and_rest(const EpochBatches& batches, int64_t full) {
  const std::vector<int64_t> all = sizes(batches);
  CHECK(static_cast<int64_t>(all.size()) - std::ranges::count(all, full) <= 1);
  return {all.size(), *std::ranges::min_element(all)};
}

EpochBatches in_pools(const ParallelCorpus& corpus, int64_t sentences, uint64_t seed = 1, int64_t epoch = 0) {
  return epoch_batches(corpus, capacity_of_sentences(corpus, sentences), kPools, seed, epoch);
}

}  // namespace

// Multi30k's numbers of lines, by division: 29,000 = 226 * 128 + 72 = 906 * 32 + 8, and so on.
TEST_CASE("Bucket batches: 227, 8 and 8 at 128 with 72, 118 and 104 left, 907, 32 and 32 at 32", "[golden]") {
  const ParallelCorpus train = captions(29000), valid = captions(1014), test = captions(1000);
  using Expected = std::pair<size_t, int64_t>;
  const auto sorted = [](const ParallelCorpus& corpus, int64_t n) {
    return count_and_rest(sorted_batches(corpus, capacity_of_sentences(corpus, n)), n);
  };
  CHECK(count_and_rest(in_pools(train, 128), 128) == Expected{227, 72});
  CHECK(sorted(valid, 128) == Expected{8, 118});
  CHECK(sorted(test, 128) == Expected{8, 104});
  CHECK(count_and_rest(in_pools(train, 32), 32) == Expected{907, 8});
  CHECK(sorted(valid, 32) == Expected{32, 22});
  CHECK(sorted(test, 32) == Expected{32, 8});
}

// torchtext 0.6, interleave_keys: format(x, '016b') of both, bit by bit.
TEST_CASE("Bucket batches: the sort key interleaves the bits of both lengths", "[golden]") {
  CHECK(interleaved_bits(0, 0) == 0);
  CHECK(interleaved_bits(1, 0) == 2);
  CHECK(interleaved_bits(0, 1) == 1);
  CHECK(interleaved_bits(3, 3) == 15);
  CHECK(interleaved_bits(5, 9) == 0b01'10'00'11);
  CHECK(interleaved_bits(65535, 65535) == 0xFFFFFFFF);
  CHECK(interleaved_bits(70000, 0) == interleaved_bits(65535, 0));
}

TEST_CASE("Bucket batches: an epoch has every pair once, in batches that depend on seed and epoch alone",
          "[unit]") {
  const ParallelCorpus corpus = captions(3000);
  for (const PoolSort sort : {PoolSort::none, PoolSort::source, PoolSort::target, PoolSort::both}) {
    const BatchOrder order{.shuffle = Shuffle::data, .pool = 10, .sort = sort};
    const auto at = [&](uint64_t seed, int64_t epoch) {
      return epoch_batches(corpus, capacity_of_sentences(corpus, 32), order, seed, epoch).pairs;
    };
    const std::vector<int64_t> pairs = at(1, 0);
    CHECK(std::set<int64_t>(pairs.begin(), pairs.end()).size() == 3000);
    CHECK(at(1, 0) == pairs);
    CHECK(at(1, 1) != pairs);
    CHECK(at(2, 0) != pairs);
  }
}

TEST_CASE("Bucket batches: a pool is sorted before it is cut, its batches are shuffled", "[unit]") {
  const ParallelCorpus corpus = captions(1280);  // one pool of ten batches
  const BatchOrder order{.shuffle = Shuffle::data, .pool = 10};
  const EpochBatches batches = epoch_batches(corpus, capacity_of_sentences(corpus, 128), order, 1, 0);
  const auto key = [&](int64_t pair) {
    return interleaved_bits(corpus.source.length(pair), corpus.target.length(pair));
  };
  std::vector<uint32_t> shortest;  // keys
  for (int64_t begin = 0; const int64_t end : batches.ends) {
    const auto first = batches.pairs.begin() + begin, last = batches.pairs.begin() + end;
    CHECK(std::is_sorted(first, last, [&](int64_t a, int64_t b) { return key(a) > key(b); }));
    for (const uint32_t other : shortest) CHECK((other >= key(*first) || other <= key(*(last - 1))));
    shortest.push_back(key(*(last - 1)));
    begin = end;
  }
  CHECK_FALSE(std::ranges::is_sorted(shortest));
  const EpochBatches still =
      epoch_batches(corpus, capacity_of_sentences(corpus, 128), {.shuffle = Shuffle::none, .pool = 10}, 1, 0);
  CHECK(still.pairs == sorted_batches(corpus, capacity_of_sentences(corpus, 128)).pairs);
}

TEST_CASE("Bucket batches: they pad less than random ones, sorted ones least", "[unit]") {
  const ParallelCorpus corpus = captions(29000);
  const BatchCapacity capacity = capacity_of_sentences(corpus, 128);
  const double random = padding_share(corpus, epoch_batches(corpus, capacity, {}, 1, 0));
  const double pools = padding_share(corpus, in_pools(corpus, 128));
  const double sorted = padding_share(corpus, sorted_batches(corpus, capacity));
  CHECK(pools < 0.5 * random);
  CHECK(sorted <= pools);
  // Two pairs by hand: 3 + 2 and 5 + 4 tokens with </s>, padded to 5 + 4 each.
  ParallelCorpus two;
  for (const int64_t length : {2, 4}) {
    two.source.push_back(std::vector<int32_t>(static_cast<size_t>(length)));
    two.target.push_back(std::vector<int32_t>(static_cast<size_t>(length - 1)));
  }
  CHECK(padding_share(two, {{0, 1}, {2}}) == Approx(1 - 14.0 / 18));
  CHECK(padding_share(two, {{0, 1}, {1, 2}}) == Approx(0).margin(1e-12));
}

TEST_CASE("Bucket batches: tokens can be counted instead of sentences", "[unit]") {
  const ParallelCorpus corpus = captions(2000);
  const BatchCapacity capacity = capacity_for(1024);
  const EpochBatches batches = epoch_batches(corpus, capacity, {.shuffle = Shuffle::data, .pool = 5}, 1, 0);
  int64_t begin = 0;
  for (const int64_t end : batches.ends) {
    int64_t target = 0, source = 0;
    for (int64_t i = begin; i < end; ++i) {
      target += corpus.target.length(batches.pairs[static_cast<size_t>(i)]) + 1;
      source += corpus.source.length(batches.pairs[static_cast<size_t>(i)]) + 1;
    }
    CHECK((target <= capacity.target_tokens && source <= capacity.source_tokens));
    begin = end;
  }
}

TEST_CASE("TrainingBatches: in pools too a restored cursor goes on with the same batches", "[unit]") {
  const ParallelCorpus corpus = captions(700);
  constexpr BatchSpecials kSpecials{.source_eos = 3, .target_bos = 2, .target_eos = 3};
  const BatchOrder order{.shuffle = Shuffle::data, .pool = 4};
  const BatchCapacity capacity = capacity_of_sentences(corpus, 32);
  TrainingBatches straight(corpus, kSpecials, capacity, 3, order);
  const int64_t into_the_third = 2 * straight.batches_in_epoch() + 3;
  for (int64_t i = 0; i < into_the_third; ++i) {
    TrainingBatches resumed(corpus, kSpecials, capacity, 3, order);
    resumed.restore(straight.cursor());
    CHECK(resumed.next().source_ids.to_vector<int32_t>() == straight.next().source_ids.to_vector<int32_t>());
    CHECK(resumed.cursor() == straight.cursor());
  }
  CHECK(straight.cursor().epoch == 2);
}

TEST_CASE("Bucket batches: shuffled batches are those of the unshuffled text, in another order each epoch",
          "[unit]") {
  const ParallelCorpus corpus = captions(700);
  const BatchCapacity capacity = capacity_of_sentences(corpus, 32);
  const auto batches_of = [&](const BatchOrder& order, int64_t epoch) {
    const EpochBatches cut = epoch_batches(corpus, capacity, order, 3, epoch);
    std::vector<std::vector<int64_t>> batches;
    for (int64_t begin = 0; const int64_t end : cut.ends) {
      batches.emplace_back(cut.pairs.begin() + begin, cut.pairs.begin() + end);
      begin = end;
    }
    return batches;
  };
  for (const int64_t pool : {0, 5}) {
    const auto still = batches_of({.shuffle = Shuffle::none, .pool = pool}, 0);
    auto first = batches_of({.shuffle = Shuffle::batches, .pool = pool}, 0);
    auto second = batches_of({.shuffle = Shuffle::batches, .pool = pool}, 1);
    CHECK(first == batches_of({.shuffle = Shuffle::batches, .pool = pool}, 0));
    CHECK(first != still);
    CHECK(first != second);
    std::ranges::sort(first);
    std::ranges::sort(second);
    auto sorted = still;
    std::ranges::sort(sorted);
    CHECK(first == sorted);
    CHECK(second == sorted);
  }
}

TEST_CASE("Bucket batches: by weight an epoch has a pair twice, once, or by chance", "[unit]") {
  ParallelCorpus corpus = captions(1000);
  for (int64_t i = 0; i < corpus.size(); ++i) corpus.lines.push_back(i + 1);
  corpus.parts = {{{.paths = {"a", "b"}}, 100}, {{.paths = {"c", "d"}}, 500}, {{.paths = {"e", "f"}}, 400}};
  const BatchOrder order{.weights = {2, 0, 1.25}};
  const BatchCapacity capacity = capacity_of_sentences(corpus, 32);
  const auto times = [&](int64_t epoch) {
    std::vector<int64_t> counts(1000);
    for (const int64_t pair : epoch_batches(corpus, capacity, order, 1, epoch).pairs)
      ++counts[static_cast<size_t>(pair)];
    return counts;
  };
  const std::vector<int64_t> first = times(0), second = times(1);
  CHECK(std::all_of(first.begin(), first.begin() + 100, [](int64_t n) { return n == 2; }));
  CHECK(std::all_of(first.begin() + 100, first.begin() + 600, [](int64_t n) { return n == 0; }));
  CHECK(std::count(first.begin() + 600, first.end(), 1) == 300);
  CHECK(std::count(first.begin() + 600, first.end(), 2) == 100);
  CHECK(first != second);
  CHECK(first == times(0));
  CHECK_THROWS_WITH(epoch_batches(corpus, capacity, {.weights = {0, 0, 0.001}}, 1, 0),
                    Catch::Contains("train-weights"));
}

TEST_CASE("Bucket batches: training goes on within an epoch that is longer than the corpus", "[unit]") {
  ParallelCorpus corpus = captions(100);
  for (int64_t i = 0; i < corpus.size(); ++i) corpus.lines.push_back(i + 1);
  corpus.parts = {{{.paths = {"a", "b"}}, 100}};
  const BatchSpecials specials{.source_eos = 2, .target_bos = 1, .target_eos = 2};
  const auto make = [&] {
    return TrainingBatches(corpus, specials, capacity_of_sentences(corpus, 10), 1, {.weights = {1.5}});
  };
  TrainingBatches through = make();
  while (through.cursor().position <= 110) through.next();
  TrainingBatches resumed = make();
  resumed.restore(through.cursor());
  while (through.cursor().epoch < 2)
    REQUIRE(resumed.next().target_out.to_vector<int32_t>() == through.next().target_out.to_vector<int32_t>());
  CHECK(resumed.cursor() == through.cursor());
}
