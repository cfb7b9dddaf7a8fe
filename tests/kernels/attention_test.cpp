// Expectations: the definition in f64 (tests/cases/attention.h), central differences, and worked
// numbers whose origin the test names.
#include "kernels/attention.h"

#include <algorithm>

#include "tests/cases/attention.h"
#include "tests/cases/dropout_factor.h"
#include "tests/support/catch.h"
#include "tests/support/gradcheck.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

constexpr int64_t kLongPath = kShortKeys + 1;
const Target kExact{Device::cpu(), DType::f64};
const Target kPlain{Device::cpu(), DType::f32};

enum class Path { short_path, long_path };

// A case's tensors: q, k, v are views of the columns of one wider matrix, as in a fused projection;
// it starts `shift` columns in, so that rows begin at no round address.
struct Problem {
  Problem(const AttentionCase& c, const Target& t, Path path, float p_drop, int64_t shift = 0) {
    const int64_t D = c.D(), Dk = c.Dk();
    const auto columns = [&](const Tensor& x, int64_t width, int64_t part) {
      return x.slice_columns(shift + part * width, shift + (part + 1) * width);
    };
    q = columns(t.random({c.Tq(), shift + 3 * D}, 1), D, 1);
    k = columns(t.random({c.Tk(), shift + 2 * Dk}, 2), Dk, 0);
    v = columns(t.random({c.Tk(), shift + 2 * Dk}, 3), Dk, 1);
    grad_o = columns(t.random({c.Tq(), shift + D}, 4), D, 0);
    o = columns(t.poisoned({c.Tq(), shift + D}), D, 0);
    dq = columns(t.poisoned({c.Tq(), shift + 3 * D}), D, 1);
    dk = columns(t.poisoned({c.Tk(), shift + 2 * Dk}), Dk, 0);
    dv = columns(t.poisoned({c.Tk(), shift + 2 * Dk}), Dk, 1);
    query_offsets = t.ids(offsets_of(c.query_lengths));
    key_offsets = t.ids(offsets_of(c.key_lengths));
    const int64_t max_keys = path == Path::long_path ? std::max(kLongPath, c.longest_key()) : kShortKeys;
    shape = {.heads = c.heads, .max_keys = max_keys, .causal = c.causal, .scale = c.scale()};
    if (shape.is_long()) lse = t.poisoned_sums({c.heads, c.Tq()});
    host_dropout = test_dropout(p_drop, 1000);
    dropout = dropout_on(t.device, host_dropout);
  }
  void forward() const { attention_forward(q, k, v, query_offsets, key_offsets, shape, dropout, o, lse); }
  void backward() const {
    attention_backward(grad_o, q, k, v, o, lse, query_offsets, key_offsets, shape, dropout, dq, dk, dv);
  }
  auto factor() const {
    return [this](int64_t token, int64_t h, int64_t j) {
      return dropout_factor(host_dropout, token, (h << 16) + j);
    };
  }
  AttentionReference reference(const AttentionCase& c) const {
    return attention_reference(c, as_doubles(q), as_doubles(k), as_doubles(v), factor());
  }
  AttentionGradients gradients(const AttentionCase& c) const {
    return attention_gradients(c, as_doubles(q), as_doubles(k), as_doubles(v), as_doubles(grad_o),
                               reference(c).p, factor());
  }
  Tensor q, k, v, o, lse, grad_o, dq, dk, dv, query_offsets, key_offsets;
  AttentionShape shape;
  Dropout dropout, host_dropout;
};

template <typename Body>
void for_every_problem(const Body& body) {
  for (const Path path : {Path::short_path, Path::long_path}) {
    auto cases = attention_cases();
    if (path == Path::long_path) {
      for (const auto& c : long_attention_cases()) cases.push_back(c);
    }
    for (const auto& c : cases) {
      for (const float p_drop : {0.0f, 0.3f}) {
        INFO(c.reason << ", " << (path == Path::long_path ? "long" : "short") << " path, dropout " << p_drop);
        body(c, path, p_drop);
      }
    }
  }
}

// bf16 rounds twice on the way to o: the probabilities, for the tensor cores, and o itself.
void check_forward(const AttentionCase& c, const Target& t, const Problem& problem) {
  problem.forward();
  const AttentionReference expected = problem.reference(c);
  CHECK(max_relative_error(problem.o, expected.o) <
        (t.dtype == DType::bf16 ? 1.5 : 1) * t.forward_tolerance());
  if (problem.lse.defined()) {
    CHECK(max_relative_error(problem.lse, expected.lse, 1.0) < tolerance(t.accumulator()));
  }
}

// Gradients with few keys are differences of large terms, one of which, in bf16 on the long path,
// is computed from the rounded o: hence the floor under the denominator, and twice the tolerance.
void check_backward(const AttentionCase& c, const Target& t, const Problem& problem) {
  problem.backward();
  const AttentionGradients expected = problem.gradients(c);
  CHECK(max_relative_error(problem.dq, expected.dq, 1e-2) < 2 * t.gradient_tolerance());
  CHECK(max_relative_error(problem.dk, expected.dk, 1e-2) < 2 * t.gradient_tolerance());
  CHECK(max_relative_error(problem.dv, expected.dv, 1e-2) < 2 * t.gradient_tolerance());
}

}  // namespace

// AT1, AT2, AT3, AT4; AT5, AT6, AT7, AT8; on the long path AT9, AT10; with fewer key heads AT11,
// AT12
TEST_CASE("Attention: o, lse and the gradients agree with the definition on both paths", "[unit][device]") {
  for (const Target& t : targets()) {
    INFO(name_of(t));
    for_every_problem([&](const AttentionCase& c, Path path, float p_drop) {
      const Problem problem(c, t, path, p_drop);
      check_forward(c, t, problem);
      check_backward(c, t, problem);
    });
  }
}

TEST_CASE("Attention: rows at odd addresses", "[unit][device]") {
  const AttentionCase c{"views that begin at an odd column", 2, 32, {20, 3}, {9, 18}, false};
  for (const Target& t : targets()) {
    for (const Path path : {Path::short_path, Path::long_path}) {
      INFO(name_of(t) << ", " << (path == Path::long_path ? "long" : "short") << " path");
      const Problem problem(c, t, path, 0.3f, 1);
      check_forward(c, t, problem);
      check_backward(c, t, problem);
    }
  }
}

TEST_CASE("Attention: more than 65,535 sentences and heads", "[unit][device]") {
  const AttentionCase c = many_sentences_case();
  const Target t = targets().front();  // the short path has a block for each
  const Problem problem(c, t, Path::short_path, 0.3f);
  check_forward(c, t, problem);
  check_backward(c, t, problem);
}

TEST_CASE("Attention: as many keys as there may be", "[unit][device]") {
  const AttentionCase c = most_keys_case();
  const Target t = targets().front();  // the counter knows of no type
  const Problem problem(c, t, Path::long_path, 0.3f);
  check_forward(c, t, problem);
  check_backward(c, t, problem);
}

TEST_CASE("Attention: gradients agree with central differences on both paths", "[grad]") {
  for_every_problem([](const AttentionCase& c, Path path, float p_drop) {
    if (c.Tq() * c.D() > 800 || c.spare > 0)
      return;  // the larger cases are compared with the
               // definition
    const Problem problem(c, kExact, path, p_drop);
    problem.forward();
    problem.backward();
    const auto loss = [&] {
      problem.forward();
      return weighted_sum(problem.o, problem.grad_o);
    };
    CHECK(gradient_error(loss, problem.q, problem.dq) < 1e-6);
    CHECK(gradient_error(loss, problem.k, problem.dk) < 1e-6);
    CHECK(gradient_error(loss, problem.v, problem.dv) < 1e-6);
  });
}

TEST_CASE("Attention: the same bits at one and two threads, and twice", "[unit]") {
  AttentionCase c{"enough tokens for two threads", 4,    32, std::vector<int32_t>(40, 13),
                  std::vector<int32_t>(40, 17),    false};
  c.group = GENERATE(1, 2);
  for (const Path path : {Path::short_path, Path::long_path}) {
    CHECK(same_bits_at_any_thread_count([&] {
      const Problem problem(c, kPlain, path, 0.1f);
      problem.forward();
      problem.backward();
      return std::vector<Tensor>{problem.o, problem.dq, problem.dk, problem.dv};
    }));
  }
}

TEST_CASE("Attention: the same bits twice", "[unit][device]") {
  AttentionCase c{"two tiles of queries, spare rows", 2, 32, {70, 13}, {64, 13}, true, 2};
  c.group = GENERATE(1, 2);
  for (const Target& t : targets()) {
    for (const Path path : {Path::short_path, Path::long_path}) {
      const Problem a(c, t, path, 0.1f), b(c, t, path, 0.1f);
      for (const Problem* const problem : {&a, &b}) {
        problem->forward();
        problem->backward();
      }
      CHECK((same_bits(a.o, b.o) && same_bits(a.dq, b.dq) && same_bits(a.dk, b.dk) && same_bits(a.dv, b.dv)));
    }
  }
}

TEST_CASE("Attention: weights of every sentence agree with the definition and are zero beyond it",
          "[unit][device]") {
  auto cases = attention_cases();
  cases.push_back({"more keys than the short path has, causal", 2, 3, {3, 150}, {90, 101}, true});
  for (const Target& t : targets()) {
    for (const auto& c : cases) {
      INFO(name_of(t) << ", " << c.reason);
      const Problem problem(c, t, Path::short_path, 0);
      const Tensor p = t.poisoned({c.B(), c.heads, c.longest_query(), c.longest_key()});
      attention_weights(problem.q, problem.k, problem.query_offsets, problem.key_offsets, problem.shape, p);
      CHECK(max_relative_error(p, problem.reference(c).p) < t.forward_tolerance());
    }
  }
}

TEST_CASE("Attention: a decoding step equals the last query of causal attention, through a shuffled cache",
          "[unit][device]") {
  const AttentionCase wide{"hypotheses of different length", 2, 16, {5, 1, 9}, {5, 1, 9}, true};
  const AttentionCase odd{"more keys than lanes, odd width", 3, 37, {33, 100, 32, 2}, {33, 100, 32, 2}, true};
  const AttentionCase grouped{"two key heads for six", 6, 16, {5, 33}, {5, 33}, true, 0, 3};
  for (const Target& t : targets()) {
    for (const AttentionCase& c : {wide, odd, grouped}) {
      INFO(name_of(t) << ", " << c.reason);
      const Problem problem(c, t, Path::short_path, 0);
      const auto expected = problem.reference(c).o;
      const int64_t D = c.D(), Dk = c.Dk(), S = c.longest_key() + 1, R = c.B() + 1;
      const auto k = as_doubles(problem.k), v = as_doubles(problem.v), q = as_doubles(problem.q);
      std::vector<double> cache_k(k.size()), cache_v(v.size()), last_q, last_o;
      std::vector<int32_t> rows(static_cast<size_t>(R * S), -1);  // unused entries must not be read
      for (int64_t b = 0, token = 0; b < c.B(); ++b) {
        for (int64_t j = 0; j < c.key_lengths[b]; ++j, ++token) {
          const int64_t row = c.Tk() - 1 - token;
          rows[b * S + j] = static_cast<int32_t>(row);
          std::copy_n(&k[token * Dk], Dk, &cache_k[row * Dk]);
          std::copy_n(&v[token * Dk], Dk, &cache_v[row * Dk]);
        }
        last_q.insert(last_q.end(), &q[(token - 1) * D], &q[(token - 1) * D] + D);
        last_o.insert(last_o.end(), &expected[(token - 1) * D], &expected[(token - 1) * D] + D);
      }
      last_q.resize(static_cast<size_t>(R * D), 1.0);  // the last hypothesis has no keys
      last_o.resize(static_cast<size_t>(R * D), 0.0);
      auto lengths = c.key_lengths;
      lengths.push_back(0);
      const Tensor o = t.poisoned({R, D});
      attention_step(t.tensor(last_q, {R, D}), t.tensor(cache_k, {c.Tk(), Dk}),
                     t.tensor(cache_v, {c.Tk(), Dk}), t.ids(rows, {R, S}), t.ids(lengths), c.heads, c.scale(),
                     o);
      CHECK(max_relative_error(o, last_o) < t.forward_tolerance());
    }
  }
}

TEST_CASE(
    "Attention: query heads that share a key head are as heads with copies of it, whose gradients add up",
    "[unit][device]") {
  const AttentionCase shared{"two key heads for four", 4, 8, {7, 20}, {7, 20}, true, 0, 2};
  AttentionCase copied = shared;
  copied.group = 1;
  for (const Target& t : targets()) {
    for (const Path path : {Path::short_path, Path::long_path}) {
      INFO(name_of(t) << ", " << (path == Path::long_path ? "long" : "short") << " path");
      const Problem few(shared, t, path, 0.3f), many(copied, t, path, 0.3f);
      const auto head = [](const Tensor& x, int64_t h) { return x.slice_columns(8 * h, 8 * (h + 1)); };
      for (int64_t h = 0; h < 4; ++h) {
        head(many.k, h).copy_from(head(few.k, h / 2));
        head(many.v, h).copy_from(head(few.v, h / 2));
      }
      few.forward(), many.forward();
      few.backward(), many.backward();
      CHECK(same_bits(few.o, many.o));
      CHECK(same_bits(few.dq, many.dq));
      for (int64_t h = 0; h < 4; h += 2) {
        auto sums = as_doubles(head(many.dk, h));
        const auto second = as_doubles(head(many.dk, h + 1));
        for (size_t i = 0; i < sums.size(); ++i) sums[i] += second[i];
        CHECK(max_relative_error(head(few.dk, h / 2), sums, 1e-2) < 2 * t.gradient_tolerance());
      }
    }
  }
}

TEST_CASE("Attention: the worked example of three tokens of width two", "[golden][device]") {
  // Q = K = [[1,0],[0,1],[1,1]], V = [[1,2],[3,4],[5,6]]: by hand, e.g. row 1 scores (1, 0, 1)/sqrt
  // 2.
  for (const Target& t : targets()) {
    INFO(name_of(t));
    const double six_digits = std::max(2e-6, t.forward_tolerance());
    const Tensor q = t.tensor({1, 0, 0, 1, 1, 1}, {3, 2}), v = t.tensor({1, 2, 3, 4, 5, 6}, {3, 2});
    const Tensor offsets = t.ids({0, 3}), o = t.poisoned({3, 2}), p = t.poisoned({1, 1, 3, 3});
    AttentionShape shape{.heads = 1, .max_keys = 3, .causal = false, .scale = 1 / std::sqrt(2.0f)};
    attention_forward(q, q, v, offsets, offsets, shape, {}, o, {});
    CHECK(max_relative_error(o, {3, 4, 3.406672, 4.406672, 3.510470, 4.510470}) < six_digits);
    attention_weights(q, q, offsets, offsets, shape, p);
    CHECK(max_relative_error(p, {.401112, .197776, .401112, .197776, .401112, .401112, .248255, .248255,
                                 .503490}) < six_digits);
    shape.causal = true;
    attention_forward(q, q, v, offsets, offsets, shape, {}, o, {});
    CHECK(max_relative_error(o, {1, 2, 2.339523, 3.339523, 3.510470, 4.510470}) < six_digits);
  }
}

TEST_CASE("Attention: a key that is NaN makes all of a query's weights NaN", "[unit][device]") {
  for (const Target& t : targets()) {
    auto values = random_values(40 * 2, 1);
    values[7 * 2] = std::nan("");
    const Tensor q = t.random({40, 2}, 2), k = t.tensor(values, {40, 2}), offsets = t.ids({0, 40}),
                 p = t.poisoned({1, 1, 40, 40});
    attention_weights(q, k, offsets, offsets, {.heads = 1, .max_keys = 40, .scale = 1}, p);
    const auto weights = as_doubles(p);
    INFO(name_of(t));
    CHECK(std::ranges::all_of(weights, [](double weight) { return std::isnan(weight); }));
  }
}

TEST_CASE("Attention: a later token changes no earlier output when causal", "[unit][device]") {
  const AttentionCase c{"one sentence", 2, 16, {12}, {12}, true};
  for (const Target& t : targets()) {
    for (const Path path : {Path::short_path, Path::long_path}) {
      const Problem problem(c, t, path, 0);
      problem.forward();
      const auto before = as_doubles(problem.o.slice_rows(0, 11));
      const Tensor other = t.random({1, c.D()}, 9, 2, 5);
      for (const Tensor& x : {problem.q, problem.k, problem.v}) x.slice_rows(11, 12).copy_from(other);
      problem.forward();
      CHECK(as_doubles(problem.o.slice_rows(0, 11)) == before);
    }
  }
}

TEST_CASE("Attention: spare rows past the last sentence are not read and come out zero", "[unit][device]") {
  const AttentionCase c{"two sentences", 2, 4, {3, 2}, {3, 2}, false};
  for (const Target& t : targets()) {
    for (const Path path : {Path::short_path, Path::long_path}) {
      Problem problem(c, t, path, 0);
      problem.query_offsets = problem.key_offsets = t.ids({0, 3, 3});
      for (const Tensor& x : {problem.q, problem.k, problem.v, problem.grad_o}) {
        x.slice_rows(3, 5).copy_from(t.poisoned({2, c.D()}));
      }
      problem.forward();
      problem.backward();
      for (const Tensor& x : {problem.o, problem.dq, problem.dk, problem.dv}) {
        CHECK(as_doubles(x.slice_rows(3, 5)) == std::vector<double>(16, 0.0));
        CHECK(max_relative_error(x, x) == 0);  // no NaN came in from them
      }
      if (problem.lse.defined())
        CHECK(as_doubles(problem.lse)[4] == -std::numeric_limits<double>::infinity());
    }
  }
}

TEST_CASE("Attention: refuses shapes that do not fit together", "[unit]") {
  const AttentionCase c{"two sentences", 2, 4, {3, 2}, {3, 2}, false};
  const Problem good(c, kPlain, Path::short_path, 0);
  const auto refuses = [&](auto change) {
    Problem bad = good;
    change(bad);
    CHECK_THROWS_AS(bad.forward(), Error);
  };
  refuses([](Problem& p) { p.shape.heads = 3; });
  refuses([](Problem& p) { p.shape.max_keys = 2; });
  refuses([](Problem& p) { p.shape.max_keys = 100; });  // the long path needs lse
  refuses([](Problem& p) { p.k = p.k.slice_rows(0, 4); });
  refuses([](Problem& p) { p.k = p.v = poisoned({5, 3}, DType::f32); });  // no whole head
  // more heads than queries have
  refuses([](Problem& p) { p.k = p.v = poisoned({5, 12}, DType::f32); });
  refuses([](Problem& p) { p.o = poisoned({5, 9}, DType::f32); });
  refuses([](Problem& p) { p.v = poisoned({5, 8}, DType::f64); });
  refuses([](Problem& p) { p.key_offsets = Tensor::from(std::vector<int32_t>{0, 5}); });
  refuses([](Problem& p) { p.key_offsets = Tensor::from(std::vector<int32_t>{0, 4, 2}); });
  refuses([](Problem& p) { p.key_offsets = Tensor::from(std::vector<int32_t>{0, 3, 6}); });
}
