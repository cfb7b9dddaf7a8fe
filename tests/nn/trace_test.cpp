// What a traced pass shows, and that looking changes nothing.
#include "nn/trace.h"

#include <map>

#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

Tensor copy_of(const Tensor& x) {
  const Tensor copy = Tensor::empty(x.shape(), x.dtype());
  copy.copy_from(x);
  return copy;
}

class Recorded : public Trace {
 public:
  std::map<std::string, Tensor> values;  // "block symbol"
  void value(std::string_view block, std::string_view, std::string_view symbol,
             const Tensor& value) override {
    values[fmt::format("{} {}", block, symbol)] = copy_of(value);
  }
};

// The decoder's states.
Tensor run(TinyModel& model, const PackedBatch& batch, Trace* trace) {
  Tape tape(model.arena, Tape::Mode::inference);
  ForwardContext context{.tape = tape, .trace = trace};
  return model.transformer
      .decode(context, batch, model.transformer.encode(context, batch, Tensor()), Tensor())
      .value();
}

}  // namespace

TEST_CASE("Trace: probabilities sum to one, and with the values make the heads' output (AT4)", "[unit]") {
  TinyModel model(DType::f64, tiny_config());
  const PackedBatch batch = random_batch({5}, {4}, 13, 13, 21);
  Recorded trace;
  run(model, batch, &trace);
  for (const std::string block : {"encoder.layers.1.self_attention", "decoder.layers.0.self_attention",
                                  "decoder.layers.1.cross_attention"}) {
    const Tensor p = trace.values.at(block + " p"), v = trace.values.at(block + " v"),
                 o = trace.values.at(block + " o");
    const int64_t H = 3, Dh = 2, Sq = p.shape()[2], Sk = p.shape()[3];
    REQUIRE(p.shape() == Shape{1, H, Sq, Sk});
    REQUIRE(o.rows() == Sq);
    for (int64_t h = 0; h < H; ++h) {
      for (int64_t i = 0; i < Sq; ++i) {
        const double* row = p.data<double>() + (h * Sq + i) * Sk;
        CHECK(std::accumulate(row, row + Sk, 0.0) == Approx(1).epsilon(1e-12));
        for (int64_t d = h * Dh; d < (h + 1) * Dh; ++d) {
          double sum = 0;
          for (int64_t j = 0; j < Sk; ++j) sum += row[j] * v.data<double>()[j * H * Dh + d];
          CHECK(o.data<double>()[i * H * Dh + d] == Approx(sum).epsilon(1e-12));
        }
      }
    }
  }
}

TEST_CASE("Trace: every block shows its values, and the states are those of a pass that nobody watches",
          "[unit]") {
  TinyModel model(DType::f32, tiny_config());
  const PackedBatch batch = random_batch({5, 2}, {4, 3}, 13, 13, 21);
  Recorded trace;
  const Tensor watched = run(model, batch, &trace), alone = run(model, batch, nullptr);
  CHECK(watched.to_vector<float>() == alone.to_vector<float>());
  for (const char* value : {"source_embedding x", "target_embedding x", "encoder.layers.0.self_attention y",
                            "encoder.layers.1.feed_forward a", "decoder.cross_kv kv",
                            "decoder.layers.1.cross_attention q", "decoder.layers.1.feed_forward.norm sum"}) {
    CHECK(trace.values.count(value) == 1);
  }
}
