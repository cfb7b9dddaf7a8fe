// What search, teacher forcing and validation ask of an encoder-decoder, whatever it keeps from one
// token to the next.
#pragma once

#include "core/arena.h"
#include "kernels/top_k.h"
#include "nn/model.h"

namespace xf::nn {

// One position of R hypotheses, numbered as in nn/decode/beams.h: row r is node first_node + r.
struct DecodeStep {
  int64_t first_node = 0;
  Tensor ids, positions;               // i32 [R]
  Tensor rows, lengths;                // i32 [R, S], [R]: the nodes of each hypothesis, its own the
                                       // last
  Tensor source_rows, source_lengths;  // i32 [R, Smax], [R]: the tokens of each hypothesis's source
};

class TranslationModel : public Model {
 public:
  // The decoding of one batch, token by token.
  class Decoding {
   public:
    virtual ~Decoding() = default;
    // Of the next token of each hypothesis. -> [R, V]
    virtual Tensor logits(const DecodeStep& at) = 0;
    // The best next tokens: scores [R, K], Acc, log-probabilities or logits, and ids i32 [R, K]
    // written (kernels/top_k.h).
    virtual void top_k(const DecodeStep& at, const Tensor& banned, kernels::Normalise normalise, Out scores,
                       Out ids) = 0;
  };
  // Reads the source tensors of the batch, which is on the model's device. `hypotheses`: of its
  // first step, at most; what is kept for more is taken when they come. The step's tape and the
  // arena must outlive it.
  virtual std::unique_ptr<Decoding> decoding(ForwardContext& context, Arena& arena, const PackedBatch& batch,
                                             int64_t hypotheses) const = 0;

  // Of the token behind each one of the batch's targets, which are taken as given. -> [Nt, V]
  virtual Tensor logits(ForwardContext& context, const PackedBatch& batch) const = 0;
  // The best token behind each one of them: scores [Nt, K], Acc, and ids
  // i32 [Nt, K] written.
  virtual void top_k(ForwardContext& context, const PackedBatch& batch, Out scores, Out ids) const = 0;

 protected:
  using Model::Model;
};

}  // namespace xf::nn
