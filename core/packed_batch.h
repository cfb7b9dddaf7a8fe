// One micro-batch of sentences as the model reads it: concatenated tokens without padding
// (docs/notation.md).
#pragma once

#include <vector>

#include "core/tensor.h"

namespace xf {

// All tensors are i32. Ns, Nt: source and target tokens; B: sentences.
//   source: each sentence's ids + </s>;  target_in: <s> + ids;  target_out: ids + </s>
//   *_offsets [B+1]: sentence b holds tokens offsets[b] .. offsets[b+1]-1 (cu_seqlens)
//   *_positions: a token's place in its sentence, from 0
//   *_order: token numbers sorted by id, stably, so that the embedding's backward adds each row's
//   gradients in
//            a fixed order without atomics
// Translation batches leave the target tensors undefined; those of a language model, the source
// tensors. In those of a classifier target_out is one class a sentence, and target_in is not read.
struct PackedBatch {
  Tensor source_ids, source_positions, source_order;             // [Ns]
  Tensor source_offsets;                                         // [B+1]
  Tensor target_in, target_out, target_positions, target_order;  // [Nt]
  Tensor target_offsets;                                         // [B+1]
  // [Nt] each, of a repeated batch with spare tokens behind its last reading
  // (nn/train/graph_batch.h), else undefined. The loss has a row for each token, spare ones last in
  // each reading (kernels::RepeatedLoss); target_out is in the order of these rows. -1: none.
  Tensor loss_row_to_token = {}, token_to_loss_row = {};
  int64_t sentences = 0;
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
  int64_t longest_source = 0, longest_target = 0;  // tokens of the longest sentence

  // The same batch with its tensors on the device.
  PackedBatch to(Device device) const;
  // Sentences begin .. end-1 as a batch of their own; of a batch on the CPU.
  PackedBatch part(int64_t begin, int64_t end) const;
  // Its sentences, so many times in all: token n of reading k is token n + k Ns, or n + k Nt; of a
  // batch on the CPU.
  PackedBatch repeated(int64_t times) const;
};

// Token numbers sorted by id, stably: [ids.size()].
Tensor order_by_id(const std::vector<int32_t>& ids);

// How large a batch is, or may be.
struct BatchSize {
  int64_t source_tokens = 0, target_tokens = 0, sentences = 0;

  BatchSize repeated(int64_t times) const {
    return {times * source_tokens, times * target_tokens, times * sentences};
  }
};

// The batch in as few parts of consecutive sentences as `largest` allows. A sentence that is larger
// alone is a part of its own.
std::vector<PackedBatch> cut(const PackedBatch& batch, const BatchSize& largest);

}  // namespace xf
