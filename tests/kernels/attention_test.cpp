// Expectations: the definition in f64 (tests/cases/attention.h), central differences, and worked numbers
// whose origin the test names.
#include "kernels/attention.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/cases/attention.h"
#include "tests/cases/dropout_factor.h"
#include "tests/support/compare.h"
#include "tests/support/gradcheck.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

constexpr int64_t kLongPath = kShortKeys + 1;

enum class Path { short_path, long_path };

// A case's tensors: q, k, v are views of the columns of one wider matrix, as in a fused projection.
struct Problem {
  Problem(const AttentionCase& c, DType dtype, Path path, float p_drop) {
    const int64_t D = c.D();
    q = random_tensor({c.Tq(), 3 * D}, dtype, 1).slice_columns(D, 2 * D);
    k = random_tensor({c.Tk(), 2 * D}, dtype, 2).slice_columns(0, D);
    v = random_tensor({c.Tk(), 2 * D}, dtype, 3).slice_columns(D, 2 * D);
    grad_o = random_tensor({c.Tq(), D}, dtype, 4);
    o = poisoned({c.Tq(), D}, dtype);
    dq = poisoned({c.Tq(), 3 * D}, dtype).slice_columns(D, 2 * D);
    dk = poisoned({c.Tk(), 2 * D}, dtype).slice_columns(0, D);
    dv = poisoned({c.Tk(), 2 * D}, dtype).slice_columns(D, 2 * D);
    query_offsets = Tensor::from(offsets_of(c.query_lengths));
    key_offsets = Tensor::from(offsets_of(c.key_lengths));
    const int64_t longest = *std::max_element(c.key_lengths.begin(), c.key_lengths.end());
    const int64_t max_keys = path == Path::long_path ? std::max(kLongPath, longest) : kShortKeys;
    shape = {.heads = c.heads, .max_keys = max_keys, .causal = c.causal, .scale = c.scale()};
    if (shape.is_long()) lse = poisoned({c.heads, c.Tq()}, dtype);
    dropout = test_dropout(p_drop, 1000);
  }
  void forward() const { attention_forward(q, k, v, query_offsets, key_offsets, shape, dropout, o, lse); }
  void backward() const {
    attention_backward(grad_o, q, k, v, o, lse, query_offsets, key_offsets, shape, dropout, dq, dk, dv);
  }
  AttentionReference reference(const AttentionCase& c) const {
    return attention_reference(
        c, as_doubles(q), as_doubles(k), as_doubles(v),
        [&](int64_t token, int64_t h, int64_t j) { return dropout_factor(dropout, token, (h << 16) + j); });
  }
  Tensor q, k, v, o, lse, grad_o, dq, dk, dv, query_offsets, key_offsets;
  AttentionShape shape;
  Dropout dropout;
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

}  // namespace

TEST_CASE("Attention: o and lse agree with the definition on both paths", "[unit]") {
  for_every_problem([](const AttentionCase& c, Path path, float p_drop) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Problem problem(c, dtype, path, p_drop);
      problem.forward();
      const AttentionReference expected = problem.reference(c);
      CHECK(max_relative_error(problem.o, expected.o) < tolerance(dtype));
      if (problem.lse.defined()) CHECK(max_relative_error(problem.lse, expected.lse, 1.0) < tolerance(dtype));
    }
  });
}

TEST_CASE("Attention: gradients agree with central differences on both paths", "[grad]") {
  for_every_problem([](const AttentionCase& c, Path path, float p_drop) {
    if (c.Tq() * c.D() > 800) return;  // the wider cases are compared with these in the next test
    const Problem problem(c, DType::f64, path, p_drop);
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

TEST_CASE("Attention: the long path's gradients equal the short path's, f32's equal f64's", "[unit]") {
  for (const auto& c : attention_cases()) {
    for (const float p_drop : {0.0f, 0.3f}) {
      INFO(c.reason << ", dropout " << p_drop);
      const Problem expected(c, DType::f64, Path::short_path, p_drop);
      expected.forward();
      expected.backward();
      for (const DType dtype : {DType::f32, DType::f64}) {
        for (const Path path : {Path::short_path, Path::long_path}) {
          const Problem problem(c, dtype, path, p_drop);
          problem.forward();
          problem.backward();
          CHECK(max_relative_error(problem.dq, expected.dq, 1e-2) < 2 * tolerance(dtype));
          CHECK(max_relative_error(problem.dk, expected.dk, 1e-2) < 2 * tolerance(dtype));
          CHECK(max_relative_error(problem.dv, expected.dv, 1e-2) < 2 * tolerance(dtype));
        }
      }
    }
  }
}

TEST_CASE("Attention: the same bits at one and two threads, and twice", "[unit]") {
  const AttentionCase c{"enough tokens for two threads", 4,    32, std::vector<int32_t>(40, 13),
                        std::vector<int32_t>(40, 17),    false};
  for (const Path path : {Path::short_path, Path::long_path}) {
    CHECK(same_bits_at_any_thread_count([&] {
      const Problem problem(c, DType::f32, path, 0.1f);
      problem.forward();
      problem.backward();
      return std::vector<Tensor>{problem.o, problem.dq, problem.dk, problem.dv};
    }));
  }
}

TEST_CASE("Attention: weights of every sentence agree with the definition and are zero beyond it", "[unit]") {
  for (const auto& c : attention_cases()) {
    INFO(c.reason);
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Problem problem(c, dtype, Path::short_path, 0);
      const int64_t Sq = *std::max_element(c.query_lengths.begin(), c.query_lengths.end());
      const int64_t Sk = *std::max_element(c.key_lengths.begin(), c.key_lengths.end());
      const Tensor p = poisoned({static_cast<int64_t>(c.query_lengths.size()), c.heads, Sq, Sk}, dtype);
      attention_weights(problem.q, problem.k, problem.query_offsets, problem.key_offsets, problem.shape, p);
      CHECK(max_relative_error(p, problem.reference(c).p) < tolerance(dtype));
    }
  }
}

TEST_CASE("Attention: a decoding step equals the last query of causal attention, through a shuffled cache",
          "[unit]") {
  const AttentionCase c{"three hypotheses of different length", 2, 16, {5, 1, 9}, {5, 1, 9}, true};
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Problem problem(c, dtype, Path::short_path, 0);
    const auto expected = problem.reference(c).o;
    const int64_t D = c.D(), S = 10;
    const auto k = as_doubles(problem.k), v = as_doubles(problem.v), q = as_doubles(problem.q);
    std::vector<double> cache_k(k.size()), cache_v(v.size()), last_q, last_o;
    std::vector<int32_t> rows(3 * S, -1);  // unused entries must not be read
    for (int64_t b = 0, token = 0; b < 3; ++b) {
      for (int64_t j = 0; j < c.key_lengths[b]; ++j, ++token) {
        const int64_t row = c.Tk() - 1 - token;
        rows[b * S + j] = static_cast<int32_t>(row);
        std::copy_n(&k[token * D], D, &cache_k[row * D]);
        std::copy_n(&v[token * D], D, &cache_v[row * D]);
      }
      last_q.insert(last_q.end(), &q[(token - 1) * D], &q[(token - 1) * D] + D);
      last_o.insert(last_o.end(), &expected[(token - 1) * D], &expected[(token - 1) * D] + D);
    }
    const Tensor o = poisoned({3, D}, dtype);
    attention_step(tensor_of(last_q, {3, D}, dtype), tensor_of(cache_k, {c.Tk(), D}, dtype),
                   tensor_of(cache_v, {c.Tk(), D}, dtype), Tensor::from(rows, {3, S}),
                   Tensor::from(c.key_lengths), c.heads, c.scale(), o);
    CHECK(max_relative_error(o, last_o) < tolerance(dtype));
  }
}

TEST_CASE("Attention: the worked example of three tokens of width two", "[golden]") {
  // Q = K = [[1,0],[0,1],[1,1]], V = [[1,2],[3,4],[5,6]]: by hand, e.g. row 1 scores (1, 0, 1)/sqrt 2.
  const Tensor q = Tensor::from(std::vector<float>{1, 0, 0, 1, 1, 1}, {3, 2});
  const Tensor v = Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2});
  const Tensor offsets = Tensor::from(std::vector<int32_t>{0, 3}), o = poisoned({3, 2}, DType::f32);
  AttentionShape shape{.heads = 1, .max_keys = 3, .causal = false, .scale = 1 / std::sqrt(2.0f)};
  attention_forward(q, q, v, offsets, offsets, shape, {}, o, {});
  CHECK(max_relative_error(o, std::vector<double>{3, 4, 3.406672, 4.406672, 3.510470, 4.510470}) < 1e-6);
  const Tensor p = poisoned({1, 1, 3, 3}, DType::f32);
  attention_weights(q, q, offsets, offsets, shape, p);
  CHECK(max_relative_error(p, std::vector<double>{.401112, .197776, .401112, .197776, .401112, .401112,
                                                  .248255, .248255, .503490}) < 2e-6);
  shape.causal = true;
  attention_forward(q, q, v, offsets, offsets, shape, {}, o, {});
  CHECK(max_relative_error(o, std::vector<double>{1, 2, 2.339523, 3.339523, 3.510470, 4.510470}) < 1e-6);
}

TEST_CASE("Attention: a later token changes no earlier output when causal", "[unit]") {
  const AttentionCase c{"one sentence", 2, 16, {12}, {12}, true};
  for (const Path path : {Path::short_path, Path::long_path}) {
    const Problem problem(c, DType::f32, path, 0);
    problem.forward();
    const auto before = problem.o.slice_rows(0, 11).to_vector<float>();
    for (const Tensor& x : {problem.q, problem.k, problem.v}) x.slice_rows(11, 12).data<float>()[0] += 3;
    problem.forward();
    CHECK(problem.o.slice_rows(0, 11).to_vector<float>() == before);
  }
}

TEST_CASE("Attention: spare rows past the last sentence come out zero", "[unit]") {
  const AttentionCase c{"two sentences", 2, 4, {3, 2}, {3, 2}, false};
  Problem problem(c, DType::f32, Path::long_path, 0);
  problem.query_offsets = problem.key_offsets = Tensor::from(std::vector<int32_t>{0, 3, 3});
  problem.forward();
  problem.backward();
  for (const Tensor& x : {problem.o, problem.dq, problem.dk, problem.dv}) {
    CHECK(as_doubles(x.slice_rows(3, 5)) == std::vector<double>(16, 0.0));
  }
}

TEST_CASE("Attention: refuses shapes that do not fit together", "[unit]") {
  const AttentionCase c{"two sentences", 2, 4, {3, 2}, {3, 2}, false};
  const Problem good(c, DType::f32, Path::short_path, 0);
  const auto refuses = [&](auto change) {
    Problem bad = good;
    change(bad);
    CHECK_THROWS_AS(bad.forward(), Error);
  };
  refuses([](Problem& p) { p.shape.heads = 3; });
  refuses([](Problem& p) { p.shape.max_keys = 2; });
  refuses([](Problem& p) { p.shape.max_keys = 100; });  // the long path needs lse
  refuses([](Problem& p) { p.k = p.k.slice_rows(0, 4); });
  refuses([](Problem& p) { p.o = poisoned({5, 9}, DType::f32); });
  refuses([](Problem& p) { p.v = poisoned({5, 8}, DType::f64); });
  refuses([](Problem& p) { p.key_offsets = Tensor::from(std::vector<int32_t>{0, 5}); });
  refuses([](Problem& p) { p.key_offsets = Tensor::from(std::vector<int32_t>{0, 4, 2}); });
  refuses([](Problem& p) { p.key_offsets = Tensor::from(std::vector<int32_t>{0, 3, 6}); });
}
