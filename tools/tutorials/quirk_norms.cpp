// The rooms of norms, and of what stands around them.
#include <cmath>

#include "autograd/ops.h"
#include "tools/tutorials/model/row_nodes.h"
#include "tools/tutorials/quirk_model.h"
#include "tools/tutorials/quirk_table.h"

namespace xf::tools::explain {

namespace {

using nn::Variable;
using quirks::NormFormula;

constexpr float kEps = 1e-12f;
constexpr float kDropout = 0.3f;

// The row normed, with gains 1 and offsets 0, and below it the gradient of the row for dy = 1 0 0
// 0.
Tensor normed(NormFormula formula, const std::vector<double>& row) {
  const Tensor x = Tensor::from(row, {1, 4}), dx = Tensor::zeros({1, 4}, DType::f64);
  Arena arena(Device::cpu());
  nn::Tape tape(arena);
  const Variable one(Tensor::from(std::vector<double>{1, 1, 1, 1})),
      zero(Tensor::from(std::vector<double>{0, 0, 0, 0})), leaf = tape.leaf(x, dx);
  const Variable y = formula == NormFormula::variance
                         ? autograd::layer_norm(tape, leaf, one, zero, kEps)
                         : quirks::deviation_norm(tape, leaf, one, zero, formula, kEps);
  std::vector<double> both = y.value().to_vector<double>();
  tape.backward(y, Tensor::from(std::vector<double>{1, 0, 0, 0}, {1, 4}));
  for (const double value : dx.to_vector<double>()) both.push_back(value);
  return Tensor::from(both, {2, 4});
}

void add_logits(QuirkRoom& room, const quirks::Config& quirk) {
  const Tensor correct = SmallModel(small_config()).evaluate().logits;
  room.numbers.push_back({"largest difference of the logits at words",
                          difference(correct, SmallModel(quirk).evaluate().logits, At::words)});
}

void show_norm(QuirkRoom& room, NormFormula formula) {
  const std::vector<std::string> rows = {"y", "dx"}, columns = {"1", "2", "3", "4"};
  room.exhibits.push_back({"The row 1 2 3 4 and its gradient for dy = 1 0 0 0, eps 1e-12 (LN0)",
                           {panel("correct", rows, columns, normed(NormFormula::variance, {1, 2, 3, 4})),
                            panel("quirk", rows, columns, normed(formula, {1, 2, 3, 4}))}});
  add_logits(room, small_config([=](quirks::Config& config) {
               config.quirks.norm = formula, config.quirks.norm_eps = kEps;
             }));
}

// The size of each gain's gradient in a decoder layer; 0 where a norm is not read.
Tensor gain_gradients(const quirks::Config& config) {
  const auto gradients = SmallModel(config).gradients();
  std::vector<double> sizes;
  for (const char* layer : {"decoder.layers.0.", "decoder.layers.1."}) {
    for (const char* place : {"self_attention", "cross_attention", "feed_forward"}) {
      const auto found = gradients.find(std::string(layer) + place + ".norm.weight");
      double squares = 0;
      if (found != gradients.end()) {
        for (const double value : found->second.to_vector<double>()) squares += value * value;
      }
      sizes.push_back(std::sqrt(squares));
    }
  }
  return Tensor::from(sizes, {2, 3});
}

void show_sharing(QuirkRoom& room, quirks::NormSharing sharing) {
  const quirks::Config quirk =
      small_config([=](quirks::Config& config) { config.quirks.decoder_norms = sharing; });
  const std::vector<std::string> rows = {"layer 0", "layer 1"}, columns = {"norm 1", "norm 2", "norm 3"};
  room.exhibits.push_back({"Size of the gains' gradients in the decoder, 0 for a norm that is not read",
                           {panel("correct", rows, columns, gain_gradients(small_config())),
                            panel("quirk", rows, columns, gain_gradients(quirk))}});
  add_logits(room, quirk);
}

// Of a value that the first encoder layer makes of the first sentence in training.
void show_dropout(QuirkRoom& room, const std::string& caption, const std::string& value,
                  void (*change)(quirks::Config&)) {
  const auto config = [=](bool quirk) {
    return small_config([=](quirks::Config& of) {
      of.dropout = of.feed_forward_dropout = kDropout;
      if (quirk) change(of);
    });
  };
  const SmallModel correct(config(false)), own(config(true));
  const auto rows = words_of(source_sentences(), source_words(), 0);
  const auto of = [&](const char* title, const SmallModel& model) {
    return panel(title, rows, numbered(8), model.train().values.at(value).slice_rows(0, 4));
  };
  room.exhibits.push_back({caption, {of("correct", correct), of("quirk", own)}});
  room.numbers.push_back({"largest difference of the logits in training",
                          difference(correct.train().logits, own.train().logits)});
  room.numbers.push_back({"largest difference of the logits in evaluation",
                          difference(correct.evaluate().logits, own.evaluate().logits)});
}

}  // namespace

void show_deviation_norm(QuirkRoom& room) {
  show_norm(room, NormFormula::deviation);
  const std::vector<double> constant = {3, 3, 3, 3};
  for (const auto& [formula, name] :
       {std::pair{NormFormula::variance, "correct"}, {NormFormula::deviation, "quirk"}}) {
    const double largest = normed(formula, constant).to_vector<double>()[4];
    room.numbers.push_back({std::string("gradient of a row 3 3 3 3, eps 1e-12, ") + name, largest});
  }
}

void show_misplaced_norm(QuirkRoom& room) { show_norm(room, NormFormula::misplaced); }
void show_first_norm(QuirkRoom& room) { show_sharing(room, quirks::NormSharing::first); }
void show_second_norm(QuirkRoom& room) { show_sharing(room, quirks::NormSharing::second); }

void show_dropout_after_norm(QuirkRoom& room) {
  show_dropout(room, "What the first feed-forward block reads in training, dropout 0.3",
               "encoder.layers.0.feed_forward x", [](quirks::Config& config) {
                 config.quirks.dropout_place = quirks::DropoutPlace::after_norm;
               });
}

void show_dropout_last(QuirkRoom& room) {
  show_dropout(room, "The first feed-forward block's result in training, dropout 0.3",
               "encoder.layers.0.feed_forward y",
               [](quirks::Config& config) { config.quirks.feed_forward_dropout_last = true; });
}

}  // namespace xf::tools::explain
