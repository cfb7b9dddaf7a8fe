// The Transformer with switches as a model that trains and translates like the engine's own. A
// batch is filled up with padding, [B, longest], and the padding's losses count nothing. On the
// CPU, in f32 or f64.
#pragma once

#include "nn/model_variant.h"
#include "nn/translation_model.h"
#include "tools/tutorials/model/transformer.h"

namespace xf::nn::quirks {

// The variant "quirks" of nn/model_variant.h.
struct PaddedVariant final : ModelVariant {
  Quirks quirks;
  PadIds pad;

  PaddedVariant(const Quirks& with, const PadIds& ids) : quirks(with), pad(ids) {}
  std::string_view name() const override { return "quirks"; }
  std::unique_ptr<Model> make(const TransformerConfig& config, ParameterStore& store) const override;
  void check_vocabularies() const override;  // both have <pad>
};

// What xformer-train's --quirks names.
std::shared_ptr<const ModelVariant> make_padded_variant(const std::vector<std::string>& settings,
                                                        const PadIds& pad);

// The sizes of config, and the switches of its variant, a PaddedVariant.
Config padded_config(const TransformerConfig& config);

// Packed ids i32 [N] of sentences offsets [B+1] -> i32 [B, longest], filled up.
Tensor padded(const Tensor& ids, const Tensor& offsets, int32_t fill);

class PaddedModel final : public TranslationModel {
 public:
  // config.variant is a PaddedVariant. Error usage for what these models cannot be: tied, of
  // unequal depths, in bfloat16.
  PaddedModel(const TransformerConfig& config, ParameterStore& store);

  // Error usage for a device that is not the CPU.
  void bind(Device device) override;
  void initialise(ParameterStore& store, uint64_t seed) const override;

  // The dropout of an update that is cut into batches is another than the whole one's: padding
  // counts as tokens.
  Variable loss(ForwardContext& context, const PackedBatch& batch, const Tensor& counters,
                const Tensor& loss) const override;

  // Keeps what Quirks::cache says, for each hypothesis apart.
  std::unique_ptr<Decoding> decoding(ForwardContext& context, Arena& arena, const PackedBatch& batch,
                                     int64_t hypotheses) const override;
  Tensor logits(ForwardContext& context, const PackedBatch& batch) const override;
  void top_k(ForwardContext& context, const PackedBatch& batch, Out scores, Out ids) const override;

 private:
  // -> [B, T, V]
  Variable padded_logits(const ForwardContext& context, const PackedBatch& batch,
                         const Tensor& counters) const;

  Transformer transformer_;
};

}  // namespace xf::nn::quirks
