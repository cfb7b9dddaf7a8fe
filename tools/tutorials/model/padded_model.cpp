#include "tools/tutorials/model/padded_model.h"

#include <algorithm>

#include "kernels/cross_entropy.h"
#include "kernels/elementwise.h"
#include "kernels/top_k.h"
#include "tools/tutorials/model/settings.h"

namespace xf::nn::quirks {

namespace {

using Ids = std::vector<int32_t>;

const PaddedVariant& variant_of(const TransformerConfig& config) {
  const auto* const variant = dynamic_cast<const PaddedVariant*>(config.variant.get());
  XF_CHECK(variant, "a padded model of a configuration without its variant");
  return *variant;
}

const TransformerConfig& checked(const TransformerConfig& config, DType dtype) {
  const auto check = [](bool holds, const char* rule) {
    if (!holds) fail(ErrorKind::usage, "a model with quirks {}", rule);
  };
  check(config.encoder_layers == config.decoder_layers,
        "has as many encoder as decoder layers: --enc-depth, --dec-depth");
  check(config.tying == Tying::none, "ties no matrices: --tied-embeddings=false --tied-embeddings-all=false");
  check(config.positions == kernels::PositionLayout::interleaved, "has --position-layout interleaved");
  check(!config.learned_positions, "learns no positions: leave --transformer-train-positions out");
  check(config.norm_epsilon == kLayerNormEps, "has --quirks norm-eps=X: leave --layer-norm-epsilon out");
  check(!config.rotary_positions, "adds its positions: leave --transformer-rotary-positions out");
  check(dtype != DType::bf16, "computes in --precision float32");
  return config;
}

// What dropout outside of training is counted by: it is the same each time.
Tensor counted(const Tensor& counters) {
  return counters.defined() ? counters : Tensor::zeros({2, 2}, DType::i32);
}

// Blocks i of x, each of `rows` rows, one behind the other. x [n * rows, ..]
Tensor gathered(const Tensor& x, const Ids& blocks, Shape shape) {
  const int64_t rows = x.rows() / x.dim(0);
  const Tensor all = Tensor::empty(shape, x.dtype());
  int64_t row = 0;
  for (const int32_t block : blocks) {
    all.slice_rows(row, row + rows).copy_from(x.slice_rows(block * rows, (block + 1) * rows));
    row += rows;
  }
  return all;
}

// x [n, ..] -> [R, ..]; undefined stays undefined
Tensor taken(const Tensor& x, const Ids& indices) {
  if (!x.defined()) return x;
  Shape shape = x.shape();
  shape.set(0, static_cast<int64_t>(indices.size()));
  return gathered(x, indices, shape);
}

// The next token of every hypothesis. What is kept of the tokens before lies in rows, a row for
// each hypothesis, and goes along when the beam is reordered.
class PaddedDecoding final : public TranslationModel::Decoding {
 public:
  PaddedDecoding(const Transformer& transformer, ForwardContext& context, const PackedBatch& batch,
                 int32_t pad)
      : transformer_(transformer),
        step_(context),
        ends_(batch.source_offsets.to_vector<int32_t>()),
        encoded_(transformer.encode(context, padded(batch.source_ids, batch.source_offsets, pad))) {}

  Tensor logits(const DecodeStep& at) override {
    const int64_t R = at.ids.numel();
    if (state_.length > 0) reorder(at);
    first_node_ = at.first_node;
    const Variable z = transformer_.next(step_, at.ids.reshape({R, 1}), encoded_of(at), state_);
    return z.value().reshape({R, z.value().width()});
  }
  void top_k(const DecodeStep& at, const Tensor& banned, kernels::Normalise normalise, Out scores,
             Out ids) override {
    kernels::log_softmax_top_k(logits(at), banned, normalise, scores, ids);
  }

 private:
  // Each hypothesis takes over what its parent's row keeps.
  void reorder(const DecodeStep& at) {
    const Ids nodes = at.rows.to_vector<int32_t>();
    const auto length = static_cast<size_t>(at.rows.width());
    Ids parents;
    for (size_t r = 0; r < nodes.size() / length; ++r)
      parents.push_back(nodes[r * length + length - 2] - static_cast<int32_t>(first_node_));
    for (AttentionCache& layer : state_.layers)
      layer = {taken(layer.keys, parents), taken(layer.values, parents), taken(layer.inputs, parents)};
  }

  // Of each hypothesis's sentence, which is the one that its first source token is of.
  Encoded encoded_of(const DecodeStep& at) const {
    const Ids tokens = at.source_rows.to_vector<int32_t>();
    const auto width = static_cast<size_t>(at.source_rows.width());
    Ids sentences;
    for (size_t first = 0; first < tokens.size(); first += width) {
      const auto end = std::ranges::upper_bound(ends_, tokens[first]);
      sentences.push_back(static_cast<int32_t>(end - ends_.begin()) - 1);
    }
    const bool everybody = encoded_.mask.numel() == 1;
    return {taken(encoded_.states.value(), sentences),
            everybody ? encoded_.mask : taken(encoded_.mask, sentences)};
  }

  const Transformer& transformer_;
  ForwardContext& step_;
  Ids ends_;  // of the sentences' tokens, from 0
  Encoded encoded_;
  DecoderState state_;
  int64_t first_node_ = 0;
};

// [B, T, V] -> the rows of tokens, [N, V]
Tensor packed(const Tensor& z, const Tensor& offsets) {
  const Ids ends = offsets.to_vector<int32_t>();
  const Tensor rows = Tensor::empty({ends.back(), z.width()}, z.dtype());
  for (size_t b = 0; b + 1 < ends.size(); ++b) {
    const int64_t first = static_cast<int64_t>(b) * z.dim(1);
    kernels::copy(z.slice_rows(first, first + ends[b + 1] - ends[b]), rows.slice_rows(ends[b], ends[b + 1]));
  }
  return rows;
}

}  // namespace

std::unique_ptr<Model> PaddedVariant::make(const TransformerConfig& config, ParameterStore& store) const {
  return std::make_unique<PaddedModel>(config, store);
}

void PaddedVariant::check_vocabularies() const {
  if (pad.source < 0 || pad.target < 0)
    fail(ErrorKind::usage,
         "quirks need vocabularies with <pad>; leave --vocabs out to train such vocabularies");
}

std::shared_ptr<const ModelVariant> make_padded_variant(const std::vector<std::string>& settings,
                                                        const PadIds& pad) {
  return std::make_shared<PaddedVariant>(quirks_from(settings), pad);
}

Config padded_config(const TransformerConfig& config) {
  const PaddedVariant& variant = variant_of(config);
  const bool pre = config.norm == nn::NormPlacement::pre;
  return {.source_vocabulary = config.source_vocabulary,
          .target_vocabulary = config.target_vocabulary,
          .dim = config.dim,
          .heads = config.heads,
          .feed_forward = config.feed_forward,
          .layers = config.encoder_layers,
          .max_length = std::max(Model::kMaxPositions, config.max_length + 1),
          .source_pad = variant.pad.source,
          .target_pad = variant.pad.target,
          .dropout = config.dropout,
          .attention_dropout = config.attention_dropout,
          .feed_forward_dropout = config.feed_forward_dropout,
          .activation = config.activation,
          .norms = config.norm,
          .final_norms = pre,
          .quirks = variant.quirks};
}

Tensor padded(const Tensor& ids, const Tensor& offsets, int32_t fill) {
  const Ids from = ids.to_vector<int32_t>(), ends = offsets.to_vector<int32_t>();
  int32_t longest = 0;
  for (size_t b = 0; b + 1 < ends.size(); ++b) longest = std::max(longest, ends[b + 1] - ends[b]);
  Ids all((ends.size() - 1) * static_cast<size_t>(longest), fill);
  for (size_t b = 0; b + 1 < ends.size(); ++b)
    std::copy(from.begin() + ends[b], from.begin() + ends[b + 1],
              all.begin() + static_cast<int64_t>(b) * longest);
  return Tensor::from(all, {static_cast<int64_t>(ends.size()) - 1, longest});
}

PaddedModel::PaddedModel(const TransformerConfig& config, ParameterStore& store)
    : TranslationModel(checked(config, store.dtype()), store), transformer_(padded_config(config), store) {}

void PaddedModel::bind(Device device) {
  if (device != Device::cpu()) fail(ErrorKind::usage, "a model with quirks runs on the CPU: --device cpu");
}

void PaddedModel::initialise(ParameterStore& store, uint64_t seed) const {
  transformer_.initialise(store, seed);
}

Variable PaddedModel::padded_logits(const ForwardContext& context, const PackedBatch& batch,
                                    const Tensor& counters) const {
  return transformer_.forward(
      context, padded(batch.source_ids, batch.source_offsets, variant_of(config()).pad.source),
      padded(batch.target_in, batch.target_offsets, variant_of(config()).pad.target), counted(counters));
}

Variable PaddedModel::loss(ForwardContext& context, const PackedBatch& batch, const Tensor& counters,
                           const Tensor& loss) const {
  const kernels::CrossEntropy options{.label_smoothing = config().label_smoothing};
  const Variable z = padded_logits(context, batch, counters);
  const Tensor rows = z.value().reshape({z.value().rows(), z.value().width()});
  const Tensor targets =
      padded(batch.target_out, batch.target_offsets, options.ignore_id).reshape({rows.rows()});
  const Tensor dz = context.tape.recording() ? context.allocate(z.value().shape(), rows.dtype()) : Tensor();
  kernels::cross_entropy(rows, targets, options, loss, dz.defined() ? dz.reshape(rows.shape()) : dz);
  return context.tape.record_root("cross_entropy", loss.slice_rows(0, 1), {z},
                                  [dz](autograd::Gradients& grad) {
                                    if (grad.wanted(0)) grad.give(0, dz);
                                  });
}

std::unique_ptr<TranslationModel::Decoding> PaddedModel::decoding(ForwardContext& context, Arena&,
                                                                  const PackedBatch& batch, int64_t) const {
  return std::make_unique<PaddedDecoding>(transformer_, context, batch, variant_of(config()).pad.source);
}

Tensor PaddedModel::logits(ForwardContext& context, const PackedBatch& batch) const {
  return packed(padded_logits(context, batch, Tensor()).value(), batch.target_offsets);
}

void PaddedModel::top_k(ForwardContext& context, const PackedBatch& batch, Out scores, Out ids) const {
  ForwardContext testing = context;
  testing.training = context.training || variant_of(config()).quirks.dropout_in_tests;
  const Tensor z = logits(testing, batch);
  kernels::log_softmax_top_k(z, Tensor::empty({0}, DType::i32), kernels::Normalise::yes, scores, ids);
}

}  // namespace xf::nn::quirks
