// Alignments by cross-attention, against its definition.
#include "nn/decode/alignment.h"

#include <cmath>
#include <map>
#include <numeric>

#include "nn/decode/ensemble.h"
#include "tests/data/errors.h"
#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

// Queries and keys of one layer's cross-attention.
class QueriesAndKeys : public Trace {
 public:
  explicit QueriesAndKeys(std::string block) : block_(std::move(block)) {}
  void value(std::string_view block, std::string_view, std::string_view symbol,
             const Tensor& value) override {
    if (block == block_ && (symbol == "q" || symbol == "k")) rows[std::string(symbol)] = as_doubles(value);
  }
  std::map<std::string, std::vector<double>> rows;

 private:
  std::string block_;
};

// [Tt, Ts] of a batch of one sentence: softmax of the scaled products, the mean over heads.
std::vector<double> defined_alignment(TinyModel& model, const PackedBatch& batch, int64_t layer) {
  QueriesAndKeys seen(fmt::format("decoder.layers.{}.cross_attention", layer));
  Tape tape(model.arena, Tape::Mode::inference);
  ForwardContext context{.tape = tape, .trace = &seen};
  model.transformer.logits(context, batch);
  constexpr size_t D = 6, H = 3, d = D / H;
  const auto T = static_cast<size_t>(batch.target_tokens), S = static_cast<size_t>(batch.source_tokens);
  std::vector<double> mean(T * S);
  for (size_t t = 0; t < T; ++t) {
    for (size_t h = 0; h < H; ++h) {
      std::vector<double> e(S);
      for (size_t s = 0; s < S; ++s) {
        double product = 0;
        for (size_t i = h * d; i < (h + 1) * d; ++i)
          product += seen.rows.at("q")[t * D + i] * seen.rows.at("k")[s * D + i];
        e[s] = std::exp(product / std::sqrt(static_cast<double>(d)));
      }
      const double sum = std::accumulate(e.begin(), e.end(), 0.0);
      for (size_t s = 0; s < S; ++s) mean[t * S + s] += e[s] / sum / H;
    }
  }
  return mean;
}

}  // namespace

TEST_CASE("Alignment: the mean over a layer's heads of the softmax of its products", "[unit]") {
  TinyModel model(DType::f64, tiny_config());
  const PackedBatch batch = random_batch({5}, {4}, 13, 17, 21);
  for (const int64_t layer : {0, 1}) {
    const Alignment alignment = align(model.transformer, model.arena, batch, layer)[0];
    const std::vector<double> expected = defined_alignment(model, batch, layer);
    CHECK(alignment.sources == 5);
    CHECK(alignment.targets == 4);
    REQUIRE(alignment.weights.size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      // the kernel's scale is an f32
      CHECK(alignment.weights[i] == Approx(expected[i]).epsilon(1e-7));
  }
  CHECK(model.arena.used_bytes() == 0);
}

TEST_CASE("Alignment: sentences of a batch keep to their own tokens", "[unit]") {
  TinyModel model(DType::f64, tiny_config());
  const PackedBatch batch = random_batch({5, 2, 7}, {4, 6, 1}, 13, 17, 21);
  const auto together = align(model.transformer, model.arena, batch, 1);
  REQUIRE(together.size() == 3);
  for (int64_t b = 0; b < 3; ++b) {
    const Alignment alone = align(model.transformer, model.arena, batch.part(b, b + 1), 1)[0];
    const Alignment& beside = together[static_cast<size_t>(b)];
    CHECK(alone.sources == beside.sources);
    REQUIRE(alone.weights.size() == beside.weights.size());
    for (size_t i = 0; i < alone.weights.size(); ++i)
      CHECK(alone.weights[i] == Approx(beside.weights[i]).epsilon(1e-9));
  }
}

TEST_CASE("Alignment: that of an ensemble is the mean of its models'", "[unit]") {
  TinyModel a(DType::f64, tiny_config()), b(DType::f64, tiny_config());
  b.store.initialise(2);
  const PackedBatch batch = random_batch({5}, {4}, 13, 17, 21);
  const Ensemble ensemble({&a.transformer, &b.transformer}, {1, 1}, a.store);
  const Alignment of_a = align(a.transformer, a.arena, batch, 0)[0],
                  of_b = align(b.transformer, b.arena, batch, 0)[0],
                  of_both = align(ensemble, a.arena, batch, 0)[0];
  for (size_t i = 0; i < of_both.weights.size(); ++i)
    CHECK(of_both.weights[i] == Approx((of_a.weights[i] + of_b.weights[i]) / 2).epsilon(1e-9));
}

TEST_CASE("Alignment: the usual layer is the last but one, and a layer that is not there is refused",
          "[unit]") {
  TransformerConfig config = tiny_config();
  CHECK(usual_alignment_layer(config) == 0);
  config.decoder_layers = 6;
  CHECK(usual_alignment_layer(config) == 4);
  config.decoder_layers = 1;
  CHECK(usual_alignment_layer(config) == 0);
  TinyModel model(DType::f64, tiny_config());
  CHECK(error_of([&] { align(model.transformer, model.arena, random_batch({5}, {4}, 13, 17, 21), 2); }) ==
        "2: alignment-layer: there is no layer 2; the decoder's last one is 1");
}
