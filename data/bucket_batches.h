// Which pairs make a batch: an epoch's order and its cuts, as a pure function of the seed and the
// epoch.
//
// Plain: the pairs are shuffled and cut. With pools, as in torchtext's BucketIterator: the shuffled
// pairs are cut into pools of so many batches, each pool is sorted by length and cut into batches,
// whose order is shuffled. Sentences of like length share a batch, and a program that pads pads
// less. A packed batch has no padding, so here pools are for those who want such batches, not for
// speed.
//
//   torchtext 0.6             here
//   batch_size                BatchCapacity::sentences
//   batch_size_fn             the other capacities: tokens
//   sort_within_batch=True    sort = both: pools are sorted, and each batch has its longest pair
//                             first
//   sort_within_batch=False   sort = none: torchtext sorts no pool then, whatever sort_key says
//   shuffle                   shuffle = data: the pairs, and the batches of a pool
//   sort=True, of validation  sorted_batches()
//   repeat                    an epoch has a number; who wants another asks for the next
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/parallel_corpus.h"

namespace xf::data {

// Most that one batch holds; a batch closes before the pair that would not fit. It also sizes the
// trainer's memory.
struct BatchCapacity {
  int64_t target_tokens = 0;  // </s> included
  int64_t source_tokens = 0;  // </s> included
  int64_t sentences = 0;
};

enum class PoolSort {
  none,
  source,  // by source length, ties in the order that they come in
  target,
  both,  // torchtext's sort key: the bits of both lengths, interleaved
};

// What is drawn anew for each epoch.
enum class Shuffle {
  none,
  batches,  // the order in which they come; they are cut from the text as it stands
  data,     // the pairs; and of a pool, the batches
};

struct BatchOrder {
  Shuffle shuffle = Shuffle::data;
  int64_t pool = 0;  // batches; 0: no pools
  PoolSort sort = PoolSort::both;
  // How often an epoch has a pair of each part of the corpus: 2 twice, 0.5 half of them, drawn anew
  // each epoch. Empty: once.
  std::vector<double> weights = {};
};

struct EpochBatches {
  std::vector<int64_t> pairs;  // numbers of the corpus's pairs, batch by batch
  std::vector<int64_t> ends;   // batch b is pairs [ends[b - 1], ends[b])
};

// What pair i takes of a capacity.
using Load = std::function<BatchCapacity(int64_t i)>;
BatchCapacity load_of_pair(const ParallelCorpus& corpus, int64_t i);

// Where the batches of pairs [begin, end) of `order` end: each is within the capacity and with one
// pair more would not be. A pair that alone is over the capacity gets a batch of its own.
std::vector<int64_t> batch_ends(const std::vector<int64_t>& order, int64_t begin, int64_t end,
                                const BatchCapacity& capacity, const Load& load);

// Every pair once, or by weight. Error usage if no pair is left.
EpochBatches epoch_batches(const ParallelCorpus& corpus, const BatchCapacity& capacity,
                           const BatchOrder& order, uint64_t seed, int64_t epoch);

// The whole corpus sorted as one pool, shortest batch first: what BucketIterator does for
// validation. Within a batch the longest pair comes first.
EpochBatches sorted_batches(const ParallelCorpus& corpus, const BatchCapacity& capacity);

// The share of padding in both sides' tokens, </s> counted, were each batch padded to its longest
// sentence: 0 to 1.
double padding_share(const ParallelCorpus& corpus, const EpochBatches& batches);

// A batch of any `sentences` pairs of the corpus fits in: as many tokens as its longest ones have
// together.
BatchCapacity capacity_of_sentences(const ParallelCorpus& corpus, int64_t sentences);

// torchtext's interleave_keys: bits 15 to 0 of a and b in turn, a's first. Lengths over 65,535
// count as that.
uint32_t interleaved_bits(int64_t a, int64_t b);

}  // namespace xf::data
