// The rooms of training: the rate, the loss that is reported, and weight decay, by the kernels that train.
#include <cmath>
#include <numbers>

#include "core/philox.h"
#include "kernels/adam.h"
#include "kernels/cross_entropy.h"
#include "nn/schedule.h"
#include "tools/explain/quirk_model.h"
#include "tools/explain/quirk_table.h"

namespace xf::tools::explain {

namespace {

// A few parameters under Adam.
class Weights {
 public:
  Weights(std::vector<float> values, kernels::AdamOptions options)
      : options_(options),
        p_(Tensor::from(values)),
        m_(Tensor::zeros(p_.shape(), DType::f32)),
        v_(Tensor::zeros(p_.shape(), DType::f32)) {}

  void update(std::vector<float> gradients, double rate) {
    ++updates_;
    const auto correction = [&](float beta) {
      return static_cast<float>(1 - std::pow(static_cast<double>(beta), updates_));
    };
    const Tensor g = Tensor::from(gradients), norm = Tensor::zeros({1}, DType::f64);
    kernels::sum_of_squares(g, norm);
    const Tensor step = Tensor::from(std::vector<float>{static_cast<float>(rate), correction(options_.beta1),
                                                        correction(options_.beta2), 1});
    kernels::adam(options_, step, 0, norm, p_, m_, v_, g);
  }
  std::vector<double> values() const {
    const auto values = p_.to_vector<float>();
    return {values.begin(), values.end()};
  }

 private:
  kernels::AdamOptions options_;
  Tensor p_, m_, v_;
  int updates_ = 0;
};

double size(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

// Weights that begin in +-0.108, Kaiming's bound for 512 inputs, after one update at this rate.
double size_after_update(double rate) {
  constexpr int kWeights = 4096;
  PhiloxSequence random(1, 0);
  std::vector<float> weights, gradients;
  for (int i = 0; i < kWeights; ++i) {
    weights.push_back(std::sqrt(6.0f / 512) * (2 * random.uniform() - 1));
    gradients.push_back(2 * random.uniform() - 1);
  }
  Weights trained(weights, {});
  if (rate > 0) trained.update(gradients, rate);
  return size(trained.values());
}

// The sum of the losses of words whose logits give them the probabilities, the other half of two classes.
double loss_of(const std::vector<double>& probabilities) {
  std::vector<double> logits;
  for (const double p : probabilities) logits.push_back(std::log(p)), logits.push_back(std::log(1 - p));
  const auto N = static_cast<int64_t>(probabilities.size());
  const Tensor loss = Tensor::zeros({2}, DType::f64);
  kernels::cross_entropy(Tensor::from(logits, {N, 2}), Tensor::zeros({N}, DType::i32), {}, loss, Tensor());
  return loss.data<double>()[0];
}

// Two weights that begin as 1, with gradients that pull to neither side, one's a thousand times the other's.
std::vector<double> decayed(bool decoupled) {
  constexpr int kUpdates = 500;
  Weights weights({1, 1}, {.weight_decay = 0.1f, .decoupled = decoupled});
  for (int update = 0; update < kUpdates; ++update) {
    const float sign = update % 2 == 0 ? 1.0f : -1.0f;
    weights.update({0.01f * sign, 10 * sign}, 1e-3);
  }
  return weights.values();
}

}  // namespace

void show_first_step(QuirkRoom& room) {
  const nn::Schedule ramp{.peak = 1, .warmup = 100}, none{.peak = 1};
  std::vector<double> rates;
  for (const nn::Schedule& schedule : {ramp, none}) {
    for (const int64_t epoch : {1, 25, 50, 100, 101}) rates.push_back(schedule.at(epoch));
  }
  room.exhibits.push_back(
      {"The rate in epochs 1 to 101, as part of its peak: 'warmup = 100'",
       {panel("", {"a ramp", "quirk"}, {"1", "25", "50", "100", "101"}, Tensor::from(rates, {2, 5}))}});
  room.numbers.push_back(
      {"size of weights at their beginning (root of the mean square)", size_after_update(0)});
  room.numbers.push_back({"after one update at rate 1e-5", size_after_update(1e-5)});
  room.numbers.push_back({"after one update at rate 0.1", size_after_update(0.1)});
}

void show_batch_means(QuirkRoom& room) {
  const std::vector<double> long_batch(9, 0.5), short_batch(1, 0.1);
  const double a = loss_of(long_batch), b = loss_of(short_batch);
  const auto words = [](const std::vector<double>& batch) { return static_cast<double>(batch.size()); };
  const double by_word = (a + b) / (words(long_batch) + words(short_batch)),
               by_batch = (a / words(long_batch) + b / words(short_batch)) / 2;
  room.exhibits.push_back(
      {"Two batches of an epoch (CE1)",
       {panel(
           "", {"9 words at p = 0.5", "1 word at p = 0.1"}, {"sum of losses", "mean"},
           Tensor::from(std::vector<double>{a, a / words(long_batch), b, b / words(short_batch)}, {2, 2}))}});
  room.numbers.push_back({"loss of the epoch, by words: correct", by_word});
  room.numbers.push_back({"loss of the epoch, by batches: quirk", by_batch});
  room.numbers.push_back({"perplexity, correct", std::exp(by_word)});
  room.numbers.push_back({"perplexity, quirk", std::exp(by_batch)});
}

void show_coupled_decay(QuirkRoom& room) {
  std::vector<double> both = decayed(true);
  for (const double value : decayed(false)) both.push_back(value);
  room.exhibits.push_back(
      {"Two weights that began as 1, after 500 updates at rate 0.001 with weight decay 0.1 (AD4)",
       {panel("", {"correct: decoupled", "quirk: in the gradient"}, {"gradients +-0.01", "gradients +-10"},
              Tensor::from(both, {2, 2}))}});
  room.numbers.push_back({"what decay alone leaves, (1 - 0.001 0.1)^500", std::pow(1 - 1e-4, 500)});
  room.numbers.push_back({"the two weights apart, quirk", std::abs(both[2] - both[3])});
}

}  // namespace xf::tools::explain
