// The padded model with switches: with the correct ones it is the fused Transformer; each other one
// shows what it does, against numbers calculated by hand. All of tutorials/by-hand's values against
// PyTorch: tests/tutorials/steps_test.cpp.
#include "tools/tutorials/model/transformer.h"

#include <cmath>
#include <set>

#include "nn/transformer.h"
#include "tests/nn/block_check.h"
#include "tests/support/catch.h"
#include "tests/support/pieces.h"
#include "tools/tutorials/model/presets.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

using Values = std::vector<double>;

quirks::Config tiny() {
  return {.source_vocabulary = 13,
          .target_vocabulary = 17,
          .dim = 6,
          .heads = 3,
          .feed_forward = 10,
          .layers = 2,
          .max_length = 8,
          .dropout = 0,
          .quirks = {}};
}

struct Padded {
  ParameterStore store{DType::f64};
  quirks::Transformer model;
  explicit Padded(const quirks::Config& config) : model(config, store) {
    store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
    model.initialise(store, 1);
  }
  Tensor logits(const Tensor& source, const Tensor& target, Trace* trace = nullptr) {
    Arena arena(Device::cpu());
    Tape tape(arena, Tape::Mode::inference);
    ForwardContext context{.tape = tape, .trace = trace};
    const Tensor z = model.forward(context, source, target, Tensor()).value(),
                 copy = Tensor::empty(z.shape(), z.dtype());
    copy.copy_from(z);
    return copy;
  }
};

const Tensor& by_hand_source() {
  static const Tensor ids = Tensor::from(Ids{1, 1, 4, 0, 4, 3, 2, 9}, {2, 4});
  return ids;
}
const Tensor& by_hand_target() {
  static const Tensor ids = Tensor::from(Ids{5, 2, 5, 0, 6, 7, 9, 8}, {2, 4});
  return ids;
}

// Packed ids, filled up with zeros. -> [B, longest]
Tensor padded(const Tensor& packed, const Tensor& offsets) {
  const Ids ids = packed.to_vector<int32_t>(), ends = offsets.to_vector<int32_t>();
  const auto B = static_cast<int64_t>(ends.size()) - 1, S = longest_of(ends);
  const Tensor rows = Tensor::zeros({B, S}, DType::i32);
  for (int64_t b = 0; b < B; ++b) {
    for (int32_t n = ends[b]; n < ends[b + 1]; ++n) rows.data<int32_t>()[b * S + n - ends[b]] = ids[n];
  }
  return rows;
}

// [B, T, V] -> the rows of tokens, [Tt, V]
Variable packed(Tape& tape, const Variable& z, const Tensor& offsets) {
  const Ids ends = offsets.to_vector<int32_t>();
  const int64_t T = z.value().dim(1);
  const Variable flat = autograd::reshape(tape, z, {z.value().rows(), z.value().width()});
  Variables sentences;
  for (size_t b = 0; b + 1 < ends.size(); ++b) {
    const auto first = static_cast<int64_t>(b) * T;
    sentences.push_back(tests::rows(tape, flat, first, first + ends[b + 1] - ends[b]));
  }
  return tests::join_rows(tape, sentences);
}

// The padded model's parameters that the fused one has in one.
std::vector<std::string> parts_of(const std::string& fused, int64_t layers) {
  const std::string kind = fused.substr(fused.rfind('.'));  // .weight, .bias
  std::vector<std::string> parts;
  if (const size_t at = fused.find(".qkv."); at != std::string::npos) {
    for (const char* one : {".q", ".k", ".v"}) parts.push_back(fused.substr(0, at) + one + kind);
  } else if (fused.starts_with("decoder.cross_kv.")) {
    for (int64_t l = 0; l < layers; ++l) {
      for (const char* one : {".k", ".v"})
        parts.push_back(fmt::format("decoder.layers.{}.cross_attention{}{}", l, one, kind));
    }
  } else {
    parts.push_back(fused);
  }
  return parts;
}

Values joined(const ParameterStore& store, const std::vector<std::string>& names, Tensor Parameter::*member) {
  Values all;
  for (const std::string& name : names) {
    for (const double value : as_doubles(store.find(name).*member)) all.push_back(value);
  }
  return all;
}

void set(const ParameterStore& store, const std::string& name, const Values& values) {
  const Parameter& parameter = store.find(name);
  parameter.value.copy_from(Tensor::from(values, parameter.shape));
}

}  // namespace

TEST_CASE("Quirks: with the correct switches the padded model is the fused one, values and gradients",
          "[unit]") {
  const quirks::Config config = tiny();
  Padded own(config);
  randomise(own.store);
  ParameterStore store(DType::f64);
  TransformerConfig fused_config;
  fused_config.source_vocabulary = 13, fused_config.target_vocabulary = 17;
  fused_config.dim = 6, fused_config.heads = 3, fused_config.feed_forward = 10;
  fused_config.encoder_layers = fused_config.decoder_layers = 2;
  Transformer fused(fused_config, store);
  store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
  fused.bind(Device::cpu());
  for (const Parameter& parameter : store.parameters())
    set(store, parameter.name, joined(own.store, parts_of(parameter.name, 2), &Parameter::value));

  const PackedBatch batch = random_batch({5, 2, 4}, {4, 3, 1}, 13, 17, 5);
  Arena arena(Device::cpu());
  const Tensor loss = Tensor::zeros({2}, DType::f64);
  {
    Tape tape(arena);
    ForwardContext context{.tape = tape};
    tape.backward(fused.loss(context, batch, Tensor(), loss));
  }
  Tape tape(arena);
  ForwardContext context{.tape = tape};
  const Variable z = own.model.forward(context, padded(batch.source_ids, batch.source_offsets),
                                       padded(batch.target_in, batch.target_offsets), Tensor());
  const Variable own_loss =
      autograd::cross_entropy(tape, packed(tape, z, batch.target_offsets), batch.target_out, {});
  CHECK(max_relative_error(own_loss.value(), Values{as_doubles(loss)[0]}) <= 1e-12);
  tape.backward(own_loss, Tensor::from(Values{1}));
  std::set<std::string> compared;
  for (const Parameter& parameter : store.parameters()) {
    const auto parts = parts_of(parameter.name, 2);
    INFO(parameter.name);
    // Floor 1e-2: gradients that are zero in exact arithmetic, of a key's bias, are numbers of
    // order 1e-16.
    CHECK(max_relative_error(parameter.gradient, joined(own.store, parts, &Parameter::gradient), 1e-2) <=
          1e-12);
    compared.insert(parts.begin(), parts.end());
  }
  CHECK(compared.size() == own.store.parameters().size());
}

TEST_CASE("Quirks: each switch changes the logits", "[unit]") {
  const auto logits_with = [](void (*change)(quirks::Quirks&)) {
    quirks::Config config = tiny();
    change(config.quirks);
    Padded own(config);
    randomise(own.store);
    const Tensor source = Tensor::from(Ids{3, 4, 0, 5, 6, 7}, {2, 3});
    return as_doubles(own.logits(source, Tensor::from(Ids{3, 0, 9, 5, 6, 0}, {2, 3})));
  };
  const Values correct = logits_with([](quirks::Quirks&) {});
  using quirks::Quirks;
  for (const auto change :
       {+[](Quirks& q) { q.mask_fill = -1e-12f; }, +[](Quirks& q) { q.pad_axis = quirks::PadAxis::query; },
        +[](Quirks& q) { q.pad_axis = quirks::PadAxis::both; }, +[](Quirks& q) { q.apply_mask = false; },
        +[](Quirks& q) { q.position_exponent = quirks::PositionExponent::doubled; },
        +[](Quirks& q) { q.position_exponent = quirks::PositionExponent::divided_outside; },
        +[](Quirks& q) { q.norm = quirks::NormFormula::deviation; },
        +[](Quirks& q) { q.norm = quirks::NormFormula::misplaced; }, +[](Quirks& q) { q.norm_eps = 1e-2f; },
        +[](Quirks& q) { q.decoder_norms = quirks::NormSharing::first; },
        +[](Quirks& q) { q.decoder_norms = quirks::NormSharing::second; },
        +[](Quirks& q) { q.embedding_scale = quirks::EmbeddingScale::none; },
        +[](Quirks& q) { q.embedding_scale = quirks::EmbeddingScale::inverse_sqrt_dim; }}) {
    CHECK(max_relative_error(logits_with(change), correct) >
          1e-4);  // doubled positions differ little at first
  }
}

TEST_CASE("Quirks: gradients with dropout and the presets' quirks against central differences", "[grad]") {
  for (const std::string& name : quirks::preset_names()) {
    INFO(name);
    quirks::Config config = quirks::preset(name);
    config.source_vocabulary = config.target_vocabulary = 10, config.dim = 6, config.heads = 2;
    config.feed_forward = 3, config.layers = 1, config.max_length = 4;
    config.dropout = config.feed_forward_dropout = 0.3f, config.attention_dropout = 0.2f,
    config.source_pad = config.target_pad = 0;
    Padded own(config);
    randomise(own.store);
    const Tensor counters = Tensor::from(Ids{11, 0, 11, 0}, {2, 2});
    Arena arena(Device::cpu());
    const auto run = [&](Tape& tape, bool training) {
      ForwardContext context{.tape = tape, .training = training, .seed = 77};
      return own.model.forward(context, by_hand_source(), by_hand_target(), counters);
    };
    const Tensor weights = weights_for({2, 4, 10});
    const auto loss = [&](bool training) {
      Tape tape(arena, Tape::Mode::inference);
      return weighted_sum(run(tape, training).value(), weights);
    };
    CHECK(std::abs(loss(true) - loss(false)) > 1e-3);  // something was dropped
    Tape tape(arena);
    tape.backward(run(tape, true), weights);
    for (const Parameter& parameter : own.store.parameters()) {
      INFO(parameter.name);
      // What freezing does is not a derivative: padding's row is left out.
      if (config.quirks.freeze_pad_row && parameter.name.ends_with("embedding.weight")) continue;
      CHECK(gradient_error([&] { return loss(true); }, parameter.value, parameter.gradient) <= 1e-6);
    }
  }
}

TEST_CASE(
    "Quirks: tutorials/by-hand has 5,968 parameters, 108 of them without a gradient, and 6,076 with three norms",
    "[golden]") {
  Padded own(quirks::preset("tutorials/by-hand"));
  CHECK(own.store.count() == 5968);
  quirks::Config three = quirks::preset("tutorials/by-hand");
  three.quirks.decoder_norms = quirks::NormSharing::none;
  CHECK(Padded(three).store.count() == 6076);
  const auto count_of = [&](const std::string& stack) {  // its first layer
    int64_t count = 0;
    for (const Parameter& parameter : own.store.parameters())
      count += parameter.name.starts_with(stack) ? parameter.shape.numel() : 0;
    return count;
  };
  CHECK(count_of("encoder.layers.0.") == 237);
  CHECK(count_of("decoder.layers.0.") == 405);

  Arena arena(Device::cpu());
  Tape tape(arena);
  ForwardContext context{.tape = tape};
  const Variable z = own.model.forward(context, by_hand_source(), by_hand_target(), Tensor());
  tape.backward(z, weights_for(z.value().shape()));
  int64_t without = 0;
  for (const Parameter& parameter : own.store.parameters()) {
    const Values gradient = as_doubles(parameter.gradient);
    const bool none = std::all_of(gradient.begin(), gradient.end(), [](double d) { return d == 0; });
    INFO(parameter.name);
    CHECK(none == (parameter.name.find("cross_attention.norm") != std::string::npos));
    without += none ? parameter.shape.numel() : 0;
  }
  CHECK(without == 108);
}

TEST_CASE("Quirks: sizes that do not fit are refused", "[unit]") {
  quirks::Config config = tiny();
  Padded own(config);
  const Tensor nine = Tensor::zeros({1, 9}, DType::i32), three = Tensor::zeros({1, 3}, DType::i32);
  CHECK_THROWS_AS(own.logits(nine, three), Error);  // max_length is 8
  CHECK_THROWS_AS(own.logits(Tensor::zeros({3}, DType::i32), three), Error);
  config.heads = 4;
  CHECK_THROWS_AS(Padded(config), Error);
}
