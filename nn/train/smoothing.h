// An exponential mean of the weights over the updates, which is what is validated, saved and
// translated with, while training goes on with the weights themselves. Polyak, Juditsky 1992,
// "Acceleration of stochastic approximation by averaging"; as in Marian (--exponential-smoothing),
// the first updates count more:
//   mean <- mean + s_t (weights - mean),   s_t = max(share, 9 / (10 + t))
#pragma once

#include <exception>

#include "core/dist/collective.h"
#include "core/upload.h"
#include "nn/parameter_store.h"

namespace xf::nn {

class Smoothing {
 public:
  // 0 < share < 1. The mean begins at the weights that the store holds when begin() is called.
  // `ranks`: that keep a piece of the masters each, where the store keeps one, and then a piece of
  // the mean.
  Smoothing(const ParameterStore& store, double share, Collective& ranks = Collective::alone());
  void begin() const;

  // After update t, from 1, of the weights: the number that differs from update to update, brought
  // to the device; and the work there, which a graph can replay.
  void prepare(int64_t update);
  void apply() const;

  // Weights and mean change places; again, and they are as before. Every rank does it.
  void exchange() const;
  const Collective& ranks() const { return ranks_; }
  const Tensor& mean() const { return mean_; }  // flat, in the layout of the store's masters

 private:
  const ParameterStore& store_;
  double share_;
  Collective& ranks_;
  Tensor mean_;
  Tensor step_;  // [1]
  Upload step_upload_;
};

// While one lives, the store holds the mean. Null: nothing is smoothed, nothing happens.
class SmoothedWeights {
 public:
  explicit SmoothedWeights(const Smoothing* smoothing)
      : smoothing_(smoothing), exceptions_(std::uncaught_exceptions()) {
    if (smoothing_) smoothing_->exchange();
  }
  // Throws where a rank is lost on the way back, unless an exception is under way, which says more.
  ~SmoothedWeights() noexcept(false);
  SmoothedWeights(const SmoothedWeights&) = delete;
  SmoothedWeights& operator=(const SmoothedWeights&) = delete;

 private:
  const Smoothing* smoothing_;
  int exceptions_;  // under way at the beginning
};

}  // namespace xf::nn
