#include "nn/decode/ensemble.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "kernels/elementwise.h"
#include "kernels/top_k.h"

namespace xf::nn {

namespace {

// sum_i weights[i] logits(i), in memory of its own.
template <typename Logits>
Tensor mixture(const ForwardContext& context, const std::vector<float>& weights, const Logits& logits) {
  Tensor sum;
  for (size_t i = 0; i < weights.size(); ++i) {
    const Tensor z = logits(i);
    const Tensor weighted = context.allocate(z.shape(), z.dtype());
    kernels::scale(z, weights[i], weighted);
    if (sum.defined()) {
      kernels::add_in_place(weighted, sum);
    } else {
      sum = weighted;
    }
  }
  return sum;
}

class JointDecoding final : public TranslationModel::Decoding {
 public:
  JointDecoding(ForwardContext& context, std::vector<std::unique_ptr<TranslationModel::Decoding>> members,
                const std::vector<float>& weights)
      : step_(context), members_(std::move(members)), weights_(weights) {}

  Tensor logits(const DecodeStep& at) override {
    return mixture(step_, weights_, [&](size_t i) { return members_[i]->logits(at); });
  }
  void top_k(const DecodeStep& at, const Tensor& banned, kernels::Normalise normalise, Out scores,
             Out ids) override {
    kernels::log_softmax_top_k(logits(at), banned, normalise, scores, ids);
  }

 private:
  ForwardContext& step_;
  std::vector<std::unique_ptr<TranslationModel::Decoding>> members_;
  const std::vector<float>& weights_;
};

const TranslationModel& shortest_of(const std::vector<const TranslationModel*>& members) {
  if (members.empty()) fail(ErrorKind::usage, "ensemble: needs at least one model");
  return **std::ranges::min_element(
      members, {}, [](const TranslationModel* model) { return most_tokens(model->config()); });
}

}  // namespace

Ensemble::Ensemble(std::vector<const TranslationModel*> members, std::vector<double> weights,
                   const ParameterStore& store)
    : TranslationModel(shortest_of(members).config(), store), members_(std::move(members)) {
  if (weights.size() != members_.size())
    fail(ErrorKind::usage, "weights: expected one for each of {} models, got {}", members_.size(),
         weights.size());
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!std::isfinite(sum)) fail(ErrorKind::usage, "weights: their sum is {}; give smaller ones", sum);
  for (const double weight : weights) {
    if (!(weight > 0)) fail(ErrorKind::usage, "weights: each must be positive, got {}", weight);
    weights_.push_back(static_cast<float>(weight / sum));
  }
  for (const TranslationModel* member : members_) {
    const bool alike = member->config().target_vocabulary == config().target_vocabulary &&
                       member->config().source_vocabulary == config().source_vocabulary &&
                       member->dtype() == dtype();
    if (!alike) fail(ErrorKind::usage, "ensemble: its models must share vocabularies and precision");
  }
}

std::unique_ptr<TranslationModel::Decoding> Ensemble::decoding(ForwardContext& context, Arena& arena,
                                                               const PackedBatch& batch,
                                                               int64_t hypotheses) const {
  std::vector<std::unique_ptr<Decoding>> members;
  for (const TranslationModel* member : members_)
    members.push_back(member->decoding(context, arena, batch, hypotheses));
  return std::make_unique<JointDecoding>(context, std::move(members), weights_);
}

Tensor Ensemble::logits(ForwardContext& context, const PackedBatch& batch) const {
  return mixture(context, weights_, [&](size_t i) { return members_[i]->logits(context, batch); });
}

void Ensemble::top_k(ForwardContext& context, const PackedBatch& batch, Out scores, Out ids) const {
  const Tensor z = logits(context, batch);
  kernels::log_softmax_top_k(z, Tensor::empty({0}, DType::i32, z.device()), kernels::Normalise::yes, scores,
                             ids);
}

Variable Ensemble::loss(ForwardContext&, const PackedBatch&, const Tensor&, const Tensor&) const {
  fail(ErrorKind::usage, "an ensemble is not trained; train its models one by one");
}

}  // namespace xf::nn
