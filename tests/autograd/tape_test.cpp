// The tape's plumbing, with derivatives simple enough to be known by heart.
#include "autograd/tape.h"

#include "autograd/ops.h"
#include "tests/support/catch.h"
#include "tests/support/compare.h"
#include "tests/support/pieces.h"

using namespace xf;
using namespace xf::autograd;

namespace {

using Values = std::vector<double>;

Tensor matrix(const Values& values, int64_t rows) {
  return Tensor::from(values, {rows, static_cast<int64_t>(values.size()) / rows});
}
Tensor zeros_like(const Tensor& x) { return Tensor::zeros(x.shape(), x.dtype()); }

// What the arena hands out is NaN, so that memory that counts as a gradient before it is written
// shows.
struct Fixture {
  Fixture() { arena.allocate({4096}, DType::f64).copy_from(tests::poisoned({4096}, DType::f64)); }

  Arena arena{Device::cpu(), 1 << 20};
  Tape tape{arena};
  const Tensor x = matrix({1, 2, 3, 4, 5, 6}, 2), dx = zeros_like(x);
  const Tensor seed = matrix({1, 10, 100, 1000, 10000, 100000}, 2);
  const Variable leaf = tape.leaf(x, dx);

  Variable copied() { return scale(tape, leaf, 1); }
  Values gradient() const { return dx.to_vector<double>(); }
};

}  // namespace

// TP1
TEST_CASE("Tape: closures run in reverse order of recording", "[unit]") {
  Fixture f;
  std::vector<int> order;
  Variable v = f.leaf;
  for (int i = 0; i < 4; ++i) {
    v = f.tape.record("node", f.x, {v}, [&order, i](Gradients& grad) {
      order.push_back(i);
      grad.written(0).copy_from(grad.of_output());
    });
  }
  CHECK(f.tape.size() == 4);
  f.tape.backward(v, f.seed);
  CHECK(order == std::vector<int>{3, 2, 1, 0});
  CHECK(f.tape.size() == 0);
  CHECK(f.gradient() == f.seed.to_vector<double>());
}

// TP2
TEST_CASE("Tape: a value read several times gets the sum of its gradients", "[unit]") {
  // y = 2x + 3x + x: dx = 6 dy, for a leaf and for a node's output, and through each way of handing
  // a gradient over.
  Fixture f;
  const bool through_node = GENERATE(false, true);
  const Variable v = through_node ? f.copied() : f.leaf;
  const Variable two = scale(f.tape, v, 2);
  const Variable three = f.tape.record("node", f.x, {v}, [](Gradients& grad) {  // accumulated
    const auto dx = grad.accumulated(0);
    if (dx.accumulate == Accumulate::no) dx.tensor.fill_zero();
    for (int64_t i = 0; i < 6; ++i) dx.tensor.data<double>()[i] += 3 * grad.of_output().data<double>()[i];
  });
  const Variable one =
      f.tape.record("node", f.x, {v}, [](Gradients& grad) { grad.give(0, grad.of_output()); });
  f.tape.backward(add(f.tape, add(f.tape, two, three), one), f.seed);
  Values expected = f.seed.to_vector<double>();
  for (double& value : expected) value *= 6;
  CHECK(f.gradient() == expected);
}

TEST_CASE("Tape: one node that reads a value twice adds both contributions", "[unit]") {
  Fixture f;
  const Variable v = f.copied();
  f.tape.backward(add(f.tape, v, v), f.seed);
  CHECK(f.gradient() == Values{2, 20, 200, 2000, 20000, 200000});
}

TEST_CASE("Tape: leaves accumulate over tapes", "[unit]") {
  Fixture f;
  for (int pass = 1; pass <= 3; ++pass) {
    Tape tape(f.arena);
    tape.backward(scale(tape, tape.leaf(f.x, f.dx), 2), f.seed);
    CHECK(f.gradient()[1] == 20 * pass);
  }
}

TEST_CASE("Tape: views of columns fill their part of the whole's gradient", "[unit]") {
  Fixture f;
  const Variable whole = f.copied();
  const Variable left = f.tape.columns(whole, 0, 1), right = f.tape.columns(whole, 1, 3);
  CHECK(right.value().to_vector<double>() == Values{2, 3, 5, 6});
  CHECK(right.value().raw() == whole.value().data<double>() + 1);
  f.tape.backward(tests::join_columns(f.tape, {scale(f.tape, left, 2), scale(f.tape, right, 3)}), f.seed);
  CHECK(f.gradient() == Values{2, 30, 300, 2000, 30000, 300000});
}

TEST_CASE("Tape: a view read twice adds, and takes a given gradient", "[unit]") {
  Fixture f;
  const Variable whole = f.copied();
  const Variable left = f.tape.columns(whole, 0, 1), right = f.tape.columns(whole, 1, 3);
  const Variable given =
      f.tape.record("node", right.value(), {right}, [](Gradients& grad) { grad.give(0, grad.of_output()); });
  f.tape.backward(
      tests::join_columns(f.tape, {scale(f.tape, left, 1), add(f.tape, given, scale(f.tape, right, 2))}),
      f.seed);
  CHECK(f.gradient() == Values{1, 30, 300, 1000, 30000, 300000});
}

TEST_CASE("Tape: a gradient given to a view that has none yet lands in its part of the whole", "[unit]") {
  Fixture f;
  const Variable whole = f.copied();
  const Variable left = f.tape.columns(whole, 0, 1), right = f.tape.columns(whole, 1, 3);
  const Variable given =
      f.tape.record("node", right.value(), {right}, [](Gradients& grad) { grad.give(0, grad.of_output()); });
  f.tape.backward(tests::join_columns(f.tape, {scale(f.tape, left, 1), scale(f.tape, given, 2)}), f.seed);
  CHECK(f.gradient() == Values{1, 20, 200, 1000, 20000, 200000});
}

TEST_CASE("Tape: columns that nothing differentiates get zero", "[unit]") {
  Fixture f;
  const Variable whole = f.copied();
  const Variable left = f.tape.columns(whole, 0, 1), right = f.tape.columns(whole, 1, 3);
  scale(f.tape, left, 7);  // a dead end
  f.tape.backward(scale(f.tape, right, 1), matrix({1, 2, 3, 4}, 2));
  CHECK(f.gradient() == Values{0, 1, 2, 0, 3, 4});
}

TEST_CASE("Tape: columns of a leaf accumulate in the leaf", "[unit]") {
  Fixture f;
  f.dx.copy_from(f.seed);
  f.tape.backward(scale(f.tape, f.tape.columns(f.leaf, 1, 3), 2), matrix({1, 2, 3, 4}, 2));
  CHECK(f.gradient() == Values{1, 12, 104, 1000, 10006, 100008});
}

TEST_CASE("Tape: columns of a constant are a constant", "[unit]") {
  Fixture f;
  const Variable view = f.tape.columns(Variable(f.x), 1, 3);
  CHECK_FALSE(view.differentiable());
  CHECK(view.value().to_vector<double>() == Values{2, 3, 5, 6});
}

TEST_CASE("Tape: reading a value both whole and through views is an error", "[unit]") {
  Fixture f;
  const Variable whole = f.copied();
  const Variable left = f.tape.columns(whole, 0, 1), right = f.tape.columns(whole, 1, 3);
  const Variable joined = tests::join_columns(f.tape, {left, right});
  CHECK_THROWS_AS(f.tape.backward(add(f.tape, joined, whole), f.seed), Error);
}

TEST_CASE("Tape: views that overlap or leave a gap or nest are errors", "[unit]") {
  // Each would lose a gradient without a word.
  Fixture f;
  const Variable whole = f.copied();
  const Variable left = f.tape.columns(whole, 0, 2);
  CHECK_THROWS_AS(f.tape.columns(whole, 1, 3), Error);
  CHECK_THROWS_AS(f.tape.columns(left, 0, 1), Error);
  CHECK_THROWS_AS(f.tape.backward(scale(f.tape, left, 1), matrix({1, 2, 3, 4}, 2)), Error);
}

TEST_CASE("Tape: nodes that the output does not depend on are skipped", "[unit]") {
  Fixture f;
  bool ran = false;
  const Variable y = scale(f.tape, f.leaf, 2);
  f.tape.record("node", f.x, {y}, [&](Gradients&) { ran = true; });
  f.tape.backward(y, f.seed);
  CHECK_FALSE(ran);
  CHECK(f.gradient()[1] == 20);
}

TEST_CASE("Tape: an output without a gradient is undefined to its closure", "[unit]") {
  Fixture f;
  std::vector<bool> defined;
  const auto outputs = f.tape.record("node", std::vector<Tensor>{f.x, f.x}, {f.leaf}, [&](Gradients& grad) {
    defined = {grad.of_output(0).defined(), grad.of_output(1).defined()};
  });
  f.tape.backward(scale(f.tape, outputs[1], 1), f.seed);
  CHECK(defined == std::vector<bool>{false, true});
}

TEST_CASE("Tape: inference records nothing and its values are constants", "[unit]") {
  Fixture f;
  Tape tape(f.arena, Tape::Mode::inference);
  const Variable y = scale(tape, tape.leaf(f.x, f.dx), 2);
  CHECK_FALSE(tape.recording());
  CHECK(tape.size() == 0);
  CHECK_FALSE(y.differentiable());
  CHECK(y.value().to_vector<double>()[5] == 12);
  CHECK_THROWS_AS(tape.backward(y, f.seed), Error);
}

TEST_CASE("Tape: inference gives memory back as values go out of use", "[unit]") {
  Fixture f;
  Tape tape(f.arena, Tape::Mode::inference);
  Variable v = scale(tape, f.leaf, 1);
  const int64_t one = f.arena.used_bytes();
  for (int i = 0; i < 10; ++i) v = scale(tape, v, 2);
  CHECK(f.arena.used_bytes() == one);
}

TEST_CASE("Tape: backward returns the memory of values and gradients", "[unit]") {
  Fixture f;
  const int64_t before = f.arena.used_bytes();
  std::vector<int64_t> used;  // seen by the closures, last node first
  {
    Variable v = f.leaf;
    for (int i = 0; i < 8; ++i) {
      const Tensor y = f.tape.allocate({2, 3}, DType::f64);
      v = f.tape.record("node", y, {v}, [&used, saved = y](Gradients& grad) {
        used.push_back(grad.arena().used_bytes());
        grad.written(0).copy_from(grad.of_output());
      });
    }
    f.tape.backward(v, f.seed);
  }
  CHECK(f.arena.used_bytes() == before);
  REQUIRE(used.size() == 8);
  CHECK(used.back() < used.front());  // freed on the way, not at the end
}

TEST_CASE("Tape: a seed or a given gradient of the wrong shape is an error", "[unit]") {
  Fixture f;
  const Variable y = scale(f.tape, f.leaf, 1);
  CHECK_THROWS_AS(f.tape.backward(y, matrix({1, 2}, 1)), Error);
  const Variable z = f.tape.record("node", f.x, {y}, [](Gradients& grad) {
    grad.give(0, matrix({1, 2}, 1));
  });
  CHECK_THROWS_AS(f.tape.backward(z, f.seed), Error);
}

namespace {

class Diary : public TapeObserver {
 public:
  explicit Diary(const Arena& arena) : arena_(arena) {}
  void recorded(std::string_view name, const std::vector<Variable>& inputs,
                const std::vector<Variable>& outputs) override {
    names.emplace_back(name);
    reads.push_back(inputs);
    makes.push_back(outputs);
    forward_bytes.push_back(arena_.used_bytes());
  }
  void reached(size_t node, const std::vector<Tensor>& gradients) override {
    events.push_back("reach " + std::to_string(node));
    for (const Tensor& gradient : gradients) {
      if (gradient.defined()) seen.push_back(gradient.to_vector<double>()[1]);
    }
    before_bytes.push_back(arena_.used_bytes());
  }
  void released(size_t node) override {
    events.push_back("release " + std::to_string(node));
    after_bytes.push_back(arena_.used_bytes());
  }

  std::vector<std::string> names, events;
  std::vector<std::vector<Variable>> reads, makes;
  Values seen;
  std::vector<int64_t> forward_bytes, before_bytes, after_bytes;

 private:
  const Arena& arena_;
};

}  // namespace

TEST_CASE("Tape: an observer sees what is recorded, and the gradients in reverse order", "[unit]") {
  Fixture f;
  Diary diary(f.arena);
  f.tape.observe(&diary);
  const Variable two = scale(f.tape, f.leaf, 2);
  const Variable dead = scale(f.tape, two, 7);
  const Variable three = scale(f.tape, two, 3);
  const void* const written = two.value().raw();
  f.tape.backward(three, f.seed);
  REQUIRE(diary.names == std::vector<std::string>{"scale", "scale", "scale"});
  CHECK(diary.reads[0][0].slot() == f.leaf.slot());
  CHECK(diary.reads[2][0].slot() == diary.makes[0][0].slot());
  CHECK(diary.makes[0][0].value().raw() == written);
  // Nothing reads node 1's value: it is let go without having run.
  CHECK(diary.events ==
        std::vector<std::string>{"reach 2", "release 2", "release 1", "reach 0", "release 0"});
  // d/d three is the seed, d/d two is 3 times it.
  CHECK(diary.seen == Values{10, 30});
  CHECK(f.gradient() == Values{6, 60, 600, 6000, 60000, 600000});  // as nobody had looked
}

TEST_CASE("Tape: an observer sees memory rise forward and fall backward", "[unit]") {
  Fixture f;
  Diary diary(f.arena);
  f.tape.observe(&diary);
  {
    Variable v = f.leaf;
    for (int i = 0; i < 8; ++i) {
      const Tensor y = f.tape.allocate({2, 3}, DType::f64);
      v = f.tape.record("node", y, {v},
                        [saved = y](Gradients& grad) { grad.written(0).copy_from(grad.of_output()); });
    }
    diary.reads.clear(), diary.makes.clear();  // no shares in the memory
    f.tape.backward(v, f.seed);
  }
  CHECK(std::is_sorted(diary.forward_bytes.begin(), diary.forward_bytes.end()));
  CHECK(std::is_sorted(diary.after_bytes.rbegin(), diary.after_bytes.rend()));
  CHECK(diary.forward_bytes.front() < diary.forward_bytes.back());
  CHECK(diary.after_bytes.back() < diary.before_bytes.front());
}
