#include "data/bucket_batches.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/philox.h"

namespace xf::data {
namespace {

// Streams of the seed. Their low halves are dropout sites that no model has, so that shuffling and
// dropout never read the same random words.
constexpr uint64_t kPairSite = 0xFFFFFFFF, kBatchSite = 0xFFFFFFFE, kShareSite = 0xFFFFFFFA;
uint64_t stream_of(int64_t epoch, uint64_t site) { return static_cast<uint64_t>(epoch) << 32 | site; }

void shuffle(std::vector<int64_t>& values, PhiloxSequence& random) {
  for (size_t i = values.size(); i > 1; --i) {  // Fisher-Yates
    std::swap(values[i - 1], values[random.below(static_cast<uint32_t>(i))]);
  }
}

std::vector<int64_t> all_pairs(const ParallelCorpus& corpus) {
  std::vector<int64_t> pairs(static_cast<size_t>(corpus.size()));
  std::iota(pairs.begin(), pairs.end(), 0);
  return pairs;
}

std::vector<int64_t> cut(const ParallelCorpus& corpus, const std::vector<int64_t>& pairs, int64_t begin,
                         int64_t end, const BatchCapacity& capacity) {
  return batch_ends(pairs, begin, end, capacity, [&](int64_t i) { return load_of_pair(corpus, i); });
}

// Of the pairs from `begin` to `end`, each as often as the weight's whole number says, and of its
// fraction a sample.
void add_weighted(std::vector<int64_t>& pairs, int64_t begin, int64_t end, double weight,
                  PhiloxSequence& random) {
  std::vector<int64_t> part(static_cast<size_t>(end - begin));
  std::iota(part.begin(), part.end(), begin);
  const double whole = std::floor(weight);
  for (int64_t copy = 0; copy < static_cast<int64_t>(whole); ++copy)
    pairs.insert(pairs.end(), part.begin(), part.end());
  const auto sample = static_cast<size_t>(std::llround((weight - whole) * static_cast<double>(part.size())));
  for (size_t i = 0; i < sample; ++i) {
    std::swap(part[i], part[i + random.below(static_cast<uint32_t>(part.size() - i))]);
    pairs.push_back(part[i]);
  }
}

std::vector<int64_t> pairs_of_epoch(const ParallelCorpus& corpus, const BatchOrder& order, uint64_t seed,
                                    int64_t epoch) {
  if (order.weights.empty()) return all_pairs(corpus);
  const std::vector<int64_t> ends = corpus.ends_of_parts();
  XF_CHECK(ends.size() == order.weights.size(), "batches: {} weights, {} parts", order.weights.size(),
           ends.size());
  PhiloxSequence random(seed, stream_of(epoch, kShareSite));
  std::vector<int64_t> pairs;
  int64_t begin = 0;
  for (size_t part = 0; part < ends.size(); ++part) {
    add_weighted(pairs, begin, ends[part], order.weights[part], random);
    begin = ends[part];
  }
  if (pairs.empty()) fail(ErrorKind::usage, "train-weights: no pair is left for an epoch; raise them");
  return pairs;
}

BatchCapacity operator*(int64_t count, const BatchCapacity& c) {
  return {count * c.target_tokens, count * c.source_tokens, count * c.sentences};
}

using Key = std::function<uint64_t(int64_t)>;

Key sort_key(const ParallelCorpus& corpus, PoolSort sort) {
  return [&corpus, sort](int64_t i) -> uint64_t {
    const int64_t source = corpus.has_source() ? corpus.source.length(i) : 0,
                  target = corpus.target.length(i);
    if (sort == PoolSort::both) return interleaved_bits(source, target);
    return static_cast<uint64_t>(sort == PoolSort::source ? source : target);
  };
}

template <typename Compare>
void sort_part(std::vector<int64_t>& pairs, int64_t begin, int64_t end, const Key& key, Compare compare) {
  std::stable_sort(pairs.begin() + begin, pairs.begin() + end,
                   [&](int64_t a, int64_t b) { return compare(key(a), key(b)); });
}

// Sorts pairs [begin, end) and returns where its batches end; each has its longest pair first.
std::vector<int64_t> cut_sorted(const ParallelCorpus& corpus, std::vector<int64_t>& pairs, int64_t begin,
                                int64_t end, const BatchCapacity& capacity, PoolSort sort) {
  if (sort == PoolSort::none) return cut(corpus, pairs, begin, end, capacity);
  const Key key = sort_key(corpus, sort);
  sort_part(pairs, begin, end, key, std::less<>());
  const std::vector<int64_t> ends = cut(corpus, pairs, begin, end, capacity);
  int64_t first = begin;
  for (const int64_t last : ends) {
    sort_part(pairs, first, last, key, std::greater<>());
    first = last;
  }
  return ends;
}

// The batches between `begin` and the last of `ends` in another order.
void shuffle_batches(std::vector<int64_t>& pairs, int64_t begin, std::vector<int64_t>& ends,
                     PhiloxSequence& random) {
  std::vector<int64_t> turns(ends.size());
  std::iota(turns.begin(), turns.end(), 0);
  shuffle(turns, random);
  std::vector<int64_t> moved, moved_ends;
  for (const int64_t turn : turns) {
    const auto b = static_cast<size_t>(turn);
    moved.insert(moved.end(), pairs.begin() + (b == 0 ? begin : ends[b - 1]), pairs.begin() + ends[b]);
    moved_ends.push_back(begin + static_cast<int64_t>(moved.size()));
  }
  std::copy(moved.begin(), moved.end(), pairs.begin() + begin);
  ends = moved_ends;
}

void cut_pools(const ParallelCorpus& corpus, EpochBatches& batches, const BatchCapacity& capacity,
               const BatchOrder& order, PhiloxSequence& random) {
  int64_t begin = 0;
  for (const int64_t end :
       cut(corpus, batches.pairs, 0, static_cast<int64_t>(batches.pairs.size()), order.pool * capacity)) {
    std::vector<int64_t> ends = cut_sorted(corpus, batches.pairs, begin, end, capacity, order.sort);
    if (order.shuffle == Shuffle::data) shuffle_batches(batches.pairs, begin, ends, random);
    batches.ends.insert(batches.ends.end(), ends.begin(), ends.end());
    begin = end;
  }
}

int64_t sum_of_longest(const Sequences& side, int64_t sentences) {
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < side.size(); ++i) lengths.push_back(side.length(i) + 1);
  const auto most = lengths.begin() + std::min(sentences, side.size());
  std::partial_sort(lengths.begin(), most, lengths.end(), std::greater<>());
  return std::accumulate(lengths.begin(), most, int64_t{0});
}

}  // namespace

BatchCapacity load_of_pair(const ParallelCorpus& corpus, int64_t i) {
  return {corpus.target.length(i) + (corpus.targets_end ? 1 : 0),
          corpus.has_source() ? corpus.source.length(i) + 1 : 0, 1};  // + 1: </s>
}

std::vector<int64_t> batch_ends(const std::vector<int64_t>& order, int64_t begin, int64_t end,
                                const BatchCapacity& capacity, const Load& load) {
  std::vector<int64_t> ends;
  BatchCapacity sum;
  for (int64_t i = begin; i < end; ++i) {
    const BatchCapacity one = load(order[static_cast<size_t>(i)]);
    const bool fits = sum.target_tokens + one.target_tokens <= capacity.target_tokens &&
                      sum.source_tokens + one.source_tokens <= capacity.source_tokens &&
                      sum.sentences + one.sentences <= capacity.sentences;
    if (!fits && sum.sentences > 0) {
      ends.push_back(i);
      sum = {};
    }
    sum.target_tokens += one.target_tokens;
    sum.source_tokens += one.source_tokens;
    sum.sentences += one.sentences;
  }
  if (end > begin) ends.push_back(end);
  return ends;
}

EpochBatches epoch_batches(const ParallelCorpus& corpus, const BatchCapacity& capacity,
                           const BatchOrder& order, uint64_t seed, int64_t epoch) {
  EpochBatches batches{pairs_of_epoch(corpus, order, seed, epoch), {}};
  const auto count = static_cast<int64_t>(batches.pairs.size());
  PhiloxSequence pair_random(seed, stream_of(epoch, kPairSite));
  PhiloxSequence batch_random(seed, stream_of(epoch, kBatchSite));
  if (order.shuffle == Shuffle::data) shuffle(batches.pairs, pair_random);
  if (order.pool == 0) {
    batches.ends = cut(corpus, batches.pairs, 0, count, capacity);
  } else {
    cut_pools(corpus, batches, capacity, order, batch_random);
  }
  if (order.shuffle == Shuffle::batches) shuffle_batches(batches.pairs, 0, batches.ends, batch_random);
  return batches;
}

EpochBatches sorted_batches(const ParallelCorpus& corpus, const BatchCapacity& capacity) {
  EpochBatches batches{all_pairs(corpus), {}};
  batches.ends = cut_sorted(corpus, batches.pairs, 0, corpus.size(), capacity, PoolSort::both);
  return batches;
}

double padding_share(const ParallelCorpus& corpus, const EpochBatches& batches) {
  int64_t tokens = 0, padded = 0, begin = 0;
  for (const int64_t end : batches.ends) {
    int64_t longest_source = 0, longest_target = 0;
    for (int64_t i = begin; i < end; ++i) {
      const BatchCapacity pair = load_of_pair(corpus, batches.pairs[static_cast<size_t>(i)]);
      longest_source = std::max(longest_source, pair.source_tokens);
      longest_target = std::max(longest_target, pair.target_tokens);
      tokens += pair.source_tokens + pair.target_tokens;
    }
    padded += (end - begin) * (longest_source + longest_target);
    begin = end;
  }
  return padded == 0 ? 0 : 1 - static_cast<double>(tokens) / static_cast<double>(padded);
}

BatchCapacity capacity_of_sentences(const ParallelCorpus& corpus, int64_t sentences) {
  return {.target_tokens = sum_of_longest(corpus.target, sentences),
          .source_tokens = sum_of_longest(corpus.source, sentences),
          .sentences = std::min(sentences, corpus.size())};
}

uint32_t interleaved_bits(int64_t a, int64_t b) {
  const auto spread = [](int64_t length) {  // bit i to bit 2i
    const auto bits = static_cast<uint32_t>(std::min<int64_t>(length, std::numeric_limits<uint16_t>::max()));
    uint32_t result = 0;
    for (uint32_t i = 0; i < 16; ++i) result |= (bits >> i & 1u) << (2 * i);
    return result;
  };
  return spread(a) << 1 | spread(b);
}

}  // namespace xf::data
