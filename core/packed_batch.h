// One micro-batch of sentences as the model reads it: concatenated tokens without padding (docs/notation.md).
#pragma once

#include <vector>

#include "core/tensor.h"

namespace xf {

// All tensors are i32. Ns, Nt: source and target tokens; B: sentences.
//   source: each sentence's ids + </s>;  target_in: <s> + ids;  target_out: ids + </s>
//   *_offsets [B+1]: sentence b holds tokens offsets[b] .. offsets[b+1]-1 (cu_seqlens)
//   *_positions: a token's place in its sentence, from 0
//   *_order: token numbers sorted by id, stably, so that the embedding's backward adds each row's gradients in
//            a fixed order without atomics
// Translation batches leave the target tensors undefined; those of a language model, the source tensors. In those
// of a classifier target_out is one class a sentence, and target_in is not read.
struct PackedBatch {
  Tensor source_ids, source_positions, source_order;             // [Ns]
  Tensor source_offsets;                                         // [B+1]
  Tensor target_in, target_out, target_positions, target_order;  // [Nt]
  Tensor target_offsets;                                         // [B+1]
  // Of a batch that is read twice and has spare tokens behind both readings (nn/train/fixed_batch.h), [Nt], else undefined. The loss
  // wants the two tokens of a pair Nt / 2 apart (kernels/r_drop.h): which token stands at a place there, and at which place a
  // token stands; -1: none. target_out is by places then.
  Tensor token_at_place = {}, place_of_token = {};
  int64_t sentences = 0;
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
  int64_t longest_source = 0, longest_target = 0;  // tokens of the longest sentence

  // The same batch with its tensors on the device.
  PackedBatch to(Device device) const;
  // Sentences begin .. end-1 as a batch of their own; of a batch on the CPU.
  PackedBatch part(int64_t begin, int64_t end) const;
  // Its sentences, and all of them once more: token n again is token n + Ns, or n + Nt; of a batch on the CPU.
  PackedBatch twice() const;
};

// Token numbers sorted by id, stably: [ids.size()].
Tensor order_by_id(const std::vector<int32_t>& ids);

// How large a batch is, or may be.
struct BatchSize {
  int64_t source_tokens = 0, target_tokens = 0, sentences = 0;
};

// The batch in as few parts of consecutive sentences as `largest` allows. A sentence that is larger alone is a part of its
// own.
std::vector<PackedBatch> cut(const PackedBatch& batch, const BatchSize& largest);

}  // namespace xf
