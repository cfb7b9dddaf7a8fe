// Encoded sentences to packed batches (core/packed_batch.h).
//   source     = ids </s>        target_in = <s> ids        target_out = ids </s>
// Training batches follow the shuffled order, unsorted unless pools are asked for
// (data/bucket_batches.h): packing leaves no padding that sorting would save, and batches that are
// random samples of the corpus have honest gradients. Validation and translation sort by source
// length.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/packed_batch.h"
#include "data/bucket_batches.h"

namespace xf::data {

// A corpus without sources makes batches of targets alone; where target_eos is none, of classes, a
// target's ids come out as they are.

// target <= words, source <= 1.25 words, sentences <= words / 8. Error usage unless words >= 8.
BatchCapacity capacity_for(int64_t mini_batch_words);

// The ids that batches add to the sentences; source_eos, target_eos -1: none. Error data if the
// target's vocabulary lacks one of its; sources may have no end, as OpenNMT reads them.
struct BatchSpecials {
  int32_t source_eos = 0, target_bos = 0, target_eos = 0;
};
BatchSpecials batch_specials(const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer);

// Where training stands in the data: `position` pairs of epoch `epoch` (from 0) have been handed
// out. After the last batch of an epoch it is {epoch + 1, 0}.
struct BatchCursor {
  int64_t epoch = 0;
  int64_t position = 0;
  bool operator==(const BatchCursor&) const = default;
};

// The corpus's pairs as an epoch reads them, each at its place (data/bpe_dropout.h).
using EpochCorpus = std::function<ParallelCorpus(int64_t epoch)>;

// Endless batches; those of an epoch are a pure function of (seed, epoch), so that a cursor
// restores them exactly. The corpus must outlive this object.
class TrainingBatches {
 public:
  // Error data, naming the line, if one sentence alone is over the capacity. `epoch_corpus`: where
  // epochs differ.
  TrainingBatches(const ParallelCorpus& corpus, const BatchSpecials& specials, const BatchCapacity& capacity,
                  uint64_t seed, const BatchOrder& order = {}, EpochCorpus epoch_corpus = {});

  // A batch never spans two epochs; the last of an epoch may be small.
  PackedBatch next();
  // Passes over it: how large it is.
  BatchSize skip();

  // How many batches the epoch of the cursor has, without building them.
  int64_t batches_in_epoch() const { return static_cast<int64_t>(epoch_.ends.size()); }
  int64_t pairs_in_epoch() const { return static_cast<int64_t>(epoch_.pairs.size()); }

  BatchCursor cursor() const { return cursor_; }
  // Error data if the epoch has no such position. Inside a batch, its rest comes next.
  void restore(const BatchCursor& cursor);

 private:
  void begin(int64_t epoch);
  std::span<const int64_t> coming() const;  // the pairs of the next batch
  void move_on(int64_t pairs);
  const ParallelCorpus& read() const { return epoch_corpus_ ? of_epoch_ : corpus_; }

  const ParallelCorpus& corpus_;
  BatchSpecials specials_;
  BatchCapacity capacity_;
  uint64_t seed_;
  BatchOrder order_;
  EpochCorpus epoch_corpus_;
  ParallelCorpus of_epoch_;  // if there is an epoch_corpus_
  BatchCursor cursor_;
  EpochBatches epoch_;  // number cursor_.epoch
};

// A batch that remembers where its sentences came from: sentence i of the batch is number
// sentences[i] of the input.
struct IndexedBatch {
  PackedBatch batch;
  std::vector<int64_t> sentences;
};

// Batches that are cut already.
std::vector<IndexedBatch> packed_batches(const ParallelCorpus& corpus, const BatchSpecials& specials,
                                         const EpochBatches& cut);

// Every pair once, longest source first, ties in corpus order. A single sentence over the capacity
// gets a batch of its own: validation never drops text.
std::vector<IndexedBatch> validation_batches(const ParallelCorpus& corpus, const BatchSpecials& specials,
                                             const BatchCapacity& capacity);

// Sources only (target_* undefined), the same order and rule; an empty sentence becomes </s> alone.
std::vector<IndexedBatch> translation_batches(const Sequences& sources, int32_t source_eos,
                                              int64_t max_source_tokens, int64_t max_sentences);

}  // namespace xf::data
