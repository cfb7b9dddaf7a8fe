// Expectations: Philox one element at a time (kernels/dropout.h, whose generator has its own
// known-answer test), and the binomial distribution.
#include "kernels/dropout.h"

#include <algorithm>

#include "kernels/cpu/philox_row.h"
#include "tests/cases/dropout.h"
#include "tests/support/catch.h"
#include "tests/support/odd_view.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

// DR1, DR2; in the backward pass of every op that drops, DR3
TEST_CASE("Dropout: every element is what its counter says, in place and through views", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const auto& c : dropout_cases()) {
      INFO(c.reason << ", " << name_of(t));
      const Dropout host = test_dropout(0.3f, 77), dropout = dropout_on(t.device, host);
      const Tensor x = t.poisoned({c.N, c.D + 3}).slice_columns(1, c.D + 1), y = t.poisoned({c.N, c.D});
      const Tensor dense = t.random({c.N, c.D}, 1), unaligned = odd_view(dense);
      x.copy_from(dense);
      auto expected = as_doubles(dense);
      for (int64_t n = 0; n < c.N; ++n) {
        for (int64_t i = 0; i < c.D; ++i) expected[n * c.D + i] *= dropout_factor(host, n, i);
      }
      kernels::dropout(x, dropout, y);
      CHECK(max_relative_error(y, expected) < (t.dtype == DType::bf16 ? t.forward_tolerance() : 1e-7));
      for (const Tensor& in_place : {x, dense, unaligned}) {
        kernels::dropout(in_place, dropout, in_place);
        CHECK(same_bits(in_place, y));
      }
    }
  }
}

TEST_CASE("Dropout: a batch cut in two drops the same elements", "[unit][device]") {
  for (const Target& t : targets()) {
    const auto at = [&](int32_t first_row) { return dropout_on(t.device, test_dropout(0.5f, first_row)); };
    const Tensor x = t.random({40, 129}, 1), whole = t.poisoned({40, 129}), parts = t.poisoned({40, 129});
    kernels::dropout(x, at(100), whole);
    kernels::dropout(x.slice_rows(0, 13), at(100), parts.slice_rows(0, 13));
    kernels::dropout(x.slice_rows(13, 40), at(113), parts.slice_rows(13, 40));
    CHECK(same_bits(whole, parts));
  }
}

TEST_CASE("Dropout: drops the share p, and differs between sites and updates", "[unit][device]") {
  const int64_t N = 200, D = 512;  // sd of the share: sqrt(p (1-p) / (N D)) = 0.0009 at p = 0.1
  for (const Target& t : targets()) {
    const Tensor ones = t.tensor(std::vector<double>(static_cast<size_t>(N * D), 1.0), {N, D});
    const auto mask = [&](const Dropout& dropout) {
      const Tensor y = t.poisoned({N, D});
      kernels::dropout(ones, dropout_on(t.device, dropout), y);
      return as_doubles(y);
    };
    Dropout dropout = test_dropout(0.1f, 0);
    const auto first = mask(dropout);
    CHECK(static_cast<double>(std::count(first.begin(), first.end(), 0.0)) / static_cast<double>(N * D) ==
          Approx(0.1).margin(0.005));
    dropout.site += 1;
    CHECK(mask(dropout) != first);
    dropout.site -= 1;
    dropout.counter = Tensor::from(std::vector<int32_t>{12, 0});
    CHECK(mask(dropout) != first);
  }
}

TEST_CASE("Dropout: p = 0 copies, and needs no counter", "[unit][device]") {
  for (const Target& t : targets()) {
    const Tensor x = t.random({5, 33}, 1), y = t.poisoned({5, 33});
    kernels::dropout(x, {}, y);
    CHECK(same_bits(x, y));
  }
}

TEST_CASE("Dropout: lanes make the words of the definition", "[unit]") {
  const Dropout asked = test_dropout(0.1f);
  const DropoutArgs dropout = dropout_args(asked);
  uint64_t quads[kPhiloxLanes], rows[kPhiloxLanes];
  for (uint64_t l = 0; l < kPhiloxLanes; ++l) {
    quads[l] = l * l * 1000003 % 70001;
    rows[l] = l == 0 ? 0xffffffffu : l * 31337;  // its sum with the counter's second word passes
                                                 // 2^32
  }
  PhiloxWords words;
  philox_lanes(dropout, quads, rows, words);
  for (int l = 0; l < kPhiloxLanes; ++l) {
    const Philox four = dropout.words(static_cast<uint32_t>(quads[l]), static_cast<uint32_t>(rows[l]));
    CHECK(words.first[l] == (four.x[0] | uint64_t{four.x[1]} << 32));
    CHECK(words.second[l] == (four.x[2] | uint64_t{four.x[3]} << 32));
  }
}

TEST_CASE("Dropout: the same bits at one and two threads", "[unit]") {
  const Tensor x = random_tensor({700, 129}, DType::f32, 1);
  CHECK(same_bits_at_any_thread_count([&] {
    const Tensor y = poisoned({700, 129}, DType::f32);
    kernels::dropout(x, test_dropout(0.1f), y);
    return std::vector<Tensor>{y};
  }));
}

TEST_CASE("Dropout: refuses a p below 0 or not below 1 and an output of another shape", "[unit]") {
  const Tensor x = random_tensor({5, 3}, DType::f32, 1);
  CHECK_THROWS_AS(kernels::dropout(x, test_dropout(1.0f, 0), x), Error);
  CHECK_THROWS_AS(kernels::dropout(x, test_dropout(-0.1f, 0), x), Error);
  CHECK_THROWS_AS(kernels::dropout(x, {}, poisoned({3, 5}, DType::f32)), Error);
}
