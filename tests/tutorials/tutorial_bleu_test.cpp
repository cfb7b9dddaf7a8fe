// Expectations: the tutorials' own evaluation code, and sacreBLEU's rules, executed on these lines.
#include "tools/tutorials/tutorial_bleu.h"

#include "data/score/bleu.h"
#include "tests/data/errors.h"
#include "tests/support/catch.h"

using namespace xf::data;

namespace {

double corpus_bleu_of(const std::string& hypothesis, const std::string& reference) {
  const std::vector<std::string> hypotheses = {hypothesis}, references = {reference};
  return corpus_bleu(hypotheses, references,
                     {.tokenizer = BleuTokenizer::none, .smoothing = BleuSmoothing::none})
      .score;
}

const std::string kReference = "ein mann in einem blauen hemd steht auf einer leiter und putzt ein fenster .";

}  // namespace

TEST_CASE("Compat BLEU: a hypothesis that ends early", "[golden]") {
  const std::string hypothesis = "ein mann in einem blauen hemd steht auf einer leiter und putzt .";
  CHECK(tutorial_bleu(hypothesis, kReference) == Approx(95.760868).epsilon(1e-8));
  CHECK(corpus_bleu_of(hypothesis, kReference) == Approx(79.790425).epsilon(1e-8));
}

TEST_CASE("Compat BLEU: one word left out shifts all pairs behind it", "[golden]") {
  const std::string hypothesis = "ein mann in blauem hemd steht auf einer leiter und putzt ein fenster .";
  CHECK(tutorial_bleu(hypothesis, kReference) == Approx(13.411727).epsilon(1e-7));
  CHECK(corpus_bleu_of(hypothesis, kReference) == Approx(72.859600).epsilon(1e-8));
}

TEST_CASE("Compat BLEU: 100 for the reference, 0 where an order has no match", "[golden]") {
  CHECK(tutorial_bleu(kReference, kReference) == Approx(100));
  CHECK(corpus_bleu_of(kReference, kReference) == Approx(100));
  CHECK(tutorial_bleu("eine frau steht .", "ein mann läuft .") == 0);
  CHECK(corpus_bleu_of("eine frau steht .", "ein mann läuft .") == 0);
}

TEST_CASE("Compat BLEU: zip cuts the longer side, and nothing to pair is 0", "[unit]") {
  CHECK(tutorial_bleu("straße und mehr", "straße") == Approx(100));
  CHECK(tutorial_bleu("straße", "straße und mehr") == Approx(100));
  CHECK(tutorial_bleu("ein", "ein") == 0);  // no four characters, no statistic of the fourth order
  CHECK(tutorial_bleu("", "straße") == 0);
}

TEST_CASE("Compat BLEU: the mean of batches' means, a small last one counting as much", "[unit]") {
  const std::vector<std::string> references = {"garten", "garten", "garten"};
  const std::vector<std::string> hypotheses = {"garten", "nichts", "garten"};
  const TutorialBleu score = tutorial_bleu(hypotheses, references, 2);
  REQUIRE(score.batches.size() == 2);
  CHECK(score.batches[0] == Approx(50));
  CHECK(score.batches[1] == Approx(100));
  CHECK(score.score == Approx(75));
  CHECK_THAT(xf::tests::error_of([&] { tutorial_bleu(hypotheses, {"garten"}, 2); }),
             Catch::StartsWith("3: "));
}
