// The rooms of masks and of attention's probabilities.
#include <cmath>
#include <limits>

#include "autograd/ops.h"
#include "tools/tutorials/model/masks.h"
#include "tools/tutorials/quirk_model.h"
#include "tools/tutorials/quirk_table.h"

namespace xf::tools::explain {

namespace {

using kernels::Transpose;
using nn::Variable;
using Ids = std::vector<int32_t>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// softmax of scores [.., 1, N, K] whose mask is not 0, others filled. -> [N, K]
Tensor filled(nn::Tape& tape, const Variable& scores, const Tensor& mask, float fill) {
  const Variable p = autograd::softmax(tape, autograd::masked_fill(tape, scores, mask, fill), {});
  const Tensor copy = Tensor::empty({mask.rows(), mask.width()}, DType::f64);
  copy.copy_from(p.value().reshape(copy.shape()));
  return copy;
}

// Three tokens, q = k = [1 0; 0 1; 1 1], causal.
Tensor causal_probabilities(float fill) {
  Arena arena(Device::cpu());
  nn::Tape tape(arena, nn::Tape::Mode::inference);
  const Variable q(Tensor::from(std::vector<double>{1, 0, 0, 1, 1, 1}, {3, 2}));
  const Variable s =
      autograd::scale(tape, autograd::matmul(tape, q, Transpose::no, q, Transpose::yes), 1 / std::sqrt(2.0f));
  const Tensor causal = Tensor::from(Ids{1, 0, 0, 1, 1, 0, 1, 1, 1}, {1, 1, 3, 3});
  return filled(tape, autograd::reshape(tape, s, {1, 1, 3, 3}), causal, fill);
}

// The scores 2, 1, 0.5, -1 with the last two masked, and with all of them.
Tensor masked_rows(float fill) {
  Arena arena(Device::cpu());
  nn::Tape tape(arena, nn::Tape::Mode::inference);
  const Variable s(Tensor::from(std::vector<double>{2, 1, .5, -1, 2, 1, .5, -1}, {1, 1, 2, 4}));
  return filled(tape, s, Tensor::from(Ids{1, 1, 0, 0, 0, 0, 0, 0}, {1, 1, 2, 4}), fill);
}

std::vector<std::string> target(int64_t b) { return words_of(target_sentences(), target_words(), b); }
std::vector<std::string> source(int64_t b) { return words_of(source_sentences(), source_words(), b); }

void add_logits(QuirkRoom& room, const std::string& what, const quirks::Config& quirk) {
  const Tensor correct = SmallModel(small_config()).evaluate().logits,
               own = SmallModel(quirk).evaluate().logits;
  room.numbers.push_back(
      {"largest difference of the logits at words" + what, difference(correct, own, At::words)});
  room.numbers.push_back(
      {"largest difference of the logits at padding" + what, difference(correct, own, At::padding)});
}

void add_leak(QuirkRoom& room, const quirks::Config& quirk) {
  room.numbers.push_back({"the last word moves the first position's logits, correct", leak(small_config())});
  room.numbers.push_back({"the last word moves the first position's logits, quirk", leak(quirk)});
}

quirks::Config with_fill(float fill) {
  return small_config([=](quirks::Config& config) { config.quirks.mask_fill = fill; });
}

}  // namespace

void show_mask_fill(QuirkRoom& room) {
  const std::vector<std::string> tokens = {"1", "2", "3"};
  room.exhibits.push_back({"Probabilities of three tokens under a causal mask (AT2)",
                           {panel("correct", tokens, tokens, causal_probabilities(-kInfinity)),
                            panel("quirk", tokens, tokens, causal_probabilities(-1e-12f))}});
  add_logits(room, "", with_fill(-1e-12f));
  add_leak(room, with_fill(-1e-12f));
}

void show_finite_fill(QuirkRoom& room) {
  const std::vector<std::string> rows = {"two masked", "all masked"}, scores = {"2", "1", "0.5", "-1"};
  room.exhibits.push_back({"softmax of 2, 1, 0.5, -1 (SM1)",
                           {panel("correct, -inf", rows, scores, masked_rows(-kInfinity)),
                            panel("quirk, -1e4", rows, scores, masked_rows(-1e4f))}});
  add_logits(room, "", with_fill(-1e4f));
  const auto both = [](float fill) {
    return SmallModel(small_config([=](quirks::Config& config) {
             config.quirks.mask_fill = fill;
             config.quirks.pad_axis = quirks::PadAxis::both;
           }))
        .evaluate()
        .logits;
  };
  room.numbers.push_back({"at padding, where padded queries are masked too (Q3)",
                          difference(both(-kInfinity), both(-1e4f), At::padding)});
}

void show_pad_axis(QuirkRoom& room) {
  Exhibit exhibit{"The decoder's mask of the second sentence: 1, may attend", {}};
  using quirks::PadAxis;
  for (const auto& [axis, name] : {std::pair{PadAxis::key, "correct: keys"},
                                   {PadAxis::both, "quirk: both"},
                                   {PadAxis::query, "quirk: queries"}}) {
    const Tensor mask = quirks::target_mask(target_sentences(), 0, axis);
    exhibit.panels.push_back(panel(name, target(1), target(1), mask.slice_rows(4, 8)));
    if (axis == PadAxis::key) continue;
    const PadAxis chosen = axis;
    add_logits(room, axis == PadAxis::both ? ", both" : ", queries",
               small_config([=](quirks::Config& config) { config.quirks.pad_axis = chosen; }));
  }
  room.exhibits.push_back(std::move(exhibit));
}

void show_no_mask(QuirkRoom& room) {
  const quirks::Config quirk = small_config([](quirks::Config& config) { config.quirks.apply_mask = false; });
  const SmallModel correct(small_config()), own(quirk);
  const auto of = [](const SmallModel& model, const char* name, int64_t b) {
    return of_head(model.evaluate().values.at(name), b, 0);
  };
  const char *encoder = "encoder.layers.0.self_attention p", *decoder = "decoder.layers.0.self_attention p";
  room.exhibits.push_back({"Encoder, first layer and head, second sentence (AT2)",
                           {panel("correct", source(1), source(1), of(correct, encoder, 1)),
                            panel("quirk", source(1), source(1), of(own, encoder, 1))}});
  room.exhibits.push_back({"Decoder, first layer and head, first sentence (AT2)",
                           {panel("correct", target(0), target(0), of(correct, decoder, 0)),
                            panel("quirk", target(0), target(0), of(own, decoder, 0))}});
  add_logits(room, "", quirk);
  add_leak(room, quirk);
}

void show_foreign_pad(QuirkRoom& room) {
  // In this quirk's world the source's padding has the id of "ein".
  const int32_t foreign = 2;
  room.exhibits.push_back(
      {"The decoder's mask of the second sentence, where the source's padding has the id of 'ein'",
       {panel("correct", target(1), target(1),
              quirks::target_mask(target_sentences(), 0, quirks::PadAxis::key).slice_rows(4, 8)),
        panel("quirk", target(1), target(1),
              quirks::target_mask(target_sentences(), foreign, quirks::PadAxis::key).slice_rows(4, 8))}});
  const auto logits = [&](bool quirk) {
    return SmallModel(small_config([=](quirks::Config& config) {
             config.source_pad = foreign;
             config.quirks.target_masked_by_source_pad = quirk;
           }))
        .evaluate()
        .logits;
  };
  room.numbers.push_back(
      {"largest difference of the logits at words", difference(logits(false), logits(true), At::words)});
}

void show_evaluation_dropout(QuirkRoom& room) {
  const auto model = [](bool quirk) {
    return SmallModel(small_config([=](quirks::Config& config) {
      config.attention_dropout = 0.3f;
      config.quirks.attention_dropout_at_evaluation = quirk;
    }));
  };
  const SmallModel correct = model(false), own = model(true);
  const SmallModel::Pass first = own.evaluate(2), second = own.evaluate(3);
  const char* block = "decoder.layers.0.self_attention ";
  const auto value = [&](const SmallModel::Pass& pass, const char* symbol) {
    return of_head(pass.values.at(std::string(block) + symbol), 0, 0);
  };
  room.exhibits.push_back({"Decoder, first layer and head, in evaluation, dropout 0.3 (DR2)",
                           {panel("correct", target(0), target(0), value(correct.evaluate(), "p")),
                            panel("quirk", target(0), target(0), value(first, "dropped")),
                            panel("quirk, once more", target(0), target(0), value(second, "dropped"))}});
  room.numbers.push_back({"largest difference of the logits at words",
                          difference(correct.evaluate().logits, first.logits, At::words)});
  room.numbers.push_back({"between two evaluations, correct",
                          difference(correct.evaluate(1).logits, correct.evaluate(2).logits)});
  room.numbers.push_back({"between two evaluations, quirk", difference(first.logits, second.logits)});
}

}  // namespace xf::tools::explain
