// Padded attention, its masks and what fills them: numbers calculated by hand.
#include "tools/tutorials/model/attention.h"

#include <cmath>
#include <numeric>

#include "tests/nn/block_check.h"
#include "tests/support/catch.h"
#include "tools/tutorials/model/masks.h"
#include "tools/tutorials/model/presets.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

using Values = std::vector<double>;

class Recorded : public Trace {
 public:
  std::map<std::string, Tensor> values;  // "block symbol"
  void value(std::string_view block, std::string_view, std::string_view symbol,
             const Tensor& value) override {
    const Tensor copy = Tensor::empty(value.shape(), value.dtype());
    copy.copy_from(value);
    values[fmt::format("{} {}", block, symbol)] = copy;
  }
};

void check_near(const Values& actual, const Values& expected, double margin = 5e-7) {
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == Approx(expected[i]).margin(margin));
}

void set(const ParameterStore& store, const std::string& name, const Values& values) {
  const Parameter& parameter = store.find(name);
  parameter.value.copy_from(Tensor::from(values, parameter.shape));
}

void set_identity(const ParameterStore& store, const std::string& name, int64_t D) {
  Values identity(static_cast<size_t>(D * D));
  for (int64_t i = 0; i < D; ++i) identity[static_cast<size_t>(i * D + i)] = 1;
  set(store, name + ".weight", identity);
  set(store, name + ".bias", Values(static_cast<size_t>(D)));
}

// One head whose projections change nothing but the values: x [1, S, D] is q, k and, unless given,
// v.
Recorded attend(int64_t D, const Values& x, const Tensor& mask, float fill, const Values& v_weight = {},
                const Values& v_bias = {}) {
  quirks::Config config;
  config.dim = D, config.quirks.mask_fill = fill;
  ParameterStore store(DType::f64);
  const quirks::Attention attention(store, "a", config);
  store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
  for (const char* name : {"a.q", "a.k", "a.v", "a.out"}) set_identity(store, name, D);
  if (!v_weight.empty()) set(store, "a.v.weight", v_weight), set(store, "a.v.bias", v_bias);
  Recorded trace;
  Arena arena(Device::cpu());
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{.tape = tape, .trace = &trace};
  const Variable input(Tensor::from(x, {1, static_cast<int64_t>(x.size()) / D, D}));
  attention.forward(context, input, input, mask, Tensor());
  return trace;
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("Quirks: masks by hand", "[golden]") {
  const auto sums = [](const Tensor& mask) {
    Ids rows;
    for (int64_t n = 0; n < mask.rows(); ++n) {
      const int32_t* row = mask.data<int32_t>() + n * mask.width();
      rows.push_back(std::accumulate(row, row + mask.width(), 0));
    }
    return rows;
  };
  // tutorials/by-hand's: the first sentence of either side ends with padding.
  const Tensor source_ids = Tensor::from(Ids{1, 1, 4, 0, 4, 3, 2, 9}, {2, 4}),
               target = Tensor::from(Ids{5, 2, 5, 0, 6, 7, 9, 8}, {2, 4});
  const Tensor source = quirks::source_mask(source_ids, 0);
  CHECK(source.shape() == Shape{2, 1, 1, 4});
  CHECK(source.to_vector<int32_t>() == Ids{1, 1, 1, 0, 1, 1, 1, 1});
  const Tensor by_query = quirks::target_mask(target, 0, quirks::PadAxis::query);
  CHECK(by_query.shape() == Shape{2, 1, 4, 4});
  CHECK(sums(by_query) == Ids{1, 2, 3, 0, 1, 2, 3, 4});
  // Correct: the padded query looks back at the three tokens, and its own key is hidden.
  CHECK(sums(quirks::target_mask(target, 0, quirks::PadAxis::key)) == Ids{1, 2, 3, 3, 1, 2, 3, 4});
  const Tensor wide = quirks::broadcast(source, {2, 2, 3, 4});
  CHECK(sums(wide) == Ids{3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4});
}

TEST_CASE("Quirks: masks by the rule of tutorials/translator, both ends of a pair (Q3)", "[golden]") {
  const quirks::Config config = quirks::preset("tutorials/translator");
  const quirks::Masks masks = quirks::masks_of(Tensor::from(Ids{2, 5, 6, 3, 2, 7, 3, 1}, {2, 4}),
                                               Tensor::from(Ids{2, 8, 9, 2, 10, 1}, {2, 3}), config);
  CHECK(masks.source.shape() == Shape{2, 1, 4, 4});
  CHECK(masks.cross.shape() == Shape{2, 1, 3, 4});
  const auto second = [](const Tensor& mask) { return mask.slice_rows(mask.dim(2), 2 * mask.dim(2)); };
  CHECK(second(masks.source).to_vector<int32_t>() == Ids{1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0});
  CHECK(second(masks.cross).to_vector<int32_t>() == Ids{1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0});
  CHECK(masks.target.to_vector<int32_t>() == Ids{1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0});
}

TEST_CASE("Quirks: the target's mask by the source's pad id (Q23), and no mask at all (Q4)", "[golden]") {
  quirks::Config config = quirks::base();
  config.source_pad = 1, config.target_pad = 0;
  const Tensor source = Tensor::from(Ids{5, 6}, {1, 2}), target = Tensor::from(Ids{2, 1, 0}, {1, 3});
  const auto mask = [&] { return quirks::masks_of(source, target, config).target.to_vector<int32_t>(); };
  CHECK(mask() == Ids{1, 0, 0, 1, 1, 0, 1, 1, 0});  // padding, 0, is hidden
  config.quirks.target_masked_by_source_pad = true;
  CHECK(mask() == Ids{1, 0, 0, 1, 0, 0, 1, 0, 1});  // the word 1 is, and padding is not
  config.quirks.apply_mask = false;
  CHECK(mask() == Ids{1});
}

TEST_CASE("Quirks: a causal mask of 20 has 210 cells", "[golden]") {
  const Tensor mask = quirks::target_mask(Tensor::from(Ids(20, 5), {1, 20}), 1, quirks::PadAxis::key);
  CHECK(mask.shape() == Shape{1, 1, 20, 20});
  const Ids cells = mask.to_vector<int32_t>();
  CHECK(std::accumulate(cells.begin(), cells.end(), 0) == 210);
}

TEST_CASE("Quirks: masked_fill on rows of ones to sevens, where the mask lets through what is not 0",
          "[golden]") {
  // The tutorial's mask says where to fill; this one, where not to.
  const auto filled = [](const Ids& keep, const Values& first) {
    Values x;
    for (const double value : first) x.insert(x.end(), 4, value);
    Ids mask;
    for (const int32_t kept : keep) mask.insert(mask.end(), 4, kept);
    Arena arena(Device::cpu());
    Tape tape(arena, Tape::Mode::inference);
    return as_doubles(
        autograd::masked_fill(tape, Variable(Tensor::from(x, {3, 4})), Tensor::from(mask, {3, 4}), -1e9f)
            .value());
  };
  Values upper(8, -1e9), lower(4, 1);
  upper.insert(upper.end(), 4, 7), lower.insert(lower.end(), 8, -1e9);
  CHECK(filled({0, 0, 1}, {5, 6, 7}) == upper);
  CHECK(filled({1, 0, 0}, {1, 2, 3}) == lower);
}

TEST_CASE("Quirks: what a mask's fill does to a row (SM1)", "[golden]") {
  const auto filled = [](const Ids& allowed, float fill) {
    Arena arena(Device::cpu());
    Tape tape(arena, Tape::Mode::inference);
    const Variable s(Tensor::from(Values{2, 1, .5, -1}, {1, 1, 1, 4}));
    const Variable masked = autograd::masked_fill(tape, s, Tensor::from(allowed, {1, 1, 1, 4}), fill);
    return as_doubles(autograd::softmax(tape, masked, {}).value());
  };
  // e^2, e^1 over their sum; with fill 0 (nearly -1e-12) also e^0 twice.
  check_near(filled({1, 1, 0, 0}, -1e-12f), {.610296, .224515, .082595, .082595});
  for (const float fill : {-1e4f, -1e9f, -1e12f, -kInfinity})
    check_near(filled({1, 1, 0, 0}, fill), {.731059, .268941, 0, 0});
  check_near(filled({0, 0, 0, 0}, -1e4f), {.25, .25, .25, .25});
  check_near(filled({0, 0, 0, 0}, -kInfinity), {0, 0, 0, 0});  // not NaN
}

TEST_CASE("Quirks: attention calculated by hand (AT1) (AT2) (AT4)", "[golden]") {
  // q = k = [1 0; 0 1; 1 1], v = [1 2; 3 4; 5 6] = q Wv + bv: scores 0, 1 or 2 over sqrt 2.
  const Values x{1, 0, 0, 1, 1, 1}, v_weight{2, 4, 2, 4}, v_bias{-1, 0};
  const Tensor all = Tensor::from(Ids{1, 1, 1}, {1, 1, 1, 3}),
               causal = Tensor::from(Ids{1, 0, 0, 1, 1, 0, 1, 1, 1}, {1, 1, 3, 3});
  Recorded seen = attend(2, x, all, -kInfinity, v_weight, v_bias);
  check_near(as_doubles(seen.values.at("a p")),
             {.401112, .197776, .401112, .197776, .401112, .401112, .248255, .248255, .503490});
  check_near(as_doubles(seen.values.at("a o")), {3, 4, 3.406672, 4.406672, 3.510470, 4.510470});
  seen = attend(2, x, causal, -kInfinity, v_weight, v_bias);
  check_near(as_doubles(seen.values.at("a p")), {1, 0, 0, .330238, .669762, 0, .248255, .248255, .503490});
  check_near(as_doubles(seen.values.at("a o")), {1, 2, 2.339523, 3.339523, 3.510470, 4.510470});
  seen = attend(2, x, causal, -1e-12f, v_weight, v_bias);  // a fill that masks nothing
  check_near(as_doubles(seen.values.at("a p")),
             {.503490, .248255, .248255, .248255, .503490, .248255, .248255, .248255, .503490});
}

TEST_CASE("Quirks: scores 112 and 96 over the square root of 64 are 0.8808 and 0.1192", "[golden]") {
  // Alammar 2018, "The Illustrated Transformer": q1 k1 = 112, q1 k2 = 96; e^14 and e^12 over their
  // sum.
  Values x(128);
  x[0] = std::sqrt(112.0), x[64] = 96 / std::sqrt(112.0);
  const Recorded seen = attend(64, x, Tensor::from(Ids{1, 1}, {1, 1, 1, 2}), -kInfinity);
  const Values s = as_doubles(seen.values.at("a s")), p = as_doubles(seen.values.at("a p"));
  check_near({s[0], s[1]}, {14, 12});
  check_near({p[0], p[1]}, {.8808, .1192}, 5e-5);
}
