// What xformer-translate writes of a translation, and says about itself.
#include "tools/inference/translation_form.h"

#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tools/console/progress.h"
#include "tools/inference/translation_progress.h"

using namespace xf;
using namespace xf::tools;
using xf::tests::error_of;
using Lines = std::vector<std::string>;

namespace {

// Two target tokens and </s>, two source tokens and </s>.
const nn::Alignment kAlignment{3, 3, {0.2, 0.7, 0.1, 0.5, 0.5, 0, 0.0625, 0.1, 0.8375}};

Translation translation_of_two() {
  Translation translation;
  translation.hypotheses = {
      {.ids = {7, 8},
       .log_probability = -1.5,
       .score = -0.5,
       .token_log_probabilities = {-0.25, -0.75, -0.5}},
      {.ids = {9}, .log_probability = -2, .score = -1, .cut = true, .token_log_probabilities = {-2}}};
  translation.texts = {"ein hund", "hund"};
  translation.alignments = {kAlignment, {1, 1, {1}}};
  return translation;
}

Lines lines(std::vector<GivenOption> given, const Translation& translation = translation_of_two()) {
  TranslationOptions options;
  options_of(options).apply(given, OptionList::Origin::user);
  return TranslationForm(options).lines(translation, 4);
}

std::string aligned(const std::string& how) { return AlignmentForm(how).text(kAlignment); }

}  // namespace

TEST_CASE("Alignment form: hard, soft, and by threshold, as Marian writes them", "[unit]") {
  CHECK(aligned("hard") == "0-1 1-0 2-2");  // of equal weights the first; by source, then target
  CHECK(aligned("1") == aligned("hard"));
  CHECK(aligned("soft") == "0.2,0.7,0.1 0.5,0.5,0 0.0625,0.1,0.8375");
  CHECK(aligned("0.5") == "0-1 1-0 1-1 2-2");  // 0.5 itself counts
  CHECK(aligned("0.9").empty());
  for (const char* wrong : {"sharp", "0", "-1", "1.5", "nan"})
    CHECK_THAT(error_of([&] { aligned(wrong); }), Catch::Contains("neither hard nor soft"));
}

TEST_CASE("Translation form: the fields stand in Marian's order", "[unit]") {
  CHECK(lines({}) == Lines{"ein hund"});
  CHECK(lines({{"n-best", {"true"}, ""}}) == Lines{"4 ||| ein hund ||| F0= -1.500000 ||| -0.500000",
                                                   "4 ||| hund ||| F0= -2.000000 ||| -1.000000"});
  const std::vector<GivenOption> both = {{"alignment", {"hard"}, ""}, {"word-scores", {"true"}, ""}};
  CHECK(lines(both) == Lines{"ein hund ||| 0-1 1-0 2-2 ||| WordScores= -0.250000 -0.750000 -0.500000"});
  CHECK(lines({{"alignment", {"0.5"}, ""}, {"n-best", {"true"}, ""}})[1] ==
        "4 ||| hund ||| 0-0 ||| F0= -2.000000 ||| -1.000000");
}

TEST_CASE("Translation form: who waits gets the score in front", "[unit]") {
  CHECK(lines({{"interactive", {"true"}, ""}}) == Lines{"-0.5000\tein hund"});
  CHECK(lines({{"interactive", {"true"}, ""}, {"n-best", {"true"}, ""}}) ==
        Lines{"-0.5000\tein hund", "-1.0000\thund"});
}

TEST_CASE("Translation form: a line without tokens has its line and no values", "[unit]") {
  Translation empty;
  empty.texts = {""};
  CHECK(lines({}, empty) == Lines{""});
  CHECK(lines({{"alignment", {"hard"}, ""}, {"word-scores", {"true"}, ""}}, empty) ==
        Lines{" |||  ||| WordScores="});
}

TEST_CASE("Translation progress: a line after every so many, and what was lost at the end", "[unit]") {
  Translation two = translation_of_two(), cut = two, cropped = two;
  cut.hypotheses[0].cut = true;
  cropped.cropped = true;
  TranslationProgress progress(2), silent(0);
  CHECK_FALSE(progress.add(two, 1));
  const auto line = progress.add(cut, 7);
  REQUIRE(line);
  CHECK_THAT(*line, Catch::StartsWith("2 lines, 5 tokens in "));  // the second has no </s>
  CHECK_FALSE(progress.add(cropped, 3));
  for (int i = 0; i < 5; ++i) CHECK_FALSE(silent.add(two, i + 1));
  CHECK(progress_line(progress.counts(), 1.6) == "3 lines, 8 tokens in 1.6 s (5 tokens/s)");
  CHECK(progress_line(progress.counts(), 0) == "3 lines, 8 tokens in 0.0 s (0 tokens/s)");
  CHECK(warnings(progress.counts(), "test.en") ==
        Lines{"1 translation cut at the length limit (line 7 of test.en)",
              "1 line cropped: too long to read (line 3 of test.en)"});
  CHECK(warnings(silent.counts(), "test.en").empty());
}

// Greedy search keeps no scores where nobody asks for them (nn/decode/search.h).
TEST_CASE("Translation progress: tokens are counted whether or not their scores are kept", "[unit]") {
  TranslationCounts scored, plain;
  Translation translation = translation_of_two();
  scored.add(translation, 1);
  for (nn::Hypothesis& hypothesis : translation.hypotheses) hypothesis.token_log_probabilities.clear();
  plain.add(translation, 1);
  CHECK(plain.tokens == 3);
  CHECK(scored.tokens == 3);
}

TEST_CASE("Translation progress: lines are named in order, of many the first", "[unit]") {
  CHECK(numbered_lines({4}) == "line 4");
  CHECK(numbered_lines({9, 4}) == "lines 4, 9");
  std::vector<int64_t> many;
  for (int64_t i = 2000; i > 0; --i) many.push_back(i);
  CHECK(numbered_lines(many) == "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 1,990 more");
}
