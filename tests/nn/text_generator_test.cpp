// Text from a language model.
#include "nn/decode/text_generator.h"

#include <cmath>
#include <map>

#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

// Pad 0, <s> 1, </s> 2, <unk> 3; random weights, the output layer made steep.
struct SampledModel : Tiny<LanguageModel> {
  static TransformerConfig config_of() {
    TransformerConfig config = tiny_config();
    config.type = ModelType::language_model;
    return config;
  }
  explicit SampledModel(DType dtype = DType::f64) : Tiny(dtype, config_of()) {
    const Tensor weight = store.find("output.weight").value;
    weight.copy_from(random_tensor(weight.shape(), dtype, 8, -1.5, 1.5));
  }
  std::vector<SampledLine> lines(SamplingOptions options, const std::vector<Ids>& prompts,
                                 uint64_t first_number = 0) {
    options.bos = 1, options.eos = 2, options.unk = 3, options.pad = 0;
    return TextGenerator(model, arena, options).sample(prompts, first_number);
  }
  // Log-probabilities of what follows `ids`, among the tokens that may come out; without a cache.
  std::vector<double> next(const Ids& ids) {
    Ids in{1};
    in.insert(in.end(), ids.begin(), ids.end());
    const auto length = static_cast<int32_t>(in.size());
    Tape tape(arena, Tape::Mode::inference);
    ForwardContext context{.tape = tape};
    const PackedBatch batch = packed_batch({}, {0, 0}, in, in, {0, length});
    const Tensor states = model.states(context, batch, Tensor()).value();
    auto z = as_doubles(model.logits(context, states.slice_rows(length - 1, length)));
    double sum = 0;
    for (const size_t banned : {0, 1, 3}) z[banned] = -INFINITY;
    for (const double value : z) sum += std::exp(value);
    for (double& value : z) value -= std::log(sum);
    return z;
  }
};

}  // namespace

TEST_CASE("TextGenerator: a line ends where the learnt positions end", "[unit]") {
  TransformerConfig config = SampledModel::config_of();
  config.learned_positions = true;
  config.max_length = 9;
  Tiny<LanguageModel> tiny(DType::f64, config);
  tiny.store.find("output.bias").value.data<double>()[2] = -30;  // </s> never comes
  const SamplingOptions options{.bos = 1, .eos = 2, .unk = 3, .pad = 0};
  const SampledLine line = TextGenerator(tiny.model, tiny.arena, options).sample({{}}, 0).front();
  CHECK(line.cut);
  CHECK(line.ids.size() == 9);
}

TEST_CASE("TextGenerator: at temperature 0 every token is the most probable one after those before it",
          "[unit]") {
  SampledModel model;
  for (const Ids& prompt : {Ids{}, Ids{5, 9, 4}}) {
    const SampledLine line = model.lines({.filter = {.temperature = 0}, .max_length = 12}, {prompt})[0];
    REQUIRE(line.ids.size() >= prompt.size());
    CHECK(Ids(line.ids.begin(), line.ids.begin() + static_cast<std::ptrdiff_t>(prompt.size())) == prompt);
    for (size_t i = prompt.size(); i <= line.ids.size(); ++i) {
      if (i == line.ids.size() && line.cut) break;
      const auto p = model.next(Ids(line.ids.begin(), line.ids.begin() + static_cast<std::ptrdiff_t>(i)));
      const auto best = static_cast<int32_t>(std::ranges::max_element(p) - p.begin());
      CHECK(best == (i == line.ids.size() ? 2 : line.ids[i]));
    }
  }
}

TEST_CASE("TextGenerator: tokens come as often as the model says, at any temperature and top-k", "[unit]") {
  // The first token of 4,000 lines against p^(1/T) among the k best; five standard deviations.
  constexpr int kLines = 4000;
  SampledModel model;
  const auto [temperature, top_k] = GENERATE(std::pair{1.0, 0}, std::pair{0.5, 0}, std::pair{1.0, 3});
  const auto log_p = model.next({});
  std::vector<double> sorted = log_p;
  std::ranges::sort(sorted, std::greater());
  double sum = 0;
  std::vector<double> expected;
  for (const double value : log_p) {
    const bool kept = top_k == 0 || value >= sorted[static_cast<size_t>(top_k - 1)];
    expected.push_back(kept ? std::exp(value / temperature) : 0);
    sum += expected.back();
  }
  std::map<int32_t, int> counts;
  const SamplingOptions options{.filter = {.temperature = temperature, .top_k = top_k}, .max_length = 1};
  for (const SampledLine& line : model.lines(options, std::vector<Ids>(kLines)))
    ++counts[line.ids.empty() ? 2 : line.ids[0]];
  for (size_t id = 0; id < expected.size(); ++id) {
    const double p = expected[id] / sum;
    INFO("token " << id);
    CHECK(std::abs(counts[static_cast<int32_t>(id)] - kLines * p) <=
          5 * std::sqrt(kLines * p * (1 - p)) + 1e-9);
  }
}

TEST_CASE("TextGenerator: a line is a function of seed and number, whatever is written beside it", "[unit]") {
  SampledModel model;
  const SamplingOptions options{.max_length = 40, .seed = 7};  // past the cache's first positions
  const std::vector<Ids> prompts{{}, {5}, {9, 4, 6}, {}};
  const auto together = model.lines(options, prompts);
  for (size_t i = 0; i < prompts.size(); ++i)
    CHECK(model.lines(options, {prompts[i]}, i)[0].ids == together[i].ids);
  CHECK(model.lines(options, prompts)[2].ids == together[2].ids);
  CHECK(together[0].ids != together[3].ids);
  CHECK(model.lines({.max_length = 40, .seed = 8}, prompts)[0].ids != together[0].ids);
  CHECK(model.arena.used_bytes() == 0);
}

TEST_CASE("TextGenerator: what cannot be is refused", "[unit]") {
  SampledModel model;
  CHECK_THROWS_AS(model.lines({.filter = {.temperature = -1}}, {{}}), Error);
  CHECK_THROWS_AS(model.lines({.max_length = 3000}, {{}}), Error);
  CHECK_THROWS_AS(model.lines({.max_length = 2}, {{5, 6}}), Error);
}
