#include "nn/residual_stream.h"

namespace xf::nn {

ResidualStream::ResidualStream(Step& step, const TransformerConfig& config, const Variable& x,
                               const Norm& first)
    : step_(step),
      config_(config),
      residual_(x),
      normed_(config.norm == NormPlacement::post ? x : first.forward(step, x)) {}

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
