// The facade, tools/app/xformer.h, against what it stands on.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "core/parallel.h"
#include "core/stop.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/tools/random_run.h"
#include "tests/tools/trained_run.h"
#include "tools/app/xformer.h"
#include "tools/inference/model_translator.h"

using namespace xf;
using tools::tests::trained_run;
using xf::tests::error_of;

namespace {

const Lines kSources = {"it is late", "the man runs", "", "a dog sleeps"};
const Lines kTargets = {"es ist spät", "der mann rennt", "", "ein hund schläft"};

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

TEST_CASE("Library: a run translates what it knows by heart, and says how probable that is", "[unit]") {
  Translator translator(trained_run(), {"--beam-size", "1"});
  CHECK(translator.translate(kSources) == kTargets);
  const auto found = translator.hypotheses(kSources);
  const auto scores = translator.score(kSources, kTargets);
  REQUIRE(scores.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    REQUIRE(found[i].size() == 1);
    CHECK(found[i][0].text == kTargets[i]);
    CHECK(scores[i].size() == (kSources[i].empty() ? 1 : 4));  // three words and </s>
    if (!kSources[i].empty()) CHECK(sum(scores[i]) == Approx(found[i][0].log_probability).margin(1e-5));
  }
  CHECK(sum(translator.score({"it is late"}, {"der hund"})[0]) < sum(scores[0]) - 1);
}

TEST_CASE(
    "Library: with --n-best there are as many hypotheses as beams, best first, each as probable as it says",
    "[unit]") {
  Translator translator(trained_run(), {"--beam-size", "3", "--n-best"});
  const std::vector<Hypothesis> found = translator.hypotheses({"it is late"})[0];
  REQUIRE(found.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    if (i > 0) CHECK(found[i].score <= found[i - 1].score);
    CHECK(sum(translator.score({"it is late"}, {found[i].text})[0]) ==
          Approx(found[i].log_probability).margin(1e-4));
  }
}

TEST_CASE("Library: a translator computes with its own number of threads, whatever came between", "[unit]") {
  Translator one(trained_run(), {"--cpu-threads", "1"});
  const Translator two(trained_run(), {"--cpu-threads", "2"});
  CHECK(thread_count() == 2);
  one.translate({"it is late"});
  CHECK(thread_count() == 1);
  set_thread_count(0);
}

TEST_CASE("Library: lines and options that make no sense are refused", "[unit]") {
  Translator translator(trained_run());
  CHECK(error_of([&] {
          translator.translate({"a", "b\nc"});
        }) == "3: translate:2: a line end within a line; give lines one by one");
  CHECK_THAT(error_of([&] { translator.score({"\xff"}, {"a"}); }), Catch::StartsWith("3: score: sources:1"));
  CHECK(error_of([&] { translator.score({"a"}, {}); }) == "2: score: 1 sources, but 0 targets");
  for (const std::string option : {"--interactive", "--word-scores", "--continue"}) {
    CHECK(error_of([&] { Translator(trained_run(), {option}); }) ==
          "2: " + option + " is for the program xformer-translate; the library has no such option");
  }
  CHECK_THAT(error_of([] { train({"--print-model"}); }), Catch::StartsWith("2: --print-model is for"));
  CHECK_THAT(error_of([] { export_model({}); }), Catch::Contains("one of average, quantize, to"));
  CHECK_THAT(error_of([] { export_model({"inspect", "-m", "x"}); }), Catch::Contains("no command 'inspect'"));
}

TEST_CASE("Library: scores are those of the metrics, as the program prints them", "[unit]") {
  const Lines hypotheses = {"the dog bites the man .", "It is late"};
  const std::vector<Lines> references = {{"the dog bit the man .", "it is late"}};
  const Score bleu = score("bleu", hypotheses, references, {"-lc", "-w", "3"});
  CHECK(bleu.name == "BLEU");
  CHECK(bleu.text.starts_with("BLEU|nrefs:1|case:lc|"));
  CHECK(bleu.text.find(fmt::format(" = {:.3f} ", bleu.value)) != std::string::npos);
  CHECK(bleu.text.find(bleu.signature) != std::string::npos);
  CHECK(score("ter", hypotheses, references).value == Approx(100.0 / 9));  // one word of nine
  CHECK(score("chrf", hypotheses, {hypotheses}).value == Approx(100));
  CHECK_THAT(error_of([&] { score("blue", hypotheses, references); }),
             Catch::Contains("did you mean 'bleu'"));
  CHECK_THAT(error_of([&] { score("bleu", hypotheses, {}); }), Catch::StartsWith("3: "));
  CHECK_THAT(error_of([&] { score("bleu", hypotheses, references, {"--paired-bs"}); }),
             Catch::StartsWith("2: --paired-bs is for the program"));
}

// What the programs do with a file: data/text_file.h.
TEST_CASE("Library: a line is what a file's reader would hand over", "[unit]") {
  Translator translator(trained_run());
  const Lines marked = {"\uFEFFit is late\r", "the man runs\r"}, plain = {"it is late", "the man runs"};
  CHECK(translator.translate(marked) == translator.translate(plain));
  CHECK(translator.score(marked, {"\uFEFFes ist spät\r", "der mann rennt"}) ==
        translator.score(plain, {"es ist spät", "der mann rennt"}));
  CHECK(score("chrf", marked, {plain}).value == Approx(100));
  const tests::TemporaryFolder folder;
  const Lines odd = {"a\u2028b", "c\x0b\x0c d", "e\u0085\x1c", "", "f"};
  CHECK(read_lines(folder.write("odd", "\uFEFF" + odd[0] + "\r\n" + odd[1] + "\n" + odd[2] + "\n\nf")) ==
        odd);
}

TEST_CASE("Library: what is cropped and cut is said, and of which line", "[unit]") {
  Translator translator(trained_run(), {"--max-length", "2", "--beam-size", "1"});
  std::string endless;
  for (int i = 0; i < 3000; ++i) endless += "dog ";
  const auto found = translator.hypotheses({"", "it is late", endless});
  CHECK(found[1][0].cut);
  CHECK_FALSE(found[1][0].cropped);
  CHECK(found[2][0].cropped);
  const Lines warnings = translator.take_warnings();
  REQUIRE(warnings.size() == 2);
  CHECK_THAT(warnings[0], Catch::StartsWith("2 translations cut at the length limit (lines 2, 3 of"));
  CHECK_THAT(warnings[1], Catch::StartsWith("1 line cropped: too long to read (line 3 of"));
  CHECK(translator.take_warnings().empty());
  Translator whole(trained_run());
  CHECK_FALSE(whole.hypotheses({"it is late"})[0][0].cut);
  CHECK(whole.take_warnings().empty());
}

TEST_CASE("Library: --help and the like are refused without a word on the standard output", "[unit]") {
  const tests::TemporaryFolder folder;
  std::fflush(stdout);
  const int before = dup(STDOUT_FILENO), file = open((folder / "out").c_str(), O_CREAT | O_WRONLY, 0600);
  dup2(file, STDOUT_FILENO);
  Lines errors;
  for (const std::string asked : {"--help", "--help-all", "--version", "--build-info", "--dump-config"}) {
    errors.push_back(error_of([&] { train({asked}); }));
    errors.push_back(error_of([&] { Translator(trained_run(), {asked}); }));
    errors.push_back(error_of([&] { score("bleu", {"a"}, {{"a"}}, {asked}); }));
    errors.push_back(error_of([&] { export_model({"to", asked}); }));
  }
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  close(file);
  CHECK(std::filesystem::file_size(folder / "out") == 0);
  for (const std::string& error : errors)
    CHECK_THAT(error, Catch::StartsWith("2: --help, --version and the like are for the program xformer-"));
}

TEST_CASE("Library: what a model consists of is JSON", "[unit]") {
  const auto json = nlohmann::json::parse(inspect(trained_run()));
  CHECK(json.at("vocabularies").size() == 2);
}

TEST_CASE("Library: a model that this process has read may be replaced, but not by what is made of it",
          "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string mean = folder / "mean";
  const std::vector<std::string> average = {"average", "-m",          trained_run(), "-o",
                                            mean,      "--overwrite", "--quiet"};
  export_model(average);
  Translator translator(mean);
  export_model(average);
  CHECK(translator.translate(kSources) == kTargets);  // by what it had read
  CHECK(Translator(mean).translate(kSources) == kTargets);
  CHECK_THAT(error_of([&] {
               export_model({"average", "--checkpoints", mean, "-o", mean, "--overwrite", "--quiet"});
             }),
             Catch::Contains("is an input as well"));
}

TEST_CASE("Library: who asks for a stop ends a translation, and forgets it for the next", "[unit]") {
  Translator translator(trained_run());
  ask_stop(SIGINT);
  CHECK_THROWS_AS(translator.translate(kSources), Stopped);
  forget_stop();
  CHECK(translator.translate(kSources) == kTargets);
}

TEST_CASE("Library: a line that is longer than a line of text is refused with its number", "[unit]") {
  Translator translator(trained_run(), {"--beam-size", "1"});
  const std::string longer((size_t{1} << 20) + 1, 'a');
  CHECK(error_of([&] {
          translator.translate({"it is late", longer});
        }) == "3: translate:2: the line is longer than 1 MB; give a text with one sentence a line");
  CHECK_THAT(error_of([&] { translator.score({longer}, {"es"}); }),
             Catch::StartsWith("3: score: sources:1: "));
  CHECK_THAT(error_of([&] { score("bleu", {longer}, {{"es"}}, {}); }),
             Catch::StartsWith("3: score: hypotheses:1: "));
}
