#include "data/diversification.h"

#include "tests/data/errors.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::data;
using tests::error_of;
using Ids = std::vector<int32_t>;

namespace {

Sequences sequences(const std::vector<Ids>& ids) {
  Sequences all;
  for (const Ids& sentence : ids) all.push_back(sentence);
  return all;
}

// Pairs 0 .. 3, of lines 1, 3, 5, 7.
ParallelCorpus example() {
  ParallelCorpus corpus;
  corpus.source = sequences({{1}, {2, 3}, {4}, {5}});
  corpus.target = sequences({{10, 11}, {12}, {13}, {14}});
  corpus.lines = {1, 3, 5, 7};
  return corpus;
}

OwnTranslations own() {
  return {.of_sources = sequences({{20}, {21, 22}, {}, {23}}),
          .of_targets = sequences({{30}, {31}, {32, 33}, {}})};
}

}  // namespace

TEST_CASE(
    "Data diversification: a pair is read as it stands, with the translation of its source, and that of its "
    "target",
    "[unit]") {
  const ParallelCorpus corpus = example();
  const OwnTranslations translations = own();
  for (int64_t epoch = 5; epoch < 8; ++epoch) {
    const ParallelCorpus read = diversified(corpus, translations, epoch);
    REQUIRE(read.size() == 4);
    CHECK(read.weights.empty());
    for (int64_t i = 0; i < 4; ++i) {
      CHECK(read.line(i) == corpus.line(i));
      const int64_t turn = (i + epoch) % 3;
      // Pair 2 has no translation of its source, pair 3 none of its target.
      CHECK(read.target[i] == (turn == 1 && i != 2 ? translations.of_sources[i] : corpus.target[i]));
      CHECK(read.source[i] == (turn == 2 && i != 3 ? translations.of_targets[i] : corpus.source[i]));
    }
  }
}

TEST_CASE("Data diversification: translations of another text are refused", "[unit]") {
  OwnTranslations fewer = own();
  fewer.of_targets = sequences({{30}});
  CHECK_THROWS_AS(diversified(example(), fewer, 0), Error);
}

TEST_CASE("Data diversification: translations come back from their numbers, and what is damaged is refused",
          "[unit]") {
  const Sequences translations = own().of_targets;
  std::vector<int32_t> numbers = packed(translations);
  const Sequences back = unpacked(numbers, 4);
  REQUIRE(back.size() == 4);
  for (int64_t i = 0; i < 4; ++i) CHECK(back[i] == translations[i]);
  CHECK(error_of([&] { unpacked(std::span(numbers).first(numbers.size() - 1), 4); }) ==
        "3: translations of the text: cut short");
  CHECK(error_of([&] { unpacked(numbers, 5); }) == "3: translations of the text: cut short");
  CHECK(error_of([&] { unpacked(numbers, 3); }) ==
        "3: translations of the text: more numbers than they have");
  numbers[0] = -1;
  CHECK(error_of([&] { unpacked(numbers, 4); }) == "3: translations of the text: cut short");
}
