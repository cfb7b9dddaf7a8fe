#include "data/score/minimum_risk.h"

#include <array>
#include <bit>
#include <cmath>

#include "tests/data/errors.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::data;
using tests::error_of;
using Ids = std::vector<int32_t>;

namespace {

// Pairs 0 .. 3, of lines 1 .. 4: source {i}, target {10 i, 10 i + 1}.
ParallelCorpus example() {
  ParallelCorpus corpus;
  for (int32_t i = 0; i < 4; ++i) {
    corpus.source.push_back(Ids{i});
    corpus.target.push_back(Ids{10 * i, 10 * i + 1});
    corpus.lines.push_back(i + 1);
  }
  return corpus;
}

const std::vector<Contrast> kContrasts = {{0, {1, 2, 3}, {4}, 0.25f}, {3, {5}, {6, 7}, 0.5f}};

// Expected risk of candidates with these log-probabilities and BLEU, as its definition has it (MR1).
double risk(const std::vector<double>& log_p, const std::vector<double>& bleu, double alpha) {
  double sum = 0, risk = 0;
  for (const double l : log_p) sum += std::exp(alpha * l);
  for (size_t i = 0; i < log_p.size(); ++i) risk += std::exp(alpha * log_p[i]) / sum * (1 - bleu[i]);
  return risk;
}

double central_difference(std::vector<double> log_p, const std::vector<double>& bleu, double alpha,
                          size_t i) {
  constexpr double kStep = 1e-5;
  log_p[i] += kStep;
  const double above = risk(log_p, bleu, alpha);
  log_p[i] -= 2 * kStep;
  return (above - risk(log_p, bleu, alpha)) / (2 * kStep);
}

}  // namespace

TEST_CASE("Minimum risk: the derivative by a log-probability is that of central differences", "[grad]") {
  const std::vector<double> log_p{-3, -1.5, -2}, bleu{0.7, 0.2, 0.4};
  for (const double alpha : {0.05, 1.0, 3.0}) {
    double sum = 0, mean = 0;
    for (const double l : log_p) sum += std::exp(alpha * l);
    for (size_t i = 0; i < 3; ++i) mean += std::exp(alpha * log_p[i]) / sum * bleu[i];
    for (size_t i = 0; i < 3; ++i) {
      const double by_hand = -alpha * std::exp(alpha * log_p[i]) / sum * (bleu[i] - mean);  // MR2
      CHECK(central_difference(log_p, bleu, alpha, i) == Approx(by_hand).epsilon(1e-6));
    }
  }
}

// MR3
TEST_CASE("Minimum risk: the weights of two are the limit of the risk's derivatives, at a flat distribution",
          "[grad]") {
  ParallelCorpus corpus = example();
  const double difference = static_cast<double>(kContrasts[0].difference);
  const std::vector<double> bleu{0.3 + difference, 0.3};
  constexpr double kAlpha = 1e-3;
  const float better = contrasted(corpus, kContrasts, 1, 1).weights[0],
              worse = contrasted(corpus, kContrasts, 1, 2).weights[0];
  // A loss is -log p.
  CHECK(-4 / kAlpha * central_difference({-2, -5}, bleu, kAlpha, 0) == Approx(better).epsilon(1e-5));
  CHECK(-4 / kAlpha * central_difference({-2, -5}, bleu, kAlpha, 1) == Approx(worse).epsilon(1e-5));
}

TEST_CASE("Minimum risk: of the candidates the best and the worst are kept, of equal ones the first",
          "[unit]") {
  const std::string reference = "a man rides a red bicycle down the street";
  const std::vector<Candidate> candidates = {{{1}, "a man rides a bicycle down the street"},
                                             {{2}, "A man rides a red bicycle down the street"},
                                             {{3}, "a man rides a red bicycle down the street"},
                                             {{4}, "nobody"},
                                             {{5}, "nothing"}};
  const auto lowered = contrast(7, candidates, reference, {.lowercase = true});
  REQUIRE(lowered);
  CHECK(lowered->pair == 7);
  CHECK(lowered->better == Ids{2});
  CHECK(lowered->worse == Ids{4});
  CHECK(lowered->difference == Approx(1.0));
  CHECK(contrast(7, candidates, reference, {})->better == Ids{3});
}

TEST_CASE("Minimum risk: candidates that are equally good, one, and none are no contrast", "[unit]") {
  const std::vector<Candidate> equal = {{{1}, "a man"}, {{2}, "a man"}};
  CHECK(!contrast(0, equal, "a man", {.lowercase = true}));
  CHECK(!contrast(0, std::span(equal).first(1), "a man", {.lowercase = true}));
  CHECK(!contrast(0, {}, "a man", {.lowercase = true}));
}

TEST_CASE("Minimum risk: in three epochs a pair is read with its reference, the better and the worse one",
          "[unit]") {
  const ParallelCorpus corpus = example();
  for (int64_t epoch = 4; epoch < 7; ++epoch) {
    const ParallelCorpus read = contrasted(corpus, kContrasts, 8, epoch);
    REQUIRE(read.size() == 4);
    REQUIRE(read.weights.size() == 4);
    for (int64_t i = 0; i < 4; ++i) {
      const auto at = static_cast<size_t>(i);
      CHECK(read.line(i) == i + 1);
      CHECK(read.source[i] == corpus.source[i]);
      const int64_t turn = i == 1 || i == 2 ? 0 : (i + epoch) % 3;
      const Contrast& contrast = kContrasts[i == 0 ? 0 : 1];
      const float worth = 8 * contrast.difference;
      CHECK(read.target[i] ==
            std::array{corpus.target[i], contrast.better, contrast.worse}[static_cast<size_t>(turn)]);
      CHECK(read.weights[at] == std::array{1.0f, worth, -worth}[static_cast<size_t>(turn)]);
    }
  }
}

TEST_CASE("Minimum risk: contrasts come back from their numbers, and what is damaged is refused", "[unit]") {
  const ParallelCorpus corpus = example();
  const std::vector<int32_t> numbers = packed(kContrasts);
  const std::vector<Contrast> back = unpacked(numbers, corpus);
  REQUIRE(back.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(back[i].pair == kContrasts[i].pair);
    CHECK(back[i].better == kContrasts[i].better);
    CHECK(back[i].worse == kContrasts[i].worse);
    CHECK(back[i].difference == kContrasts[i].difference);
  }
  CHECK(unpacked(packed({}), corpus).empty());
  CHECK(error_of([&] { unpacked(std::span(numbers).first(numbers.size() - 1), corpus); }) ==
        "3: contrasts: cut short");
  CHECK(error_of([&] { unpacked({}, corpus); }) == "3: contrasts: cut short");
  std::vector<int32_t> more = numbers;
  more.push_back(1);
  CHECK(error_of([&] { unpacked(more, corpus); }) == "3: contrasts: more numbers than they have");
  std::vector<int32_t> other = numbers;
  other[1] = 4;
  CHECK(error_of([&] { unpacked(other, corpus); }) == "3: contrasts: 4 pairs have no number 4 behind -1");
}
