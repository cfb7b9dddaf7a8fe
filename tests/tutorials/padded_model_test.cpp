// The padded model behind the interface of a translation model: with the correct switches it is the
// fused one in loss, translations and what it says along a reference; with the presets' it trains,
// and searches as the definition says.
#include "tools/tutorials/model/padded_model.h"

#include "nn/decode/search.h"
#include "nn/teacher_forced.h"
#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"
#include "tools/tutorials/model/presets.h"
#include "tools/tutorials/model/settings.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

constexpr int32_t kPad = 0, kUnk = 1, kBos = 2, kEos = 3;

TransformerConfig config_with(const quirks::Quirks& switches, NormPlacement norm = NormPlacement::post) {
  TransformerConfig config = tiny_config();
  config.variant = std::make_shared<quirks::PaddedVariant>(switches, PadIds{kPad, kPad});
  config.norm = norm;
  return config;
}

// The parts of the padded model that a parameter of the fused one holds, one below the other.
std::vector<std::string> parts_of(const std::string& fused, int64_t layers) {
  const std::string kind = fused.substr(fused.rfind('.'));  // .weight, .bias
  if (const size_t at = fused.find(".qkv."); at != std::string::npos) {
    const std::string block = fused.substr(0, at);
    return {block + ".q" + kind, block + ".k" + kind, block + ".v" + kind};
  }
  if (!fused.starts_with("decoder.cross_kv.")) return {fused};
  std::vector<std::string> parts;
  for (int64_t l = 0; l < layers; ++l) {
    for (const char* one : {".k", ".v"})
      parts.push_back(fmt::format("decoder.layers.{}.cross_attention{}{}", l, one, kind));
  }
  return parts;
}

// The fused model with the padded one's weights.
struct Both {
  Tiny<quirks::PaddedModel> padded;
  TinyModel fused;
  explicit Both(NormPlacement norm)
      : padded(DType::f64, config_with({}, norm)), fused(DType::f64, [&] {
          TransformerConfig config = tiny_config();
          config.norm = norm;
          return config;
        }()) {
    randomise(padded.store);
    for (const Parameter& parameter : fused.store.parameters()) {
      std::vector<double> values;
      for (const std::string& part : parts_of(parameter.name, 2)) {
        for (const double value : as_doubles(padded.store.find(part).value)) values.push_back(value);
      }
      parameter.value.copy_from(Tensor::from(values, parameter.shape));
    }
  }
};

SearchOptions search_options(int64_t beam) {
  SearchOptions options;
  options.beam_size = options.n_best = beam;
  options.bos = kBos, options.eos = kEos, options.unk = kUnk, options.pad = kPad;
  options.max_length = 12;
  return options;
}

template <typename F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

PackedBatch some_batch() { return random_batch({5, 2, 4, 1}, {4, 3, 1, 6}, 13, 17, 5); }

}  // namespace

TEST_CASE("PaddedModel: with the correct switches loss, search and teacher forcing are the fused model's",
          "[unit]") {
  const auto norm = GENERATE(NormPlacement::post, NormPlacement::pre);
  Both both(norm);
  const PackedBatch batch = some_batch();
  const LossSums one = evaluate(both.padded.model, both.padded.arena, batch),
                 other = evaluate(both.fused.model, both.fused.arena, batch);
  CHECK(one.smoothed == Approx(other.smoothed).epsilon(1e-12));
  CHECK(one.plain == Approx(other.plain).epsilon(1e-12));
  for (const int64_t beam : {1, 4}) {
    const auto own = Search(both.padded.model, both.padded.arena, search_options(beam)).translate(batch),
               expected = Search(both.fused.model, both.fused.arena, search_options(beam)).translate(batch);
    REQUIRE(own.size() == expected.size());
    for (size_t b = 0; b < own.size(); ++b) {
      REQUIRE(own[b].size() == expected[b].size());
      for (size_t i = 0; i < own[b].size(); ++i) {
        CHECK(own[b][i].ids == expected[b][i].ids);
        CHECK(own[b][i].score == Approx(expected[b][i].score).epsilon(1e-10));
      }
    }
  }
  const auto logits = [&](auto& tiny) {
    Tape tape(tiny.arena, Tape::Mode::inference);
    ForwardContext context{.tape = tape};
    return as_doubles(tiny.model.logits(context, batch));
  };
  CHECK(max_relative_error(logits(both.padded), logits(both.fused)) <= 1e-12);
  CHECK(teacher_forced(both.padded.model, both.padded.arena, batch) ==
        teacher_forced(both.fused.model, both.fused.arena, batch));
}

TEST_CASE("PaddedModel: gradients of the smoothed loss with dropout under the presets' switches", "[grad]") {
  for (const std::string& name : quirks::preset_names()) {
    quirks::Config preset = quirks::preset(name);
    preset.quirks.freeze_pad_row = false;  // what freezing does is not a derivative
    TransformerConfig config = config_with(preset.quirks, preset.norms);
    config.heads = 2, config.encoder_layers = config.decoder_layers = 1;
    Tiny<quirks::PaddedModel> tiny(DType::f64, config);
    randomise(tiny.store);
    const Worst worst = sampled_gradient_error(tiny, some_batch());
    INFO(name << ": " << worst.of);
    CHECK(worst.error <= 1e-6);
  }
}

TEST_CASE("PaddedModel: keeping keys and values or inputs, the search finds the same (Q25)", "[golden]") {
  std::vector<std::vector<Hypothesis>> found[2];
  for (const auto cache : {quirks::CacheContents::keys_values, quirks::CacheContents::inputs}) {
    Tiny<quirks::PaddedModel> tiny(DType::f64, config_with({.cache = cache}));
    randomise(tiny.store);
    found[cache == quirks::CacheContents::inputs] =
        Search(tiny.model, tiny.arena, search_options(3)).translate(some_batch());
  }
  for (size_t b = 0; b < found[0].size(); ++b) {
    for (size_t i = 0; i < found[0][b].size(); ++i) CHECK(found[0][b][i].ids == found[1][b][i].ids);
  }
}

TEST_CASE("PaddedModel: only where a quirk says so does dropout change what is said along a reference (Q19)",
          "[golden]") {
  const auto scores = [](bool dropout) {
    TransformerConfig config = config_with({.dropout_in_tests = dropout});
    Tiny<quirks::PaddedModel> tiny(DType::f64, config);
    randomise(tiny.store);
    const PackedBatch batch = some_batch();
    const Tensor best = Tensor::empty({batch.target_tokens, 1}, DType::f64),
                 ids = Tensor::empty({batch.target_tokens, 1}, DType::i32);
    Tape tape(tiny.arena, Tape::Mode::inference);
    ForwardContext context{.tape = tape};
    tiny.model.top_k(context, batch, best, ids);
    return as_doubles(best);
  };
  CHECK(max_relative_error(scores(true), scores(false)) > 1e-2);
}

TEST_CASE("PaddedModel: starts as its switches say, padding's row included", "[unit]") {
  for (const bool zero : {true, false}) {
    ParameterStore store;
    const quirks::PaddedModel model(config_with({.zero_pad_row = zero}), store);
    store.allocate(Device::cpu(), ParameterStore::Gradients::no);
    model.initialise(store, 1);
    const Tensor row = store.find("source_embedding.weight").value.slice_rows(kPad, kPad + 1);
    CHECK((max_relative_error(row, std::vector<double>(6)) == 0) == zero);
  }
}

TEST_CASE("PaddedModel: is the variant that --quirks names, and vocabularies without padding are refused",
          "[unit]") {
  TransformerConfig config = tiny_config();
  config.variant = model_variants().at("quirks")({"pad-axis=both"}, {kPad, -1});
  ParameterStore store;
  CHECK(dynamic_cast<const quirks::PaddedModel*>(make_model(config, store).get()));
  CHECK(quirks::padded_config(config).quirks.pad_axis == quirks::PadAxis::both);
  CHECK_FALSE(config.supports(Feature::muon));
  CHECK(tiny_config().supports(Feature::muon));
  CHECK_THAT(error_of([&] { config.variant->check_vocabularies(); }), Catch::Contains("with <pad>"));
  CHECK_THAT(error_of([] { model_variants().at("quarks"); }), Catch::Contains("this build has no tutorials"));
}

TEST_CASE("PaddedModel: other types of model have no quirks", "[unit]") {
  TransformerConfig config = config_with({});
  config.type = ModelType::language_model;
  ParameterStore store;
  CHECK_THAT(error_of([&] { make_model(config, store); }), Catch::Contains("quirks are switches"));
}

TEST_CASE("PaddedModel: what it cannot be is refused by the options that make it so", "[unit]") {
  const auto message = [](void (*change)(TransformerConfig&), DType dtype = DType::f32) {
    TransformerConfig config = config_with({});
    change(config);
    ParameterStore store(dtype);
    return error_of([&] { quirks::PaddedModel model(config, store); });
  };
  CHECK_THAT(message([](auto& config) { config.encoder_layers = 1; }), Catch::Contains("--enc-depth"));
  CHECK_THAT(message([](auto& config) { config.tying = Tying::target; }),
             Catch::Contains("--tied-embeddings"));
  CHECK_THAT(message([](auto&) {}, DType::bf16), Catch::Contains("--precision float32"));
}

TEST_CASE("Quirks: settings by name, and what is none", "[unit]") {
  const quirks::Quirks quirks =
      quirks::quirks_from({"mask-fill=-1e-12", "pad-axis=both", "apply-mask=false", "init=kaiming-uniform"});
  CHECK(quirks.mask_fill == -1e-12f);
  CHECK(quirks.pad_axis == quirks::PadAxis::both);
  CHECK_FALSE(quirks.apply_mask);
  CHECK(quirks.init == quirks::InitScheme::kaiming_uniform);
  CHECK(quirks.position_offset);
  CHECK_THAT(error_of([] { quirks::quirks_from({"pad-axes=both"}); }),
             Catch::Contains("pad-axis=key|query|both"));
  CHECK_THAT(error_of([] { quirks::quirks_from({"pad-axis=all"}); }),
             Catch::Contains("expected pad-axis=key|query|both, got pad-axis=all"));
  CHECK_THAT(error_of([] { quirks::quirks_from({"mask-fill=low"}); }), Catch::Contains("mask-fill"));
  CHECK(quirks::quirks_from({"mask-fill=-inf", "norm-eps=0"}).norm_eps == 0);
  for (const char* none : {"mask-fill=nan", "mask-fill=inf", "norm-eps=nan", "norm-eps=inf", "norm-eps=-1"})
    CHECK_THAT(error_of([&] { quirks::quirks_from({none}); }), Catch::Contains("expected "));
  CHECK_THAT(error_of([] { quirks::quirks_from({"apply-mask"}); }), Catch::Contains("apply-mask=true|false"));
  CHECK(quirks::switches().size() >= 21);
}
