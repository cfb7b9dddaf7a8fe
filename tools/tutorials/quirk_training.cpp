// The rooms of training: the rate, the loss that is reported, and weight decay, by the kernels that
// train.
#include <algorithm>
#include <cmath>
#include <functional>

#include "core/philox.h"
#include "kernels/adam.h"
#include "kernels/cross_entropy.h"
#include "nn/train/schedule.h"
#include "tools/tutorials/quirk_model.h"
#include "tools/tutorials/quirk_table.h"

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

// The sum of the losses of words whose logits give them the probabilities, the other half of two
// classes.
double loss_of(const std::vector<double>& probabilities) {
  std::vector<double> logits;
  for (const double p : probabilities) logits.push_back(std::log(p)), logits.push_back(std::log(1 - p));
  const auto N = static_cast<int64_t>(probabilities.size());
  const Tensor loss = Tensor::zeros({2}, DType::f64);
  kernels::cross_entropy(Tensor::from(logits, {N, 2}), Tensor::zeros({N}, DType::i32), {}, loss, Tensor());
  return loss.data<double>()[0];
}

constexpr int kUpdates = 500;

// A weight that begins as 1, after each of kUpdates updates whose gradients of this size pull to
// neither side.
std::vector<double> decayed(bool decoupled, float gradient) {
  Weights weights({1}, {.weight_decay = 0.1f, .decoupled = decoupled});
  std::vector<double> values = {1};
  for (int update = 0; update < kUpdates; ++update) {
    weights.update({update % 2 == 0 ? gradient : -gradient}, 1e-3);
    values.push_back(weights.values().front());
  }
  return values;
}

// By epoch, from 1, where validation never gains; of the quirk's schedule, or of another.
std::vector<double> rates(const nn::Schedule& schedule, int64_t epochs) {
  std::vector<double> rates;
  nn::PlateauState state;
  for (int64_t epoch = 1; epoch <= epochs; ++epoch) {
    rates.push_back(schedule.at(epoch, state));
    state = schedule.validated(state, epoch - 1, 1, false);
  }
  return rates;
}

// The epoch after which the rate is first cut.
double first_cut(const std::vector<double>& rates) {
  return static_cast<double>(std::ranges::adjacent_find(rates, std::greater<>()) - rates.begin() + 1);
}

PlotSeries series(const std::string& name, const std::vector<double>& values, double first) {
  PlotSeries series{name, {}, false};
  for (size_t i = 0; i < values.size(); ++i)
    series.points.push_back({first + static_cast<double>(i), values[i]});
  return series;
}

void show_rates(QuirkRoom& room) {
  constexpr int64_t kEpochs = 200;
  const std::vector<double> ramp = rates({.peak = 1, .warmup = 100}, kEpochs),
                            plateau = rates({.peak = 1, .decay = nn::Decay::plateau}, kEpochs),
                            gated = rates(
                                {.peak = 1, .decay = nn::Decay::plateau, .plateau = {.start_epoch = 101}},
                                kEpochs);
  const std::vector<std::string> names = {"a ramp of 100 epochs", "a plateau schedule", "quirk"};
  std::vector<double> shown;
  std::vector<std::string> columns;
  for (const std::vector<double>* of : {&ramp, &plateau, &gated}) {
    columns.clear();
    for (const size_t epoch : {1, 12, 13, 50, 100, 113, 114, 125}) {
      shown.push_back((*of)[epoch - 1]);
      columns.push_back(fmt::format("{}", epoch));
    }
  }
  room.exhibits.push_back({"The rate by epoch, as part of its peak, where validation never gains",
                           {panel("", names, columns, Tensor::from(shown, {3, std::ssize(columns)}))}});
  room.numbers.push_back({"epoch after which a plateau schedule first cuts", first_cut(plateau)});
  room.numbers.push_back({"the same, quirk", first_cut(gated)});
  room.plots.push_back(
      {.title = "The rate where validation never gains",
       .x_label = "epoch",
       .y_label = "part of the peak",
       .series = {series(names[0], ramp, 1), series(names[1], plateau, 1), series(names[2], gated, 1)},
       .marks = {}});
}

}  // namespace

void show_first_step(QuirkRoom& room) {
  show_rates(room);
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
  const std::vector<double> decoupled_small = decayed(true, 0.01f), decoupled_large = decayed(true, 10),
                            coupled_small = decayed(false, 0.01f), coupled_large = decayed(false, 10);
  room.exhibits.push_back(
      {"Two weights that began as 1, after 500 updates at rate 0.001 with weight decay 0.1 (AD4)",
       {panel("", {"correct: decoupled", "quirk: in the gradient"}, {"gradients +-0.01", "gradients +-10"},
              Tensor::from(std::vector<double>{decoupled_small.back(), decoupled_large.back(),
                                               coupled_small.back(), coupled_large.back()},
                           {2, 2}))}});
  room.numbers.push_back({"what decay alone leaves, (1 - 0.001 0.1)^500", std::pow(1 - 1e-4, kUpdates)});
  room.numbers.push_back(
      {"the two weights apart, quirk", std::abs(coupled_small.back() - coupled_large.back())});
  room.plots.push_back({.title = "Two weights under decay",
                        .x_label = "updates",
                        .y_label = "weight",
                        .series = {series("correct, gradients +-0.01", decoupled_small, 0),
                                   series("correct, gradients +-10", decoupled_large, 0),
                                   series("quirk, gradients +-0.01", coupled_small, 0),
                                   series("quirk, gradients +-10", coupled_large, 0)},
                        .marks = {}});
}

}  // namespace xf::tools::explain
