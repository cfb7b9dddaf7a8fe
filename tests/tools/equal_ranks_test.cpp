// Ranks that were not started alike: each learns what differs, and ends.
#include "tools/app/equal_ranks.h"
#include "tools/config/training_options.h"
#include "tools/setup/read_training_options.h"

#include <algorithm>
#include <functional>
#include <set>

#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tests/support/thread_ranks.h"

using namespace xf;
using namespace xf::tools;

namespace {

TrainingOptions usual() {
  return training_options_from_toml(
      "task = \"transformer-tiny\"\ntrain-sets = [\"a.en\", \"a.de\"]\nmodel = \"run\"\n", "a test");
}

TrainingOptions with(const Option& spec, const std::vector<std::string>& words) {
  TrainingOptions options = usual();
  options_of(options).apply({{std::string(spec.name), words, "a test"}}, OptionList::Origin::user);
  return options;
}

// A value of the option that the usual ones do not have.
std::vector<std::string> other_words(const Option& spec) {
  const std::string usual_value = spec.text();
  std::vector<std::string> candidates;
  const double least = spec.minimum > -1e300 ? spec.minimum : 0;
  const bool whole = std::holds_alternative<int64_t*>(spec.field) ||
                     std::holds_alternative<std::vector<int64_t>*>(spec.field);
  const double step = whole ? 1 : (std::min(spec.maximum, 1.0) - least) / 2;
  if (spec.is_switch())
    candidates = {"true", "false"};
  else if (std::holds_alternative<TrainingLength*>(spec.field) ||
           std::holds_alternative<std::vector<TrainingLength>*>(spec.field))
    candidates = {"7u", "9u"};
  else if (!spec.choices.empty())
    candidates = split(spec.choices, '|');
  else if (spec.is_text())
    candidates = {"other"};
  else
    candidates = {fmt::format("{}", least), fmt::format("{}", least + step)};
  std::erase(candidates, usual_value);
  return std::vector(static_cast<size_t>(spec.min_values), candidates.front());
}

// What each of two ranks ends with, rank 0's first.
std::vector<std::string> errors_of(const std::function<void(Collective&)>& work) {
  std::vector<std::string> errors(2);
  tests::as_ranks(2, [&](Collective& ranks) {
    errors[static_cast<size_t>(ranks.rank())] = tests::error_of([&] { work(ranks); });
  });
  return errors;
}

std::vector<std::string> errors_of_options(const std::optional<TrainingOptions>& first,
                                           const std::optional<TrainingOptions>& other) {
  return errors_of([&](Collective& ranks) { check_same_options(ranks.is_first() ? first : other, ranks); });
}

}  // namespace

TEST_CASE("Equal ranks: an option of one rank that may not differ ends both, which name it and the rank",
          "[unit]") {
  int compared = 0;
  const TrainingOptions as_usual = usual();
  for (const Option& spec : options_of(as_usual)) {
    INFO(spec.name);
    const TrainingOptions other = with(spec, other_words(spec));
    const std::vector<std::string> errors = errors_of_options(usual(), other);
    CHECK(errors[0] == errors[1]);
    const bool may_differ = spec.among_ranks != AmongRanks::equal && spec.is_set();
    if (may_differ || spec.among_ranks == AmongRanks::own) continue;
    ++compared;
    CHECK_THAT(errors[0], Catch::StartsWith("2: rank 1 ("));
    CHECK_THAT(errors[0], Catch::Contains(fmt::format(" --{}", spec.name)));
    CHECK_THAT(errors[0], Catch::Contains("; give all ranks the same options"));
  }
  CHECK(compared > 90);
}

TEST_CASE("Equal ranks: the line has both values, unset ones too, and how many more there are", "[unit]") {
  const auto error = [](const std::string& one, const std::string& other) {
    const std::string usual = "task = \"transformer-tiny\"\n";
    std::string text = errors_of_options(training_options_from_toml(usual + one, "one"),
                                         training_options_from_toml(usual + other, "other"))[0];
    for (size_t host = 0; (host = text.find(" (")) != std::string::npos;)  // of ranks
      text.erase(host, text.find(')', host) + 1 - host);
    return text;
  };
  CHECK(error("learn-rate = 0.001\n", "learn-rate = 0.002\n") ==
        "2: rank 1 trains with --learn-rate 0.002, rank 0 with --learn-rate 0.001; "
        "give all ranks the same options");
  CHECK(
      error("seed = 2\ntsv = true\n", "") ==
      "2: rank 1 trains with --tsv=false, rank 0 with --tsv=true, and 1 more option differs; give all ranks "
      "the same options, and the same run if they resume one");
  CHECK(error("", "quirks = [\"pad-axis=both\"]\n") ==
        "2: rank 1 trains with --quirks pad-axis=both, rank 0 without --quirks; "
        "give all ranks the same options");
}

TEST_CASE("Equal ranks: what may differ is each rank's place, device and display, and no more", "[unit]") {
  std::set<std::string_view> places, own;
  const TrainingOptions as_usual = usual();
  const OptionList list = options_of(as_usual);
  for (const Option& spec : list) {
    if (spec.among_ranks == AmongRanks::place) {
      places.insert(spec.name);
      CHECK(spec.is_text());
    }
    if (spec.among_ranks == AmongRanks::own) own.insert(spec.name);
  }
  CHECK(places == std::set<std::string_view>{"train-sets", "valid-sets", "test-sets", "cache", "vocabs",
                                             "model", "resume", "pretrained-model", "extend-vocab"});
  CHECK(own == std::set<std::string_view>{"disp-freq", "disp-first", "log-format", "report", "quiet", "log",
                                          "device", "cpu-threads", "workspace", "gradient-checkpointing",
                                          "bf16", "config"});
  for (const char* const name : {"train-sets", "model", "device", "cpu-threads", "disp-freq", "log-format"}) {
    INFO(name);
    const Option& spec = list.at(name);
    std::vector<std::string> words = other_words(spec);
    if (spec.name == "train-sets") words.push_back("copy.de");
    CHECK(errors_of_options(usual(), with(spec, words)) == std::vector<std::string>{"no error", "no error"});
  }
}

TEST_CASE("Equal ranks: a memory that sizes batches is compared", "[unit]") {
  const auto options = [](int megabytes, bool fits) {
    return training_options_from_toml(
        fmt::format("task = \"transformer-tiny\"\nworkspace = {}\nmini-batch-fit = {}\n", megabytes, fits),
        "a test");
  };
  CHECK(errors_of_options(options(100, false), options(200, false))[0] == "no error");
  CHECK_THAT(errors_of_options(options(100, true), options(200, true))[0],
             Catch::Contains("with --workspace 200, ") && Catch::Contains("with --workspace 100;"));
}

TEST_CASE("Equal ranks: one that goes on with a checkpoint, and one that begins", "[unit]") {
  const TrainingOptions as_usual = usual();
  const OptionList list = options_of(as_usual);
  const Option& resume = list.at("resume");
  CHECK(errors_of_options(with(resume, {"a/latest"}), with(resume, {"b/latest"}))[0] == "no error");
  CHECK_THAT(errors_of_options(with(resume, {"a/latest"}), usual())[0], Catch::Contains(" --resume auto, "));
  CHECK_THAT(errors_of_options(with(resume, {"never"}), usual())[0], Catch::Contains(" --resume never;"));
}

TEST_CASE("Equal ranks: one that prints a page, and one that trains", "[unit]") {
  CHECK(errors_of_options({}, {})[0] == "no error");
  CHECK_THAT(errors_of_options(usual(), {})[0], Catch::Contains("only prints a page, rank 0 ("));
}

TEST_CASE("Equal ranks: checkpoints of another update, or of other contents, are told apart", "[unit]") {
  const auto error = [](int64_t update, float value, const char* seed) {
    return errors_of([&](Collective& ranks) {
      nn::Checkpoint checkpoint;
      checkpoint.update = ranks.is_first() ? 8 : update;
      checkpoint.model["w"] = Tensor::from(std::vector<float>{ranks.is_first() ? 1.0f : value});
      checkpoint.state.set("seed", std::string(ranks.is_first() ? "1" : seed));
      check_same_checkpoint(checkpoint, "run/latest", ranks);
    })[0];
  };
  CHECK(error(8, 1, "1") == "no error");
  CHECK_THAT(error(4, 1, "1"), Catch::StartsWith("3: run/latest: rank 1 (") &&
                                   Catch::Contains(" has the checkpoint of update 4, "));
  CHECK_THAT(error(8, 2, "1"), Catch::Contains(" has another checkpoint of update 8 than rank 0 ("));
  CHECK_THAT(error(8, 1, "2"), Catch::Contains(" has another checkpoint of update 8 than rank 0 ("));
}
