// Attention blocks against central differences, and against scores, softmax and products per
// sentence and head.
#include "nn/attention_block.h"

#include <fmt/format.h>

#include <cmath>

#include "tests/nn/block_check.h"
#include "tests/support/catch.h"
#include "tests/support/pieces.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;
using kernels::Transpose;

namespace {

constexpr int64_t kDim = 6;

struct Case {
  Ids targets, sources;
  std::string name() const {
    return fmt::format("offsets {} / {}", fmt::join(targets, " "), fmt::join(sources, " "));
  }
};
// One token; one tile of odd size; past a vector's width; uneven with an empty sentence on either
// or both sides.
const Case kCases[] = {
    {{0, 1}, {0, 1}},
    {{0, 7}, {0, 3}},
    {{0, 33}, {0, 31}},
    {{0, 3, 4, 4, 11}, {0, 1, 8, 8, 8}},
};

std::string describe(const Case& c, int64_t heads, int64_t max_length, const Worst& worst) {
  return fmt::format("{} heads {} max_length {}: {}", c.name(), heads, max_length, worst.of);
}

// The dropout factors of a sentence's probabilities. Row: query token; column: head * 2^16 + key
// (kernels/dropout.h).
Tensor attention_mask(const kernels::Dropout& dropout, int64_t first_row, int64_t head, int64_t queries,
                      int64_t keys) {
  std::vector<double> factors;
  for (int64_t i = 0; i < queries; ++i) {
    for (int64_t j = 0; j < keys; ++j)
      factors.push_back(dropout_factor(dropout, first_row + i, (head << 16) + j));
  }
  return Tensor::from(factors, {queries, keys});
}

struct WitnessAttention {
  int64_t heads;
  bool causal;
  kernels::Dropout dropout;
  const Ids &query_offsets, &key_offsets;

  Variable head(Tape& tape, const Variable& q, const Variable& k, const Variable& v, size_t b,
                int64_t h) const {
    const int64_t Dh = kDim / heads, n = q.value().rows(), m = k.value().rows();
    const auto part = [&](const Variable& x) { return tests::columns(tape, x, h * Dh, (h + 1) * Dh); };
    const Variable s =
        autograd::scale(tape, autograd::matmul(tape, part(q), Transpose::no, part(k), Transpose::yes),
                        1.0f / std::sqrt(static_cast<float>(Dh)));
    const Variable p = autograd::softmax(tape, autograd::reshape(tape, s, {1, 1, n, m}), {{}, causal, {}});
    const Tensor mask = attention_mask(dropout, query_offsets[b], h, n, m);
    return autograd::matmul(tape, times(tape, autograd::reshape(tape, p, {n, m}), mask), Transpose::no,
                            part(v), Transpose::no);
  }

  Variable operator()(Tape& tape, const Variable& q, const Variable& k, const Variable& v) const {
    Variables sentences;
    for (size_t b = 0; b + 1 < query_offsets.size(); ++b) {
      const int64_t begin = query_offsets[b], end = query_offsets[b + 1];
      const int64_t key_begin = key_offsets[b], key_end = key_offsets[b + 1];
      if (begin == end) continue;
      if (key_begin == key_end) {  // nothing to attend to
        sentences.emplace_back(Tensor::zeros({end - begin, kDim}, DType::f64));
        continue;
      }
      Variables parts;
      for (int64_t h = 0; h < heads; ++h) {
        parts.push_back(head(tape, tests::rows(tape, q, begin, end), tests::rows(tape, k, key_begin, key_end),
                             tests::rows(tape, v, key_begin, key_end), b, h));
      }
      sentences.push_back(tests::join_columns(tape, parts));
    }
    return tests::join_rows(tape, sentences);
  }
};

template <typename Body>
void for_all_cases(const Body& body) {
  for (const Case& c : kCases) {
    for (const int64_t heads : {1, 3}) {
      for (const int64_t max_length : {60, 100}) body(c, heads, max_length);
    }
  }
}

// Each token's place in its sentence, and angles for heads of Dh columns, with a base at which no
// pair hardly turns.
Rotary rotary_of(const Ids& offsets, int64_t Dh) {
  Ids positions;
  for (size_t b = 0; b + 1 < offsets.size(); ++b) {
    for (int32_t t = offsets[b]; t < offsets[b + 1]; ++t) positions.push_back(t - offsets[b]);
  }
  const Tensor table = Tensor::empty({40, Dh}, DType::f64);
  kernels::rotary_table(5, table);
  return {Tensor::from(positions), table};
}

struct SelfFixture {
  ParameterStore store{DType::f64};
  SelfAttention block;
  Block f;
  Witness witness;
  SelfFixture(const Ids& offsets, int64_t heads, int64_t max_length, bool causal, bool turns = false)
      : block(store, "a", {kDim, heads, kBlockDropout}) {
    store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
    randomise(store);
    Tokens tokens = tokens_of(offsets, max_length, 40);
    if (turns) tokens.rotary = rotary_of(offsets, kDim / heads);
    f = [=, this](ForwardContext& context, const Variables& x) {
      return block.forward(context, x[0], tokens, causal);
    };
    witness = [=](Tape& tape, const Leaves& parameters, const Variables& x) {
      const Variable qkv = affine(tape, x[0], parameters, "a.qkv");
      const auto part = [&](int64_t i) { return tests::columns(tape, qkv, i * kDim, (i + 1) * kDim); };
      const auto turned = [&](int64_t i) {
        return turns ? autograd::rotary(tape, part(i), tokens.rotary.positions, tokens.rotary.table)
                     : part(i);
      };
      const WitnessAttention attention{
          heads, causal, {kBlockDropout, 77, 0, tokens.counter}, offsets, offsets};
      return affine(tape, attention(tape, turned(0), turned(1), part(2)), parameters, "a.out");
    };
  }
};

struct CrossFixture {
  ParameterStore store{DType::f64};
  CrossKeysValues keys_values;
  CrossAttention block;
  Block f;
  Witness witness;
  CrossFixture(const Case& c, int64_t heads, int64_t max_length)
      : keys_values(store, "kv", kDim, 2), block(store, "a", {kDim, heads, kBlockDropout}) {
    store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
    randomise(store);
    const Tokens targets = tokens_of(c.targets, max_length, 40),
                 sources = tokens_of(c.sources, max_length, 9);
    // Two decoder layers read the keys and values of one memory through views.
    f = [=, this](ForwardContext& context, const Variables& x) {
      const Variable kv = keys_values.forward(context, x[1]);
      const Variable first = context.tape.columns(kv, 0, 2 * kDim),
                     second = context.tape.columns(kv, 2 * kDim, 4 * kDim);
      return block.forward(context, block.forward(context, x[0], first, targets, sources), second, targets,
                           sources);
    };
    witness = [=, &c](Tape& tape, const Leaves& parameters, const Variables& x) {
      const Variable kv = affine(tape, x[1], parameters, "kv");
      const WitnessAttention attention{
          heads, false, {kBlockDropout, 77, 0, targets.counter}, c.targets, c.sources};
      Variable y = x[0];
      for (const int64_t layer : {0, 1}) {
        const auto part = [&](int64_t i) { return tests::columns(tape, kv, i * kDim, (i + 1) * kDim); };
        y = affine(tape,
                   attention(tape, affine(tape, y, parameters, "a.q"), part(2 * layer), part(2 * layer + 1)),
                   parameters, "a.out");
      }
      return y;
    };
  }
};

std::vector<Tensor> cross_inputs(const Case& c) {
  return {random_f64({c.targets.back(), kDim}, 1), random_f64({c.sources.back(), kDim}, 2)};
}

}  // namespace

TEST_CASE("SelfAttention: gradients of input and parameters", "[grad]") {
  const bool causal = GENERATE(false, true), turns = GENERATE(false, true);
  for_all_cases([&](const Case& c, int64_t heads, int64_t max_length) {
    const SelfFixture fixture(c.targets, heads, max_length, causal, turns);
    const Worst worst =
        block_gradient_error(fixture.store, fixture.f, {random_f64({c.targets.back(), kDim}, 1)});
    INFO(describe(c, heads, max_length, worst));
    CHECK(worst.error <= 1e-6);
  });
}

// AB1, AB12, AB2, AB3; AB4, AB5, AB6, AB13, AB7, AB8
TEST_CASE("SelfAttention: outputs and gradients are those of primitive nodes", "[grad]") {
  const bool causal = GENERATE(false, true), turns = GENERATE(false, true);
  for_all_cases([&](const Case& c, int64_t heads, int64_t max_length) {
    const SelfFixture fixture(c.targets, heads, max_length, causal, turns);
    const Worst worst =
        witness_error(fixture.store, fixture.f, fixture.witness, {random_f64({c.targets.back(), kDim}, 1)});
    INFO(describe(c, heads, max_length, worst));
    CHECK(worst.error <= 1e-12);
  });
}

TEST_CASE("CrossAttention and CrossKeysValues: gradients of both inputs and all parameters", "[grad]") {
  for_all_cases([&](const Case& c, int64_t heads, int64_t max_length) {
    const CrossFixture fixture(c, heads, max_length);
    const Worst worst = block_gradient_error(fixture.store, fixture.f, cross_inputs(c));
    INFO(describe(c, heads, max_length, worst));
    CHECK(worst.error <= 1e-6);
  });
}

// AB9, AB10, AB11
TEST_CASE("CrossAttention and CrossKeysValues: outputs and gradients are those of primitive nodes",
          "[grad]") {
  for_all_cases([&](const Case& c, int64_t heads, int64_t max_length) {
    const CrossFixture fixture(c, heads, max_length);
    const Worst worst = witness_error(fixture.store, fixture.f, fixture.witness, cross_inputs(c));
    INFO(describe(c, heads, max_length, worst));
    CHECK(worst.error <= 1e-12);
  });
}

TEST_CASE("Attention blocks: parameter gradients accumulate and need no input gradient", "[unit]") {
  const Case& c = kCases[3];
  const SelfFixture self(c.targets, 3, 100, true);
  CHECK(accumulates(self.store, self.f, {random_f64({c.targets.back(), kDim}, 1)}));
  CHECK(constants_change_nothing(self.store, self.f, {random_f64({c.targets.back(), kDim}, 1)}));
  const CrossFixture cross(c, 3, 60);
  CHECK(accumulates(cross.store, cross.f, cross_inputs(c)));
  CHECK(constants_change_nothing(cross.store, cross.f, cross_inputs(c)));
}
