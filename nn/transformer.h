// The encoder-decoder Transformer, in the paper's order. Vaswani et al. 2017, arXiv:1706.03762; pre-norm:
// Wang et al. 2019, arXiv:1906.01787. The forward pass is written here once; the backward pass is that of its
// blocks, on the tape.
#pragma once

#include <memory>
#include <vector>

#include "core/packed_batch.h"
#include "nn/attention_block.h"
#include "nn/embedding_block.h"
#include "nn/feed_forward.h"
#include "nn/norm.h"
#include "nn/output_block.h"

namespace xf::nn {

enum class NormPlacement {
  post,  // x = norm(x + dropout(sublayer(x)))
  pre,   // x = x + dropout(sublayer(norm(x))), and a norm after the last layer
};
enum class Tying {
  none,
  target,  // target embedding = output projection
  all,     // one table for source, target and output; needs a joint vocabulary
};

struct TransformerConfig {
  int64_t source_vocabulary = 0, target_vocabulary = 0;
  int64_t dim = 128, heads = 4, feed_forward = 256;
  int64_t encoder_layers = 4, decoder_layers = 4;
  NormPlacement norm = NormPlacement::post;
  kernels::Activation activation = kernels::Activation::relu;
  kernels::PositionLayout positions = kernels::PositionLayout::interleaved;
  Tying tying = Tying::none;
  float dropout = 0, attention_dropout = 0, feed_forward_dropout = 0;
  float label_smoothing = 0;
  int64_t max_length = 100;  // of a sentence in training, in tokens with </s>
};

// One row of the residual stream: attention or feed-forward, and the norm that goes with it.
struct Sublayer {
  Sublayer(Registry& registry, const std::string& name, int64_t dim)
      : norm(registry, name + ".norm", dim), site(registry.new_dropout_site()) {}
  Norm norm;
  uint32_t site;  // of the dropout on the sublayer's output
};

struct EncoderLayer {
  EncoderLayer(Registry& registry, const std::string& name, const TransformerConfig& config);
  SelfAttention self_attention;
  Sublayer self_attention_sublayer;
  FeedForward feed_forward;
  Sublayer feed_forward_sublayer;
};

struct DecoderLayer {
  DecoderLayer(Registry& registry, const std::string& name, const TransformerConfig& config);
  SelfAttention self_attention;
  Sublayer self_attention_sublayer;
  CrossAttention cross_attention;
  Sublayer cross_attention_sublayer;
  FeedForward feed_forward;
  Sublayer feed_forward_sublayer;
};

// What step-by-step decoding keeps (nn/search.h).
struct DecoderCache {
  std::vector<Tensor> layers;  // per layer [C, 3D]: the fused projections of every position decoded so far
  Tensor cross;                // [Ts, L * 2D]
  Tensor cross_rows, cross_lengths;  // i32 [R, Smax], [R]: each hypothesis's source tokens
};

class Transformer {
 public:
  Transformer(const TransformerConfig& config, Registry& registry);

  const TransformerConfig& config() const { return config_; }

  // Call once after registry.allocate(): the tables that are computed, not learnt.
  void bind(Device device);

  // Sum of the losses of the batch's target tokens; loss [2] as in Output::loss.
  Variable loss(Step& step, const PackedBatch& batch, const Tensor& counters, const Tensor& loss) const;

  // counters i32 [2, 2] {source, target}: what Tokens::counter says; undefined without dropout. -> [Ts, D]
  Variable encode(Step& step, const PackedBatch& batch, const Tensor& counters) const;
  // The keys and values of all decoder layers. [Ts, D] -> [Ts, L * 2D]
  Variable cross_keys_values(Step& step, const Variable& memory) const {
    return cross_kv_.forward(step, memory);
  }
  // memory [Ts, D] -> decoder states [Tt, D]
  Variable decode(Step& step, const PackedBatch& batch, const Variable& memory, const Tensor& counters) const;
  // [R, D] -> [R, V]
  Tensor logits(Step& step, const Tensor& states) const { return output_.logits(step, states); }
  // The best next tokens: scores [R, K], Acc, and ids i32 [R, K] written (kernels/top_k.h).
  void top_k(Step& step, const Tensor& states, const Tensor& banned, Out scores, Out ids) const {
    output_.top_k(step, states, banned, scores, ids);
  }

  // One position for R hypotheses: ids, positions i32 [R] -> states [R, D]. Row r's projections are written
  // at cache row first_row + r; rows [R, S] and lengths [R] list the cached positions each hypothesis sees,
  // this one included.
  Tensor decode_step(Step& step, const Tensor& ids, const Tensor& positions, const DecoderCache& cache,
                     int64_t first_row, const Tensor& rows, const Tensor& lengths) const;

  // Sentences may be this long when translating; the position table ends there.
  static constexpr int64_t kMaxPositions = 2048;

 private:
  // x + sublayer(x) with the norms where the config wants them: `normed` goes into the sublayer.
  struct Stream {
    Variable residual, normed;
  };
  Stream begin(Step& step, const Variable& x, const Norm& first) const;
  void add(Step& step, Stream& stream, const Variable& s, const Sublayer& sublayer, const Norm* next,
           const Tokens& tokens) const;
  template <typename Self, typename Cross>
  Variable walk_decoder(Step& step, const Variable& x, const Tokens& target, const Self& self,
                        const Cross& cross) const;
  // Layer l's columns of all layers' keys and values: begin, end.
  std::pair<int64_t, int64_t> cross_columns(size_t l) const {
    const auto first = static_cast<int64_t>(l) * 2 * config_.dim;
    return {first, first + 2 * config_.dim};
  }
  Tokens source_tokens(const Step& step, const PackedBatch& batch, const Tensor& counters) const;
  Tokens target_tokens(const Step& step, const PackedBatch& batch, const Tensor& counters) const;
  int64_t max_length(const Step& step, int64_t longest) const;

  TransformerConfig config_;
  const Parameter& source_table_;
  Embedding source_embedding_;
  std::vector<std::unique_ptr<EncoderLayer>> encoder_;
  std::unique_ptr<Norm> encoder_norm_;  // pre-norm only
  const Parameter& target_table_;
  Embedding target_embedding_;
  CrossKeysValues cross_kv_;
  std::vector<std::unique_ptr<DecoderLayer>> decoder_;
  std::unique_ptr<Norm> decoder_norm_;  // pre-norm only
  Output output_;
  Tensor positions_;  // [P, D]
};

}  // namespace xf::nn
