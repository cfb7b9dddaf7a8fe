// What the options of xformer-translate say together.
#include "tools/inference/translation_options.h"

#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tests/tools/parsed_options.h"
#include "tools/config/config_file.h"
#include "tools/inference/output_sampling.h"

using namespace xf;
using namespace xf::tools;
using xf::tests::error_of;

namespace {

TranslationOptions translation(const std::vector<std::string>& words) {
  return xf::tests::parsed(TranslationOptions(), words);
}

std::string refusal(const std::vector<std::string>& words) {
  return error_of([&] { check_translation_options(translation(words)); });
}

nn::SamplingFilter drawing_of(std::vector<std::string> words) {
  words.insert(words.begin(), "--output-sampling");
  return *output_sampling(translation(words));
}

std::string drawing_error(std::vector<std::string> words) {
  return error_of([&] { drawing_of(std::move(words)); });
}

}  // namespace

TEST_CASE("Output sampling: full, topk and nucleus, each with a temperature or without", "[unit]") {
  CHECK_FALSE(output_sampling(translation({})));
  const nn::SamplingFilter full = drawing_of({"full"}), warm = drawing_of({"full", "1.5"});
  CHECK(full.temperature == 1);
  CHECK(full.top_k == 0);
  CHECK(full.top_p == 1);
  CHECK(warm.temperature == 1.5);
  const nn::SamplingFilter top_k = drawing_of({"topk", "10"}), cold = drawing_of({"topk", "1K", "0.5"});
  CHECK(top_k.top_k == 10);
  CHECK(top_k.temperature == 1);
  CHECK(cold.top_k == 1000);
  CHECK(cold.temperature == 0.5);
  const nn::SamplingFilter nucleus = drawing_of({"nucleus", "0.9"}),
                           both = drawing_of({"nucleus", "0.9", "0"});
  CHECK(nucleus.top_p == 0.9);
  CHECK(nucleus.top_k == 0);
  CHECK(both.temperature == 0);
}

TEST_CASE("Output sampling: whatever is none of the three is refused", "[unit]") {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"best"}, {"topk"}, {"nucleus"}, {"full", "1", "2"}})
    CHECK_THAT(drawing_error(words), Catch::Contains("--output-sampling"));
  CHECK_THAT(drawing_error({"topk", "0"}), Catch::Contains("'0' is not a whole number above 0"));
  CHECK_THAT(drawing_error({"nucleus", "1.5"}), Catch::Contains("'1.5' is not a probability above 0"));
  CHECK_THAT(drawing_error({"full", "-1"}), Catch::Contains("'-1'"));
}

TEST_CASE("Translation options: what means nothing alone or beside another is refused by name", "[unit]") {
  CHECK(refusal({"--seed", "3"}) == "2: --seed is for --output-sampling");
  CHECK(refusal({"--num-examples", "3"}) == "2: --num-examples is for --teacher-forced");
  CHECK(refusal({"--beam-size", "3", "--output-sampling", "full"}) ==
        "2: --beam-size has no effect with --output-sampling; leave one of them out");
  CHECK_THAT(refusal({"--n-best", "--output-sampling", "full"}), Catch::Contains("--n-best has no effect"));
  CHECK_THAT(refusal({"--force-decode", "--teacher-forced", "x"}),
             Catch::Contains("--force-decode has no effect"));
  CHECK(refusal({"--alignment-layer", "0"}) == "2: --alignment-layer is for --alignment");
  CHECK_THAT(refusal({"--interactive", "-i", "x"}),
             Catch::Contains("--input has no effect with --interactive"));
  for (const char* name : {"--no-spm-encode", "--no-spm-decode", "--interactive", "--stat-freq=1",
                           "--alignment=hard", "--n-best", "--word-scores", "--beam-size=3", "--normalize=1",
                           "--word-penalty=1", "--no-repeat-ngram-size=2", "--allow-unk"})
    CHECK_THAT(refusal({name, "--teacher-forced", "x"}),
               Catch::Contains("has no effect with --teacher-forced"));
  check_translation_options(translation({"--output-sampling", "full", "--seed", "3", "--n-best=false"}));
  check_translation_options(translation({"--force-decode", "--output-sampling", "full"}));
}

TEST_CASE("Translation options: what --dump-config writes is accepted again", "[unit]") {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {}, {"--teacher-forced", "x"}, {"--interactive"}, {"--output-sampling", "topk", "5", "0.5"}}) {
    const TranslationOptions options = translation(words);
    const std::string dumped = options_of(options).to_toml();
    TranslationOptions again;
    OptionList list = options_of(again);
    list.apply(parse_config(list, dumped, "dumped"), OptionList::Origin::user);
    check_translation_options(again);
    CHECK(list.to_toml() == dumped);
  }
}
