#include "nn/embedding_block.h"

#include <cmath>

#include "tests/nn/block_check.h"
#include "tests/support/catch.h"
#include "tests/support/pieces.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

constexpr int64_t kDim = 6, kVocabulary = 9;

struct Fixture {
  ParameterStore store;
  const Parameter &table, *learned;
  Embedding block;
  Tensor positions;
  explicit Fixture(DType dtype = DType::f64, bool learns_positions = false)
      : store(dtype),
        table(store.add("table", {kVocabulary, kDim}, Init::zeros())),
        learned(add_position_table(store, "positions",
                                   {.dim = kDim, .learned_positions = learns_positions, .max_length = 40})),
        block(store, "embedding", table, learned, kBlockDropout) {
    store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
    randomise(store);
    positions = Tensor::empty({40, kDim}, dtype);
    kernels::sinusoid_positions(kernels::PositionLayout::interleaved, positions);
  }
  Variable forward(ForwardContext& context, const Ids& ids, const Ids& offsets, int32_t first_row) const {
    return block.forward(context, Tensor::from(ids), positions_in(offsets), order_by_id(ids), positions,
                         tokens_of(offsets, 60, first_row));
  }
};

Ids random_ids(int64_t count) {
  PhiloxSequence random(5, 5);
  Ids ids;
  for (int64_t i = 0; i < count; ++i) ids.push_back(static_cast<int32_t>(random.below(kVocabulary)));
  return ids;
}

}  // namespace

// EM4
TEST_CASE("Embedding: the tables' gradients and agreement with primitive nodes", "[grad]") {
  const Fixture fixture(DType::f64, GENERATE(false, true));
  for (const Ids& offsets : {Ids{0, 1}, Ids{0, 7}, Ids{0, 33}, Ids{0, 3, 4, 4, 11}}) {
    const Ids ids = random_ids(offsets.back());
    const Block f = [&](ForwardContext& context, const Variables&) {
      return fixture.forward(context, ids, offsets, 40);
    };
    const Witness plain = [&](Tape& tape, const Leaves& parameters, const Variables&) {
      Variables rows, position_rows;
      for (const int32_t id : ids) rows.push_back(tests::rows(tape, parameters.at("table"), id, id + 1));
      for (const int32_t p : positions_in(offsets).to_vector<int32_t>()) {
        position_rows.push_back(fixture.learned ? tests::rows(tape, parameters.at("positions"), p, p + 1)
                                                : Variable(fixture.positions.slice_rows(p, p + 1)));
      }
      const Variable scaled =
          autograd::scale(tape, tests::join_rows(tape, rows), std::sqrt(static_cast<float>(kDim)));
      return autograd::dropout(tape, autograd::add(tape, scaled, tests::join_rows(tape, position_rows)),
                               {kBlockDropout, 77, 0, Tensor::from(Ids{11, 40})});
    };
    const Worst difference = block_gradient_error(fixture.store, f, {});
    const Worst witness = witness_error(fixture.store, f, plain, {});
    INFO(offsets.back() << " tokens: " << difference.of << ", against primitive nodes: " << witness.of);
    CHECK(difference.error <= 1e-6);
    CHECK(witness.error <= 1e-12);
    CHECK(accumulates(fixture.store, f, {}));
  }
}

// EM4 by hand: the first places of three sentences add up, and so on; places that no sentence has
// keep their gradient.
TEST_CASE("Embedding: a learnt position has the sum of its tokens' gradients, without the words' scale",
          "[golden]") {
  ParameterStore store(DType::f64);
  const Parameter& table = store.add("table", {kVocabulary, 2}, Init::zeros());
  const Parameter* const learned =
      add_position_table(store, "positions", {.dim = 2, .learned_positions = true, .max_length = 5});
  const Embedding block(store, "embedding", table, learned, 0);
  store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
  const Ids ids{4, 4, 7, 1, 4, 4}, offsets{0, 3, 4, 6};
  Arena arena(Device::cpu(), kTestArena);
  Tape tape(arena);
  ForwardContext context{.tape = tape, .training = true};
  const Variable x = block.forward(context, Tensor::from(ids), positions_in(offsets), order_by_id(ids),
                                   Tensor(), tokens_of(offsets, 5));
  tape.backward(x, tensor_of({1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60}, {6, 2}, DType::f64));
  CHECK(as_doubles(learned->gradient) == std::vector<double>{10, 100, 8, 80, 3, 30, 0, 0, 0, 0});
}

TEST_CASE("Embedding: the same rows of an update are dropped however it is cut", "[unit]") {
  const Fixture fixture(DType::f32);
  const Ids ids = random_ids(11);
  Arena arena(Device::cpu(), kTestArena);
  Tape tape(arena, Tape::Mode::inference);
  ForwardContext context{.tape = tape, .training = true, .seed = 77};
  const Tensor whole = fixture.forward(context, ids, {0, 3, 4, 4, 11}, 0).value();
  const auto part = [&](int32_t begin, int32_t end, const Ids& offsets) {
    return fixture.forward(context, Ids(ids.begin() + begin, ids.begin() + end), offsets, begin).value();
  };
  CHECK(same_bits(part(0, 4, {0, 3, 4}), whole.slice_rows(0, 4)));  // two micro-batches
  CHECK(same_bits(part(4, 11, {0, 0, 7}), whole.slice_rows(4, 11)));
  CHECK(same_bits(part(0, 3, {0, 3}), whole.slice_rows(0, 3)));  // one sentence
  CHECK(same_bits(part(3, 4, {0, 1}), whole.slice_rows(3, 4)));
  const auto values = whole.to_vector<float>();
  CHECK(std::count(values.begin(), values.end(), 0.0f) > 0);  // something was dropped
}
