#include "core/dist/collective.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/thread_ranks.h"

using namespace xf;
using namespace xf::tests;

namespace {

// What rank r begins with: of all magnitudes, so that another order of a sum has other bits.
std::vector<float> numbers_of(int rank, size_t n) {
  std::vector<float> numbers(n);
  for (size_t i = 0; i < n; ++i)
    numbers[i] =
        std::ldexp(static_cast<float>((i * 2654435761u + 977u * static_cast<size_t>(rank)) % 1000) - 500,
                   static_cast<int>((i + 3 * static_cast<size_t>(rank)) % 20));
  return numbers;
}

std::vector<float> sum_in_order(int ranks, size_t n) {
  std::vector<float> sum = numbers_of(0, n);
  for (int r = 1; r < ranks; ++r) {
    const std::vector<float> other = numbers_of(r, n);
    for (size_t i = 0; i < n; ++i) sum[i] += other[i];
  }
  return sum;
}

// Rank by rank; Catch's macros are for one thread.
template <typename T>
std::vector<T> from_each(int size, const std::function<T(Collective&)>& body, double timeout = 20) {
  std::vector<T> results(static_cast<size_t>(size));
  std::mutex mutex;
  as_ranks(
      size,
      [&](Collective& ranks) {
        T result = body(ranks);
        const std::scoped_lock lock(mutex);
        results[static_cast<size_t>(ranks.rank())] = std::move(result);
      },
      timeout);
  return results;
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("Collective: a sum has the bits of adding rank after rank, at every rank", "[unit]") {
  // 1: less than the ranks; 1024: the most that goes to everybody; three blocks of a piece.
  for (const int size : {1, 2, 3, 5}) {
    for (const size_t n : {size_t{1}, size_t{3}, size_t{1024}, size_t{1025}, size_t{40'003}}) {
      const auto sums = from_each<std::vector<float>>(size, [n](Collective& ranks) {
        std::vector<float> values = numbers_of(ranks.rank(), n);
        ranks.sum(std::span(values));
        return values;
      });
      const std::vector<float> expected = sum_in_order(size, n);
      for (const std::vector<float>& sum : sums) CHECK(sum == expected);
    }
  }
}

TEST_CASE("Collective: a sum of many blocks is that of one", "[unit]") {
  const size_t n = 9'000'001;  // 12 MB a piece, in blocks of 10.7
  const std::vector<float> expected = sum_in_order(3, n);
  const auto same = from_each<int>(3, [&](Collective& ranks) {
    std::vector<float> values = numbers_of(ranks.rank(), n);
    ranks.sum(std::span(values));
    return values == expected ? 1 : 0;
  });
  CHECK(same == std::vector{1, 1, 1});
}

TEST_CASE("Collective: a rank's piece is the sum after the first half, and everybody's after the second",
          "[unit]") {
  const size_t n = 5003;
  const std::vector<float> expected = sum_in_order(4, n);
  const auto halves = from_each<std::pair<bool, bool>>(4, [&](Collective& ranks) {
    std::vector<float> values = numbers_of(ranks.rank(), n);
    ranks.reduce_scatter(std::span(values));
    const auto [begin, end] = ranks.own_piece(static_cast<int64_t>(n));
    const bool first = std::equal(values.begin() + begin, values.begin() + end, expected.begin() + begin);
    ranks.all_gather(std::span(values));
    return std::pair(first, values == expected);
  });
  for (const auto& [first, second] : halves) CHECK((first && second));
}

TEST_CASE("Collective: of tensors it does what it does of numbers, and of bf16 gathers pieces", "[unit]") {
  const auto good = from_each<int>(3, [](Collective& ranks) {
    const auto n = int64_t{1001};
    const Tensor values = Tensor::from(numbers_of(ranks.rank(), n)),
                 halves = Tensor::from(numbers_of(ranks.rank(), n)),
                 copies = Tensor::from(numbers_of(ranks.rank(), n)),
                 small = Tensor::from(std::vector<double>{1.0 + ranks.rank()}),
                 pieces = Tensor::from(numbers_of(ranks.rank(), n)).to_bf16();
    const std::vector<float> sum = sum_in_order(3, n);
    ranks.sum(values);
    ranks.sum(small);
    ranks.reduce_scatter(halves);
    ranks.all_gather(halves);
    ranks.broadcast(copies);
    ranks.all_gather(pieces);
    bool gathered = true;
    for (int r = 0; r < 3; ++r) {
      const auto [begin, end] = ranks.piece_of(n, r);
      const Tensor own = Tensor::from(numbers_of(r, n)).to_bf16();
      gathered =
          gathered && std::memcmp(pieces.slice_rows(begin, end).raw(), own.slice_rows(begin, end).raw(),
                                  static_cast<size_t>(2 * (end - begin))) == 0;
    }
    return values.to_vector<float>() == sum && halves.to_vector<float>() == sum && gathered &&
                   small.to_vector<double>() == std::vector<double>{6} &&
                   copies.to_vector<float>() == numbers_of(0, n) && ranks.place_on_host() == ranks.rank()
               ? 1
               : 0;
  });
  CHECK(good == std::vector{1, 1, 1});
}

TEST_CASE("Collective: integers and doubles add up, too", "[unit]") {
  const auto sums = from_each<std::pair<int64_t, double>>(3, [](Collective& ranks) {
    std::vector<int64_t> integers(2000, int64_t{1} << (50 + ranks.rank()));
    std::vector<double> reals(2000, std::ldexp(1.0, -20 * ranks.rank()));
    ranks.sum(std::span(integers));
    ranks.sum(std::span(reals));
    return std::pair(integers.back(), reals.back());
  });
  for (const auto& [integer, real] : sums) {
    CHECK(integer == int64_t{7} << 50);
    CHECK(real == 1 + 0x1p-20 + 0x1p-40);
  }
}

TEST_CASE("Collective: the first rank's bytes come everywhere, and everybody's texts", "[unit]") {
  const auto seen = from_each<std::string>(3, [](Collective& ranks) {
    std::string bytes = ranks.is_first() ? "seven b" : ".......";
    ranks.broadcast(std::as_writable_bytes(std::span(bytes.data(), bytes.size())));
    const std::string word = ranks.broadcast(ranks.is_first() ? "a longer word" : "");
    std::string all = bytes + "," + word;
    for (const std::string& text : ranks.gather(std::string(static_cast<size_t>(ranks.rank()), 'x')))
      all += "," + text;
    return all;
  });
  for (const std::string& all : seen) CHECK(all == "seven b,a longer word,,x,xx");
}

TEST_CASE("Collective: texts that are equal are not sent, and where one is not all have all", "[unit]") {
  const auto seen = from_each<std::string>(3, [](Collective& ranks) {
    std::string all = fmt::format("{} ", ranks.gather_if_different(std::string(5000, 'x')).size());
    for (const std::string& text : ranks.gather_if_different(ranks.rank() == 2 ? "another" : "one"))
      all += text + ",";
    return all;
  });
  for (const std::string& all : seen) CHECK(all == "0 one,one,another,");
}

TEST_CASE("Collective: a rank that does other work is named, whichever sizes they send", "[unit]") {
  for (const int size : {2, 3}) {
    const auto errors = from_each<std::string>(size, [](Collective& ranks) {
      std::vector<int64_t> values(ranks.rank() == 1 ? 2000 : 1);
      std::string error;
      try {
        ranks.sum(std::span(values));
      } catch (const Error& caught) {
        error = caught.what();
        ranks.report_error(caught);
      }
      return error;
    });
    // With three, rank 2 may be the first to say it.
    for (const std::string& error : errors)
      CHECK_THAT(error, Catch::Contains("rank 1 (") && Catch::Contains("does not match"));
  }
}

TEST_CASE("Collective: a size that no text has is refused before there is memory for it", "[unit]") {
  for (const int64_t bytes : {int64_t{-1}, Collective::kMostTextBytes + 1, int64_t{1} << 62}) {
    const auto errors = from_each<std::string>(2, [bytes](Collective& ranks) {
      if (ranks.is_first()) return error_of([&] { ranks.gather("text"); });
      int64_t sent = bytes;
      ranks.sum(std::span(&sent, 1));
      return std::string();
    });
    CHECK_THAT(errors[0], Catch::Contains(fmt::format("sends a text of {} bytes", bytes)));
  }
}

TEST_CASE("Collective: who greets in another way runs another program", "[unit]") {
  // Of the size of a greeting; and what versions without one say first.
  for (const auto& [first, expected] : {std::pair(std::string(256, '\0'), "rank 1 runs another program"),
                                        std::pair(std::string(8, '\5'), "rank 1 does not match rank 0")}) {
    Mailboxes boxes(2);
    ThreadLink(boxes, 1).send(0, first.data(), static_cast<int64_t>(first.size()));
    CHECK_THAT(error_of([&] { const Collective ranks(std::make_unique<ThreadLink>(boxes, 0), 20); }),
               Catch::StartsWith(expected));
  }
}

TEST_CASE("Collective: what one rank throws of a common work all throw, and go on together", "[unit]") {
  const auto errors = from_each<std::string>(3, [](Collective& ranks) {
    const std::string error = error_of([&] {
      ranks.on_all_ranks([&] {
        if (ranks.rank() > 0) fail(ErrorKind::resources, "disk {} is full", ranks.rank());
      });
    });
    const std::string first =
        error_of([&] { ranks.on_rank0([] { fail(ErrorKind::data, "no such file"); }); });
    const std::string of_library =
        error_of([&] { ranks.on_rank0([] { throw std::length_error("too long"); }); });
    return error + "; " + first + "; " + of_library + "; " + ranks.broadcast("still here");
  });
  for (const std::string& error : errors) {
    CHECK(error.find("rank 1 (") == 0);
    CHECK(error.find("): disk 1 is full; no such file; too long; still here") != std::string::npos);
  }
}

TEST_CASE("Collective: a rank that fails alone is named to those who wait for it", "[unit]") {
  const auto errors = from_each<std::string>(3, [](Collective& ranks) {
    if (ranks.rank() == 2) {
      CHECK_FALSE(ranks.report_error(Error(ErrorKind::resources, "out of memory")));
      return std::string();
    }
    int64_t one = 1;
    const std::string error = error_of([&] { ranks.sum(std::span(&one, 1)); });
    return error + (ranks.broken() ? "; broken" : "");
  });
  for (const int r : {0, 1}) {
    CHECK(errors[static_cast<size_t>(r)].find("rank 2 (") == 0);
    CHECK(errors[static_cast<size_t>(r)].find("): out of memory; broken") != std::string::npos);
  }
}

TEST_CASE("Collective: a message that comes when its exchange has failed is written nowhere", "[unit]") {
  std::atomic<bool> over = false, sent = false;
  const auto kept = from_each<int>(3, [&](Collective& ranks) {
    std::vector<float> values(3000, -7);
    if (ranks.rank() == 1) ranks.report_error(Error(ErrorKind::data, "alone"));
    if (ranks.rank() == 0) over.wait(false);
    if (ranks.rank() != 1) error_of([&] { ranks.all_gather(std::span(values)); });
    std::ranges::fill(values, -1);  // the memory is another's now
    if (ranks.rank() == 0) sent = true, sent.notify_all();
    if (ranks.rank() == 2) over = true, over.notify_all(), sent.wait(false);
    ranks.finalize();
    return std::ranges::count(values, -1.0f) == 3000 ? 1 : 0;
  });
  CHECK(kept == std::vector{1, 1, 1});
}

TEST_CASE("Collective: what a rank fails at behind a sum does not spoil the sum", "[unit]") {
  const auto results = from_each<std::string>(2, [](Collective& ranks) {
    std::vector<double> values(5000, 1);
    ranks.sum(std::span(values));
    if (ranks.rank() == 1) ranks.report_error(Error(ErrorKind::failure, "too late"));
    return std::to_string(static_cast<int>(values.back()));
  });
  CHECK(results == std::vector<std::string>{"2", "2"});
}

TEST_CASE("Collective: who says that it works may take longer than the time limit", "[unit]") {
  const auto results = from_each<int64_t>(
      3,
      [](Collective& ranks) {
        ranks.on_rank0([&] {
          for (int i = 0; i < 30; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            ranks.heartbeat();
          }
        });
        int64_t one = 1;
        ranks.sum(std::span(&one, 1));
        return one;
      },
      0.5);
  CHECK(results == std::vector<int64_t>{3, 3, 3});
}

TEST_CASE("Collective: who does not answer is named when the time is up, and the lowest that is left says so",
          "[unit]") {
  for (const int silent : {0, 2}) {
    const auto errors = from_each<std::string>(
        3,
        [silent](Collective& ranks) {
          if (ranks.rank() == silent) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2500));
            return std::string();
          }
          int64_t one = 1;
          std::string what;
          try {
            ranks.sum(std::span(&one, 1));
          } catch (const Error& error) {
            what = error.what();
            what += ranks.report_error(error) ? "; speaks" : "; is silent";
          }
          return what;
        },
        0.5);
    for (int r = 0; r < 3; ++r) {
      if (r == silent) continue;
      const std::string& error = errors[static_cast<size_t>(r)];
      CHECK(error.find(fmt::format("rank {} (", silent)) == 0);
      CHECK(error.find("has not answered for 0.5 s") != std::string::npos);
      CHECK((error.find("; speaks") != std::string::npos) == (r == (silent == 0 ? 1 : 0)));
    }
  }
}
