// TER by hand; that it is sacreBLEU's to the digit is in score_test.cpp.
#include "data/score/ter.h"

#include <string>
#include <vector>

#include "core/error.h"
#include "data/score/shift_search.h"
#include "tests/support/catch.h"

namespace {

using namespace xf::data;
using Lines = std::vector<std::string>;

double ter(const std::string& hypothesis, const Lines& references, const TerOptions& options = {}) {
  return sentence_ter(hypothesis, references, options).score;
}

}  // namespace

TEST_CASE("TER: an insertion, a deletion and a substitution are an edit each, and so is the shift of a run",
          "[unit]") {
  const Lines reference = {"a b c d e f g h i j"};
  CHECK(ter("a b c d e f g h i j", reference) == 0.0);
  CHECK(ter("a b c d e f g h i", reference) == Approx(10.0));
  CHECK(ter("a b c d x e f g h i j", reference) == Approx(10.0));
  CHECK(ter("a b c d x f g h i j", reference) == Approx(10.0));
  CHECK(ter("f g h i j a b c d e", reference) == Approx(10.0));
}

TEST_CASE("TER: a run of more than ten words is not shifted as one", "[unit]") {
  const Words reference = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22};
  const Words halves_swapped = {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                                1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11};
  CHECK(edits_with_shifts(halves_swapped, reference) == 2);
}

TEST_CASE("TER: of several references the fewest edits count, over the mean length", "[unit]") {
  CHECK(ter("a b c", {"a b c", "x y z w v u t"}) == 0.0);
  CHECK(ter("a b d", {"a b c", "a x y z d"}) == Approx(100.0 * 1 / 4));
}

TEST_CASE("TER: without words in the reference every word is wrong, and none is right", "[unit]") {
  CHECK(ter("a b", {""}) == 100.0);
  CHECK(ter("", {""}) == 0.0);
  CHECK(ter("", {"a b"}) == 100.0);
}

TEST_CASE("TER: case counts if it is asked to", "[unit]") {
  CHECK(ter("The Cat", {"the cat"}) == 0.0);
  CHECK(ter("The Cat", {"the cat"}, {.case_sensitive = true}) == 100.0);
}
