// Decoding token by token on the padded model, what it keeps, and who may see the future.
#include "tests/nn/block_check.h"
#include "tests/support/catch.h"
#include "tools/tutorials/model/presets.h"
#include "tools/tutorials/model/transformer.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;
using namespace xf::nn::quirks;

namespace {

using Values = std::vector<double>;

Config small(Config config) {
  config.source_vocabulary = 11, config.target_vocabulary = 13, config.dim = 8, config.heads = 2;
  config.feed_forward = 12, config.layers = 2, config.max_length = 8;
  return config;
}

struct Small {
  ParameterStore store{DType::f64};
  quirks::Transformer model;
  Arena arena{Device::cpu()};
  Tape tape{arena, Tape::Mode::inference};
  ForwardContext context{.tape = tape};
  explicit Small(const Config& config) : model(small(config), store) {
    store.allocate(Device::cpu(), ParameterStore::Gradients::no);
    randomise(store);
  }
  Tensor at_once(const Tensor& source, const Tensor& target) {
    return model.forward(context, source, target, Tensor()).value();
  }
};

const Tensor& source() {
  static const Tensor ids = Tensor::from(Ids{2, 5, 6, 3, 2, 7, 3, 1}, {2, 4});
  return ids;
}
Tensor target(int32_t last) { return Tensor::from(Ids{2, 8, 9, 4, last, 2, 10, 6, 5, last}, {2, 5}); }

// The logits of target(last), a token at a time.
Tensor by_token(Small& small, const Tensor& ids) {
  const Encoded encoded = small.model.encode(small.context, source());
  DecoderState state;
  const int64_t B = ids.dim(0), T = ids.dim(1), V = 13;
  const Tensor z = Tensor::empty({B, T, V}, DType::f64);
  for (int64_t t = 0; t < T; ++t) {
    Ids column;
    for (int64_t b = 0; b < B; ++b) column.push_back(ids.data<int32_t>()[b * T + t]);
    const Tensor next = small.model.next(small.context, Tensor::from(column, {B, 1}), encoded, state).value();
    for (int64_t b = 0; b < B; ++b)
      z.slice_rows(b * T + t, b * T + t + 1).copy_from(next.slice_rows(b, b + 1));
  }
  return z;
}

double difference(const Tensor& a, const Tensor& b) {
  const Values x = as_doubles(a), y = as_doubles(b);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - y[i]));
  return worst;
}

// How far the first position's logits move when the last token of the target becomes another.
double leak(const Config& config) {
  Small model(config);
  const Tensor before = model.at_once(source(), target(11)), after = model.at_once(source(), target(12));
  return difference(before.slice_rows(0, 1), after.slice_rows(0, 1));
}

}  // namespace

TEST_CASE("Quirks: what decoding keeps, inputs or keys and values, does not change its logits (Q25)",
          "[golden]") {
  for (const auto& start : {base(), preset("tutorials/illustrated"), preset("tutorials/translator")}) {
    Config config = start;
    Small one(config);
    config.quirks.cache = CacheContents::inputs;
    Small other(config);
    CHECK(difference(by_token(one, target(11)), by_token(other, target(11))) <= 1e-12);
  }
}

TEST_CASE("Quirks: token by token has the logits of the whole, unless each token stands at position 0 (Q13)",
          "[golden]") {
  for (Config config : {base(), preset("tutorials/illustrated"), preset("tutorials/characters")}) {
    Small right(config);
    const Tensor whole = right.at_once(source(), target(11));
    CHECK(difference(by_token(right, target(11)), whole) <= 1e-12);
    config.quirks.position_offset = false;
    Small wrong(config);
    const Tensor stuck = by_token(wrong, target(11));
    // position 0 is right
    CHECK(difference(stuck.slice_rows(0, 1), whole.slice_rows(0, 1)) <= 1e-12);
    CHECK(difference(stuck, whole) > 1e-4);
  }
}

TEST_CASE(
    "Quirks: a later token moves earlier logits in tutorials/translator, and by exactly nothing where the mask works (Q1)",
    "[golden]") {
  CHECK(leak(base()) == 0);
  CHECK(leak(preset("tutorials/seq2seq")) == 0);  // -1e4 is far enough
  CHECK(leak(preset("tutorials/translator")) > 1e-4);
  Config no_mask = base();
  no_mask.quirks.apply_mask = false;  // Q4
  CHECK(leak(no_mask) > 1e-4);
}

TEST_CASE("Quirks: attention's dropout is off in evaluation, but for the quirk (Q24)", "[unit]") {
  Config config = base();
  config.attention_dropout = 0.3f;
  Small right(config);
  const Tensor without = right.at_once(source(), target(11));
  const auto evaluated = [&](int32_t update) {
    Config quirk = config;
    quirk.quirks.attention_dropout_at_evaluation = true;
    Small wrong(quirk);
    return wrong.model
        .forward(wrong.context, source(), target(11), Tensor::from(Ids{update, 0, update, 0}, {2, 2}))
        .value();
  };
  CHECK(difference(without, evaluated(1)) > 1e-3);
  CHECK(difference(evaluated(1), evaluated(2)) > 1e-3);  // the same sentence, another answer
}

TEST_CASE("Quirks: with attention's dropout on in evaluation a search goes on, too (Q24)", "[unit]") {
  for (const CacheContents cache : {CacheContents::keys_values, CacheContents::inputs}) {
    Config config = base();
    config.attention_dropout = 0.3f;
    config.quirks.cache = cache;
    Small right(config);
    config.quirks.attention_dropout_at_evaluation = true;
    Small wrong(config);
    CHECK(difference(by_token(wrong, target(11)), by_token(right, target(11))) > 1e-3);
  }
}

TEST_CASE("Quirks: padding's row begins as zero and gets no gradient, but for the quirks (Q22)", "[unit]") {
  const auto row_and_gradient = [](bool correct) {
    Config config = small(base());
    config.quirks.zero_pad_row = config.quirks.freeze_pad_row = correct;
    config.quirks.apply_mask = false;  // else padding has no gradient in any case
    ParameterStore store(DType::f64);
    const quirks::Transformer model(config, store);
    store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
    model.initialise(store, 1);
    Arena arena(Device::cpu());
    Tape tape(arena);
    const Variable z = model.forward({.tape = tape}, source(), target(11), Tensor());
    tape.backward(z, weights_for(z.value().shape()));
    const Parameter& table = store.find("source_embedding.weight");
    return std::pair{difference(table.value.slice_rows(1, 2), Tensor::zeros({1, 8}, DType::f64)),
                     difference(table.gradient.slice_rows(1, 2), Tensor::zeros({1, 8}, DType::f64))};
  };
  CHECK(row_and_gradient(true) == std::pair{0.0, 0.0});
  const auto [row, gradient] = row_and_gradient(false);
  CHECK(row > 1e-2);
  CHECK(gradient > 1e-3);
}

TEST_CASE("Quirks: dropout after the norm with pre-norm is refused", "[unit]") {
  Config config = preset("tutorials/illustrated");
  config.quirks.dropout_place = DropoutPlace::after_norm;
  CHECK_THROWS_AS(Small(config), Error);
}
