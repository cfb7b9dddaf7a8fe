// What runs past the sublayers of a stack of layers, and the norms on it, where the model wants
// them. Post-norm: Vaswani et al. 2017, arXiv:1706.03762; pre-norm: Wang et al. 2019,
// arXiv:1906.01787; docs/derivations/residual.md.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "nn/norm.h"
#include "nn/transformer_config.h"

namespace xf::nn {

// One row of the residual stream: attention or feed-forward, and the norm that goes with it.
struct Sublayer {
  Sublayer(ParameterStore& store, const std::string& name, const TransformerConfig& config)
      : norm(store, name + ".norm", config.dim, config.norm_epsilon), site(store.new_dropout_site()) {}
  Norm norm;
  uint32_t site;  // of the dropout on the sublayer's output
};

class ResidualStream {
 public:
  // `first`: the norm of the first sublayer. The arguments must outlive it.
  ResidualStream(ForwardContext& context, const TransformerConfig& config, const Variable& x,
                 const Norm& first);

  // The next layer: layer(step, stream, others) reads normed() and adds to the stream, and reads
  // `others` besides. With --gradient-checkpointing its values are not kept, and `layer` is called
  // again on the way back (autograd/recomputed.h).
  using Layer = std::function<void(ForwardContext&, ResidualStream&, const std::vector<Variable>&)>;
  void walk(const Layer& layer, const std::vector<Variable>& others = {});

  // What the next sublayer reads; at the end, the stack's output.
  const Variable& normed() const { return normed_; }
  // Adds what a sublayer made of normed(). `next`: the norm of the sublayer after it, or the
  // stack's last one; read in pre-norm only.
  void add(const Variable& s, const Sublayer& sublayer, const Norm* next, const Tokens& tokens);

 private:
  ResidualStream(ForwardContext& context, const TransformerConfig& config,
                 const std::vector<Variable>& state);
  // Post-norm's two are one.
  std::vector<Variable> state() const;

  ForwardContext& step_;
  const TransformerConfig& config_;
  Variable residual_, normed_;
};

// Layers NAME.layers.0 .. , each of which begins with a self-attention, and in pre-norm the norm
// behind them.
template <typename Layer>
class LayerStack {
 public:
  LayerStack(ParameterStore& store, const std::string& name, int64_t layers,
             const TransformerConfig& config) {
    for (int64_t l = 0; l < layers; ++l) {
      layers_.push_back(std::make_unique<Layer>(store, fmt::format("{}.layers.{}", name, l), config));
    }
    if (config.norm == NormPlacement::pre)
      last_ = std::make_unique<Norm>(store, name + ".norm", config.dim, config.norm_epsilon);
  }

  size_t size() const { return layers_.size(); }
  const Layer& operator[](size_t l) const { return *layers_[l]; }
  const Norm& first_norm() const { return layers_[0]->self_attention_sublayer.norm; }
  // The norm behind layer l's last sublayer in pre-norm: the next layer's first, or the stack's.
  const Norm* norm_after(size_t l) const {
    return l + 1 < size() ? &layers_[l + 1]->self_attention_sublayer.norm : last_.get();
  }

 private:
  std::vector<std::unique_ptr<Layer>> layers_;
  std::unique_ptr<Norm> last_;
};

}  // namespace xf::nn
