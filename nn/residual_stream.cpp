#include "nn/residual_stream.h"

#include "autograd/recomputed.h"

namespace xf::nn {

ResidualStream::ResidualStream(ForwardContext& context, const TransformerConfig& config, const Variable& x,
                               const Norm& first)
    : step_(context),
      config_(config),
      residual_(x),
      normed_(config.norm == NormPlacement::post ? x : first.forward(context, x)) {}

ResidualStream::ResidualStream(ForwardContext& context, const TransformerConfig& config,
                               const std::vector<Variable>& state)
    : step_(context), config_(config), residual_(state.front()), normed_(state.back()) {}

std::vector<Variable> ResidualStream::state() const {
  if (config_.norm == NormPlacement::post) return {normed_};
  return {residual_, normed_};
}

void ResidualStream::walk(const Layer& layer, const std::vector<Variable>& others) {
  if (!config_.recompute_layers || !step_.tape.recording()) return layer(step_, *this, others);
  std::vector<Variable> inputs = state();
  const auto own = static_cast<std::ptrdiff_t>(inputs.size());
  inputs.insert(inputs.end(), others.begin(), others.end());
  const auto part = [&config = config_, training = step_.training, seed = step_.seed, layer, own](
                        Tape& tape, const std::vector<Variable>& in) {
    ForwardContext again{.tape = tape, .training = training, .seed = seed};
    ResidualStream stream(again, config, std::vector(in.begin(), in.begin() + own));
    layer(again, stream, std::vector(in.begin() + own, in.end()));
    return stream.state();
  };
  const std::vector<Variable> after = autograd::recomputed(step_.tape, inputs, part);
  residual_ = after.front();
  normed_ = after.back();
}

void ResidualStream::add(const Variable& s, const Sublayer& sublayer, const Norm* next,
                         const Tokens& tokens) {
  const kernels::Dropout dropout = step_.dropout(config_.dropout, sublayer.site, tokens);
  const bool post = config_.norm == NormPlacement::post;
  const Norm& norm = post ? sublayer.norm : *next;
  const Norm::Sum sum = norm.forward_residual(step_, residual_, s, dropout);
  residual_ = post ? sum.y : sum.sum;
  normed_ = sum.y;
}

}  // namespace xf::nn
