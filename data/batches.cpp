#include "data/batches.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "core/error.h"

namespace xf::data {
namespace {

// The sequences of one side, end to end.
class Packer {
 public:
  // eos -1: none.
  void append(std::span<const int32_t> ids, int32_t eos) {
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    if (eos >= 0) ids_.push_back(eos);
    const int32_t length = static_cast<int32_t>(ids.size()) + (eos >= 0 ? 1 : 0);
    longest_ = std::max<int64_t>(longest_, length);
    for (int32_t position = 0; position < length; ++position) positions_.push_back(position);
    offsets_.push_back(static_cast<int32_t>(ids_.size()));
  }

  // ids </s> to <s> ids, sentence by sentence.
  std::vector<int32_t> shifted(int32_t bos) const {
    std::vector<int32_t> result(ids_.size());
    for (size_t i = 0; i < ids_.size(); ++i) result[i] = positions_[i] == 0 ? bos : ids_[i - 1];
    return result;
  }

  const std::vector<int32_t>& ids() const { return ids_; }
  int64_t tokens() const { return static_cast<int64_t>(ids_.size()); }
  int64_t longest() const { return longest_; }
  Tensor positions() const { return Tensor::from(positions_); }
  Tensor offsets() const { return Tensor::from(offsets_); }

 private:
  std::vector<int32_t> ids_, positions_, offsets_{0};
  int64_t longest_ = 0;
};

PackedBatch pack_sources(const Sequences& sources, int32_t eos, std::span<const int64_t> sentences) {
  Packer source;
  for (const int64_t i : sentences) source.append(sources[i], eos);
  PackedBatch batch;
  batch.source_ids = Tensor::from(source.ids());
  batch.source_positions = source.positions();
  batch.source_order = order_by_id(source.ids());
  batch.source_offsets = source.offsets();
  batch.sentences = static_cast<int64_t>(sentences.size());
  batch.source_tokens = source.tokens();
  batch.longest_source = source.longest();
  return batch;
}

PackedBatch pack_pairs(const ParallelCorpus& corpus, const BatchSpecials& specials,
                       std::span<const int64_t> sentences) {
  PackedBatch batch;
  if (corpus.has_source()) batch = pack_sources(corpus.source, specials.source_eos, sentences);
  batch.sentences = static_cast<int64_t>(sentences.size());
  Packer target;
  for (const int64_t i : sentences) target.append(corpus.target[i], specials.target_eos);
  const std::vector<int32_t> target_in = target.shifted(specials.target_bos);
  batch.target_in = Tensor::from(target_in);
  batch.target_out = Tensor::from(target.ids());
  batch.target_positions = target.positions();
  batch.target_order = order_by_id(target_in);
  batch.target_offsets = target.offsets();
  batch.target_tokens = target.tokens();
  batch.longest_target = target.longest();
  return batch;
}

std::span<const int64_t> part(const std::vector<int64_t>& order, int64_t begin, int64_t end) {
  return std::span(order).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
}

// Longest first, so that a batch that does not fit the memory is the first one.
std::vector<int64_t> longest_first(const Sequences& sequences) {
  std::vector<int64_t> order(static_cast<size_t>(sequences.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return sequences.length(a) > sequences.length(b); });
  return order;
}

// All of them; pack(sentences) makes one.
template <typename Pack>
std::vector<IndexedBatch> packed(const EpochBatches& cut, Pack pack) {
  std::vector<IndexedBatch> batches;
  int64_t begin = 0;
  for (const int64_t end : cut.ends) {
    const auto sentences = part(cut.pairs, begin, end);
    batches.push_back({pack(sentences), {sentences.begin(), sentences.end()}});
    begin = end;
  }
  return batches;
}

EpochBatches cut_longest_first(const Sequences& sequences, const BatchCapacity& capacity, const Load& load) {
  EpochBatches cut{longest_first(sequences), {}};
  cut.ends = batch_ends(cut.pairs, 0, sequences.size(), capacity, load);
  return cut;
}

}  // namespace

BatchCapacity capacity_for(int64_t mini_batch_words) {
  constexpr int64_t kWordsPerSentence = 8;  // shorter sentences on average are rare: a bound, not
                                            // an estimate
  if (mini_batch_words < kWordsPerSentence) {
    fail(ErrorKind::usage, "--mini-batch-words must be at least {}, got {}", kWordsPerSentence,
         mini_batch_words);
  }
  return {.target_tokens = mini_batch_words,
          .source_tokens = mini_batch_words * 5 / 4,
          .sentences = mini_batch_words / kWordsPerSentence};
}

BatchSpecials batch_specials(const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer) {
  const BatchSpecials specials{source_tokenizer.eos_id(), target_tokenizer.bos_id(),
                               target_tokenizer.eos_id()};
  if (specials.target_bos < 0 || specials.target_eos < 0) {
    fail(ErrorKind::data,
         "vocabulary: the target's needs <s> (id {}) and </s> (id {}); train one with xformer-vocab, or "
         "SentencePiece with bos_id and eos_id set",
         specials.target_bos, specials.target_eos);
  }
  return specials;
}

TrainingBatches::TrainingBatches(const ParallelCorpus& corpus, const BatchSpecials& specials,
                                 const BatchCapacity& capacity, uint64_t seed, const BatchOrder& order,
                                 EpochCorpus epoch_corpus)
    : corpus_(corpus),
      specials_(specials),
      capacity_(capacity),
      seed_(seed),
      order_(order),
      epoch_corpus_(std::move(epoch_corpus)) {
  XF_CHECK(corpus.size() > 0 && capacity.sentences > 0,
           "batches: need a pair and a capacity of at least one sentence");
  const auto& [longest_source, longest_target] =
      std::pair(corpus.statistics.source.longest, corpus.statistics.target.longest);
  const bool all_fit = longest_target > 0 && longest_source < capacity.source_tokens &&
                       longest_target < capacity.target_tokens;  // with </s>
  for (int64_t i = 0; !all_fit && i < corpus.size(); ++i) {
    const BatchCapacity load = load_of_pair(corpus, i);
    if (load.source_tokens > capacity.source_tokens || load.target_tokens > capacity.target_tokens) {
      fail(ErrorKind::data,
           "{} has {} source and {} target tokens, a batch holds {} and {}; "
           "raise --mini-batch-words or lower --max-length",
           corpus.place(i), load.source_tokens, load.target_tokens, capacity.source_tokens,
           capacity.target_tokens);
    }
  }
  begin(0);
}

void TrainingBatches::begin(int64_t epoch) {
  if (epoch_corpus_) of_epoch_ = epoch_corpus_(epoch);
  epoch_ = {};  // of a large corpus there is no room for two
  epoch_ = epoch_batches(read(), capacity_, order_, seed_, epoch);
}

std::span<const int64_t> TrainingBatches::coming() const {
  return part(epoch_.pairs, cursor_.position, *std::ranges::upper_bound(epoch_.ends, cursor_.position));
}

void TrainingBatches::move_on(int64_t pairs) {
  cursor_.position += pairs;
  if (cursor_.position == pairs_in_epoch()) restore({cursor_.epoch + 1, 0});
}

PackedBatch TrainingBatches::next() {
  PackedBatch batch = pack_pairs(read(), specials_, coming());
  while (read().prepared && !read().prepared->is_unchanged()) batch = pack_pairs(read(), specials_, coming());
  move_on(batch.sentences);
  return batch;
}

BatchSize TrainingBatches::skip() {
  BatchSize size;
  for (const int64_t i : coming()) {
    const BatchCapacity load = load_of_pair(read(), i);
    size.source_tokens += load.source_tokens;
    size.target_tokens += load.target_tokens;
    size.sentences += load.sentences;
  }
  move_on(size.sentences);
  return size;
}

void TrainingBatches::restore(const BatchCursor& cursor) {
  if (cursor.epoch >= 0 && cursor.epoch != cursor_.epoch) begin(cursor.epoch);
  if (cursor.epoch < 0 || cursor.position < 0 || cursor.position >= pairs_in_epoch()) {
    fail(ErrorKind::data,
         "batches: pair {} of epoch {} does not exist, the epoch has {} pairs; is it another corpus?",
         cursor.position, cursor.epoch, pairs_in_epoch());
  }
  cursor_ = cursor;
}

std::vector<IndexedBatch> packed_batches(const ParallelCorpus& corpus, const BatchSpecials& specials,
                                         const EpochBatches& cut) {
  return packed(cut,
                [&](std::span<const int64_t> sentences) { return pack_pairs(corpus, specials, sentences); });
}

std::vector<IndexedBatch> validation_batches(const ParallelCorpus& corpus, const BatchSpecials& specials,
                                             const BatchCapacity& capacity) {
  const auto load = [&](int64_t i) { return load_of_pair(corpus, i); };
  return packed_batches(
      corpus, specials,
      cut_longest_first(corpus.has_source() ? corpus.source : corpus.target, capacity, load));
}

std::vector<IndexedBatch> translation_batches(const Sequences& sources, int32_t source_eos,
                                              int64_t max_source_tokens, int64_t max_sentences) {
  const BatchCapacity capacity{
      .target_tokens = 0, .source_tokens = max_source_tokens, .sentences = max_sentences};
  const auto load = [&](int64_t i) {
    return BatchCapacity{.source_tokens = sources.length(i) + 1, .sentences = 1};
  };
  return packed(cut_longest_first(sources, capacity, load), [&](std::span<const int64_t> sentences) {
    return pack_sources(sources, source_eos, sentences);
  });
}

}  // namespace xf::data
