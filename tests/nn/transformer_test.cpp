// The whole model: central differences, invariance under cutting a batch, causality, counts.
#include "nn/transformer.h"

#include <tuple>

#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

PackedBatch uneven_batch() { return random_batch({5, 1, 0, 9, 3}, {4, 2, 0, 1, 11}, 13, 13, 21); }

}  // namespace

TEST_CASE("Transformer: gradients of every parameter under every norm and tying", "[grad]") {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    for (const Tying tying : {Tying::none, Tying::target, Tying::all}) {
      TransformerConfig config = tiny_config();
      config.norm = norm;
      config.tying = tying;
      if (tying == Tying::all) config.target_vocabulary = config.source_vocabulary;
      if (norm == NormPlacement::pre) config.activation = kernels::Activation::gelu;
      if (tying != Tying::target) config.max_length = 100;  // long attention
      TinyModel model(DType::f64, config);
      const Worst worst = sampled_gradient_error(model, uneven_batch());
      INFO("norm " << static_cast<int>(norm) << " tying " << static_cast<int>(tying) << ": " << worst.of);
      CHECK(worst.error <= 1e-6);
    }
  }
}

TEST_CASE("Transformer: gradients of every parameter where positions are learnt", "[grad]") {
  for (const Tying tying : {Tying::none, Tying::all}) {
    TransformerConfig config = tiny_config();
    config.learned_positions = true;
    config.tying = tying;
    if (tying == Tying::all) config.target_vocabulary = config.source_vocabulary;
    config.max_length =
        tying == Tying::all ? 100 : 11;  // long attention; a table that the longest sentence fills
    TinyModel model(DType::f64, config);
    const Worst worst = sampled_gradient_error(model, uneven_batch());
    INFO("tying " << static_cast<int>(tying) << ": " << worst.of);
    CHECK(worst.error <= 1e-6);
  }
}

TEST_CASE("Transformer: gradients of every parameter where positions are rotary", "[grad]") {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    TransformerConfig config = tiny_config();
    config.rotary_positions = true;
    config.norm = norm;
    if (norm == NormPlacement::pre) config.max_length = 100;  // long attention
    TinyModel model(DType::f64, config);
    const Worst worst = sampled_gradient_error(model, uneven_batch());
    INFO("norm " << static_cast<int>(norm) << ": " << worst.of);
    CHECK(worst.error <= 1e-6);
  }
}

TEST_CASE("Transformer: of rotary positions it sees the distances alone", "[unit]") {
  TransformerConfig config = tiny_config();
  config.rotary_positions = true;
  TinyModel model(DType::f64, config);
  const PackedBatch batch = random_batch({6}, {5}, 13, 17, 4);
  const auto states = [&] {
    Tape tape(model.arena, Tape::Mode::inference);
    ForwardContext context{.tape = tape};
    const Variable memory = model.transformer.encode(context, batch, Tensor());
    return as_doubles(model.transformer.decode(context, batch, memory, Tensor()).value());
  };
  const auto move = [](const Tensor& positions, int32_t by) {
    for (int64_t i = 0; i < positions.numel(); ++i) positions.data<int32_t>()[i] += by;
  };
  const auto before = states();
  move(batch.source_positions, 9), move(batch.target_positions, 4);
  CHECK(max_relative_error(Tensor::from(states()), before) < 1e-12);
  std::swap(batch.source_positions.data<int32_t>()[1], batch.source_positions.data<int32_t>()[4]);
  CHECK(max_relative_error(Tensor::from(states()), before) > 1e-3);
}

TEST_CASE("Transformer: positions are not learnt and rotary at once, and heads have pairs to turn",
          "[unit]") {
  TransformerConfig config = tiny_config();
  config.rotary_positions = true;
  CHECK_NOTHROW(checked(config));
  config.learned_positions = true;
  CHECK_THROWS_AS(checked(config), Error);
  config.learned_positions = false;
  config.heads = 2;  // of three columns each
  CHECK_THROWS_AS(checked(config), Error);
}

TEST_CASE("Transformer: each side has learnt positions of its own, as many as a sentence may have tokens",
          "[unit]") {
  TransformerConfig config = tiny_config();
  config.learned_positions = true;
  config.tying = Tying::all, config.target_vocabulary = config.source_vocabulary;
  ParameterStore store;
  const Transformer model(config, store);
  for (const char* const name : {"source_positions.weight", "target_positions.weight"})
    CHECK(store.find(name).shape == Shape{config.max_length, config.dim});
  CHECK(most_tokens(config) == config.max_length);
  config.learned_positions = false;
  CHECK(most_tokens(config) == Model::kMaxPositions);
  config.max_length = 3000;
  CHECK(most_tokens(config) == 3000);
}

TEST_CASE("Transformer: loss and gradients do not depend on how an update is cut into batches", "[unit]") {
  // With dropout on: all at once, two micro-batches, a batch per sentence. Only the rounding of
  // sums differs.
  const int64_t max_length = GENERATE(60, 100);
  const auto [dtype, tolerance] = GENERATE(std::pair{DType::f64, 1e-12}, std::pair{DType::f32, 1e-4});
  TransformerConfig config = tiny_config();
  config.max_length = max_length;
  std::tie(config.learned_positions, config.rotary_positions) =
      GENERATE(std::pair{false, false}, std::pair{true, false}, std::pair{false, true});
  TinyModel model(dtype, config);
  const PackedBatch batch = uneven_batch();
  const double loss = model.accumulate({batch});
  const auto expected = gradients_of(model.store);
  std::vector<PackedBatch> single;
  for (size_t b = 0; b < 5; ++b) {
    if (b != 2) single.push_back(batch.part(b, b + 1));  // the third is empty
  }
  for (const auto& parts : {std::vector{batch.part(0, 3), batch.part(3, 5)}, single}) {
    model.store.gradients().fill_zero();
    CHECK(model.accumulate(parts) == Approx(loss).epsilon(tolerance));
    CHECK(worst_difference(gradients_of(model.store), expected) <= tolerance);
  }
  // The counters matter: cut batches that all begin at token 0 drop other elements.
  double without = 0;
  for (const PackedBatch& part : single) without += model.accumulate({part});
  CHECK(std::abs(without - loss) > 1e-3 * loss);
}

TEST_CASE("Transformer: a position sees nothing behind it", "[unit]") {
  // Changing the last target token leaves every earlier state as it is, bit for bit.
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    TransformerConfig config = tiny_config();
    config.norm = norm;
    TinyModel model(DType::f64, config);
    PackedBatch batch = random_batch({6}, {8}, 13, 13, 4);
    const auto states = [&] {
      Tape tape(model.arena, Tape::Mode::inference);
      ForwardContext context{.tape = tape};
      return model.transformer
          .decode(context, batch, model.transformer.encode(context, batch, Tensor()), Tensor())
          .value();
    };
    const Tensor before = states();
    int32_t& last = batch.target_in.data<int32_t>()[7];
    last = last == 3 ? 4 : 3;
    const Tensor after = states();
    CHECK(same_bits(before.slice_rows(0, 7), after.slice_rows(0, 7)));
    CHECK_FALSE(same_bits(before.slice_rows(7, 8), after.slice_rows(7, 8)));
  }
}

TEST_CASE("Transformer: recorded and unrecorded loss are the same bits and all memory comes back", "[unit]") {
  TinyModel model(DType::f32, tiny_config());
  const PackedBatch batch = uneven_batch();
  const double recorded = model.accumulate({batch});
  CHECK(model.accumulate({batch}, Tape::Mode::inference) == recorded);
  CHECK(model.arena.used_bytes() == 0);
}

TEST_CASE("Transformer: initial cost is near that of a uniform guess", "[unit]") {
  // ln V with V = 17, as in every published run of such a model.
  TransformerConfig config = tiny_config();
  config.norm = NormPlacement::pre;
  TinyModel model(DType::f32, config);
  CHECK(model.accumulate({uneven_batch()}) / 18 == Approx(std::log(17.0)).epsilon(0.35));
}

TEST_CASE("Transformer: tied tables are one parameter", "[unit]") {
  const auto names = [](Tying tying) {
    TransformerConfig config = tiny_config();
    config.tying = tying;
    if (tying == Tying::all) config.target_vocabulary = config.source_vocabulary;
    ParameterStore store;
    const Transformer model(config, store);
    std::vector<std::string> tables;
    for (const Parameter& parameter : store.parameters()) {
      if (parameter.shape[0] == config.source_vocabulary || parameter.shape[0] == config.target_vocabulary) {
        tables.push_back(parameter.name);
      }
    }
    return tables;
  };
  CHECK(names(Tying::none) == std::vector<std::string>{"source_embedding.weight", "target_embedding.weight",
                                                       "output.weight", "output.bias"});
  CHECK(names(Tying::target) ==
        std::vector<std::string>{"source_embedding.weight", "target_embedding.weight", "output.bias"});
  CHECK(names(Tying::all) == std::vector<std::string>{"embedding.weight", "output.bias"});
}

TEST_CASE("Transformer: parameter counts of two small published settings", "[golden]") {
  // attention 4(D^2 + D), feed-forward 2DF + F + D, norm 2D; base with F = 1024, and a test setting
  // of nine layers.
  const auto count = [](int64_t dim, int64_t heads, int64_t hidden, int64_t layers, int64_t source,
                        int64_t target) {
    TransformerConfig config;
    config.dim = dim;
    config.heads = heads;
    config.feed_forward = hidden;
    config.encoder_layers = config.decoder_layers = layers;
    config.source_vocabulary = source;
    config.target_vocabulary = target;
    ParameterStore store;
    const Transformer model(config, store);
    return store.count();
  };
  CHECK(count(512, 8, 1024, 6, 5893, 7853) == 42'609'837);
  CHECK(count(6, 2, 3, 9, 10, 10) == 6'076);
}

TEST_CASE("Transformer: settings that make no sense are usage errors", "[unit]") {
  const auto kind_of = [](const std::function<void(TransformerConfig&)>& change) {
    TransformerConfig config = tiny_config();
    change(config);
    ParameterStore store;
    try {
      const Transformer model(config, store);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::failure;
  };
  CHECK(kind_of([](auto& c) { c.heads = 4; }) == ErrorKind::usage);
  CHECK(kind_of([](auto& c) { c.dim = 9; }) == ErrorKind::usage);  // odd
  CHECK(kind_of([](auto& c) { c.encoder_layers = 0; }) == ErrorKind::usage);
  CHECK(kind_of([](auto& c) { c.max_length = 0; }) == ErrorKind::usage);
}

TEST_CASE("Transformer: training refuses a sentence beyond max_length", "[unit]") {
  TransformerConfig config = tiny_config();
  config.max_length = 8;
  TinyModel model(DType::f32, config);
  // By the model, before a kernel finds out.
  CHECK_THROWS_WITH(model.accumulate({random_batch({9}, {3}, 13, 13, 4)}),
                    "model: a sentence of 9 tokens is over the model's max_length 8");
  CHECK_NOTHROW(model.accumulate({random_batch({9}, {3}, 13, 13, 4)}, Tape::Mode::inference));
}
