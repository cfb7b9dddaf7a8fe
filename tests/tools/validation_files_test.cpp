#include "tools/report/validation_files.h"

#include "core/file.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::tools;
using xf::tests::TemporaryFolder;

namespace {

// A validation each tenth update.
void validate(ValidationFiles& files, int64_t number, const std::string& source = "a dog") {
  nn::TrainingState state;
  state.update = 10 * number;
  state.validations = state.validated_at = number;
  ValidationResult result;
  result.scores = {{"bleu", 20.0 + static_cast<double>(number)}};
  result.samples = {{3, source, "ein Hund", "Version " + std::to_string(number)}};
  files.add(state, result, number == 2);
}

}  // namespace

TEST_CASE("Validation files: a row for each validation, a file for each sentence", "[unit]") {
  const TemporaryFolder run;
  ValidationFiles files(run / "", 0);
  for (int64_t number : {1, 2}) validate(files, number);
  CHECK(read_file(run / "valid.tsv") ==
        "update\tepoch\tseconds\tbleu\tbest\n10\t1\t0.0\t21.0000\t0\n20\t1\t0.0\t22.0000\t1\n");
  CHECK(read_file(run / "samples/sentence-3.tsv") ==
        "source\ta dog\nreference\tein Hund\n10\tVersion 1\n20\tVersion 2\n");
  const auto samples = read_samples(run / "");
  REQUIRE(samples.size() == 1);
  CHECK(samples.at(3).reference == "ein Hund");
  CHECK(samples.at(3).translations.back() == std::pair<int64_t, std::string>(20, "Version 2"));
}

TEST_CASE("Validation files: a run that goes on ends in the bytes of one that went through", "[unit]") {
  const TemporaryFolder whole, stopped;
  {
    ValidationFiles files(whole / "", 0);
    for (int64_t number = 1; number <= 5; ++number) validate(files, number);
  }
  for (const int64_t saved : {0, 1, 3}) {  // killed after its fourth validation, saved after an
                                           // earlier one
    remove_validation_files(stopped / "");
    {
      ValidationFiles files(stopped / "", 0);
      for (int64_t number = 1; number <= 4; ++number) validate(files, number);
    }
    ValidationFiles files(stopped / "", 10 * saved);
    for (int64_t number = saved + 1; number <= 5; ++number) validate(files, number);
    for (const char* name : {"valid.tsv", "samples/sentence-3.tsv"})
      CHECK(read_file(stopped / name) == read_file(whole / name));
  }
}

TEST_CASE("Validation files: other sentences under the same number begin anew", "[unit]") {
  const TemporaryFolder run;
  {
    ValidationFiles files(run / "", 0);
    validate(files, 1);
  }
  ValidationFiles files(run / "", 10);
  validate(files, 2, "a cat");
  CHECK(read_file(run / "samples/sentence-3.tsv") == "source\ta cat\nreference\tein Hund\n20\tVersion 2\n");
}

TEST_CASE("Validation files: a million validations leave a thousand rows of a sentence", "[unit]") {
  int64_t recorded = 0;
  for (int64_t n = 1; n <= 1'000'000; ++n) recorded += ValidationFiles::recorded(n);
  CHECK(ValidationFiles::recorded(127));
  CHECK(ValidationFiles::recorded(128));
  CHECK_FALSE(ValidationFiles::recorded(129));
  CHECK(recorded < 1100);
}

TEST_CASE("Validation files: removing them leaves what somebody else put there", "[unit]") {
  const TemporaryFolder run;
  ValidationFiles files(run / "", 0);
  validate(files, 1);
  run.write("samples/mine.txt", "x");
  remove_validation_files(run / "");
  CHECK(read_samples(run / "").empty());
  CHECK(read_file(run / "samples/mine.txt") == "x");
}
