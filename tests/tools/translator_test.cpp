// Lines to translations, with what xformer-translate's options ask for.
#include "tools/inference/model_translator.h"

#include <fmt/format.h>

#include "data/vocabularies.h"
#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tests/tools/random_run.h"
#include "tools/explain/attention_maps.h"
#include "tools/inference/translation_progress.h"

using namespace xf;
using namespace xf::tools;
using xf::tests::error_of;
using xf::tests::RandomRun;
using Lines = std::vector<std::string>;

namespace {

std::vector<Translation> translate(const Lines& lines, const std::vector<GivenOption>& options) {
  const RandomRun run;
  const ModelTranslator model(run.translating(options));
  std::vector<SourceLine> prepared;
  for (size_t i = 0; i < lines.size(); ++i)
    prepared.push_back(model.source_line(lines[i], fmt::format("lines:{}", i + 1)));
  return model.translator.translate(prepared);
}

Lines texts(const std::vector<Translation>& translations) {
  Lines all;
  for (const Translation& translation : translations)
    all.insert(all.end(), translation.texts.begin(), translation.texts.end());
  return all;
}

GivenOption option(const char* name, const Lines& words) { return {name, words, "a test"}; }

const Lines kSources = {"the old dog sees a small horse", "a small dog runs home", "", "the horse", "a dog"};

}  // namespace

TEST_CASE("Translator: each hypothesis begins with its line's prefix, in any batch", "[unit]") {
  const Lines prefixes = {"ein kleiner", "", "der", "alte hund sieht", "heim"};
  Lines lines;
  for (size_t i = 0; i < kSources.size(); ++i) lines.push_back(kSources[i] + '\t' + prefixes[i]);
  const auto with = [&](const char* beam, const char* batch) {
    return translate(lines, {option("force-decode", {"true"}), option("beam-size", {beam}),
                             option("n-best", {"true"}), option("mini-batch", {batch})});
  };
  for (const char* beam : {"1", "4"}) {
    const auto together = with(beam, "64");
    for (size_t i = 0; i < lines.size(); ++i) {
      if (kSources[i].empty()) {
        CHECK(together[i].texts == Lines{""});  // a line without tokens stays empty
        continue;
      }
      for (const std::string& text : together[i].texts) {
        INFO(text);
        CHECK(text.starts_with(prefixes[i]));
      }
    }
    CHECK(texts(with(beam, "1")) == texts(together));
  }
}

TEST_CASE("Translator: without a prefix --force-decode changes nothing", "[unit]") {
  Lines tabs = kSources;
  for (std::string& line : tabs) line += '\t';
  const auto plain = texts(translate(kSources, {}));
  CHECK(texts(translate(kSources, {option("force-decode", {"true"})})) == plain);
  CHECK(texts(translate(tabs, {option("force-decode", {"true"})})) == plain);
  CHECK(error_of([] {
          translate({"a dog", "a\tb\tc"}, {option("force-decode", {"true"})});
        }) == "3: lines:2: --force-decode reads a source, a tab and a prefix; this line has 2 tabs");
  std::string long_prefix = "a dog\tder";
  for (int i = 1; i < 2049; ++i) long_prefix += " der";
  CHECK(error_of([&] {
          translate({"a dog", long_prefix}, {option("force-decode", {"true"})});
        }) == "3: lines:2: the prefix has 2049 tokens; a translation has at most 2048");
}

// What the vocabulary has no word for, in several scripts; capitals, which the model does not know
// either.
TEST_CASE("Translator: a prefix stays as it is written, whatever the vocabulary has of it", "[unit]") {
  for (const char* prefix : {"ein \u732B", "\u0645\u0631\u062D\u0628\u0627", "Ein Kleiner",
                             "der \U0001F600 hund", "\u2603", "na\u00EFve \u00AB\u00A0hund\u00A0\u00BB"}) {
    for (const char* beam : {"1", "3"}) {
      const auto found = texts(translate(
          {std::string("a small dog\t") + prefix},
          {option("force-decode", {"true"}), option("beam-size", {beam}), option("n-best", {"true"})}));
      for (const std::string& text : found) {
        INFO(text);
        CHECK(text.starts_with(prefix));
        CHECK(text.find("<unk>") == std::string::npos);
      }
      const auto pieces = texts(translate({std::string("a small dog\t") + prefix},
                                          {option("force-decode", {"true"}),
                                           option("no-spm-decode", {"true"}), option("beam-size", {beam})}));
      CHECK(pieces.front().find("<unk>") == std::string::npos);
    }
  }
}

TEST_CASE("Translator: an unknown piece in a prefix of pieces is refused by its name", "[unit]") {
  const std::vector<GivenOption> pieces = {option("force-decode", {"true"}),
                                           option("no-spm-encode", {"true"})};
  CHECK(error_of([&] { translate({"\u2581a \u2581dog\t\u2581ein \u2603"}, pieces); }) ==
        "3: lines:1: the vocabulary has no piece '\u2603', which is in the prefix; "
        "leave it out, or give text without --no-spm-encode");
  auto both = pieces;
  both.push_back(option("no-spm-decode", {"true"}));
  CHECK(texts(translate({"\u2581a \u2581dog\t\u2581ein \u2603"}, both))
            .front()
            .starts_with("\u2581ein \u2603"));
}

TEST_CASE("Translator: lines of zero-width characters alone are empty lines", "[unit]") {
  for (const char* line : {"\u200B", "\u200D\u2060", "\uFEFF \u200F", "\t"}) {
    CHECK(texts(translate({line}, {})) == Lines{""});
    CHECK(texts(translate({line}, {option("no-spm-encode", {"true"})})) == Lines{""});
    CHECK(texts(translate({std::string(line == std::string("\t") ? "" : line) + "\tein hund"},
                          {option("force-decode", {"true"})})) == Lines{""});
  }
}

TEST_CASE("Translator: lines that are mostly unknown are told", "[unit]") {
  const auto found =
      translate({"a small dog", "\u5C0F\u72D7\u5728\u8349\u5730\u4E0A\u3002",
                 "\u043C\u0430\u043B\u0435\u043D\u044C\u043A\u0438\u0439 dog", "a dog \u2603", ""},
                {});
  std::vector<bool> unknown;
  for (const Translation& translation : found) unknown.push_back(translation.unknown);
  CHECK(unknown == std::vector<bool>{false, true, true, false, false});
  TranslationCounts counts;
  for (size_t i = 0; i < found.size(); ++i) counts.add(found[i], static_cast<int64_t>(i) + 1);
  CHECK_THAT(fmt::format("{}", fmt::join(warnings(counts, "lines"), " ")),
             Catch::Contains("mostly unknown to the vocabulary: 2 lines"));
}

TEST_CASE("Translator: a draw depends on seed and line number, not on the batch", "[unit]") {
  const auto drawn = [&](const char* batch, const char* seed) {
    return texts(translate(kSources, {option("output-sampling", {"full"}), option("seed", {seed}),
                                      option("mini-batch", {batch})}));
  };
  const Lines together = drawn("64", "5");
  CHECK(drawn("1", "5") == together);
  CHECK(drawn("64", "6") != together);
  const Lines twice = texts(translate({"a dog", "a dog"}, {option("output-sampling", {"full"})}));
  CHECK(twice[0] != twice[1]);
}

TEST_CASE("Translator: an alignment is the attention that xformer-explain shows", "[unit]") {
  const RandomRun run;
  ModelTranslator model(run.translating({option("alignment", {"soft"}), option("n-best", {"true"}),
                                         option("beam-size", {"3"}), option("max-length", {"6"})}));
  const Lines sources = {kSources[0], kSources[3]};
  const auto translations = model.translator.translate(sources);
  for (size_t line = 0; line < sources.size(); ++line) {
    const Translation& translation = translations[line];
    REQUIRE(translation.alignments.size() == translation.hypotheses.size());
    for (size_t i = 0; i < translation.hypotheses.size(); ++i) {
      const nn::Alignment& alignment = translation.alignments[i];
      CHECK(alignment.targets == translation.hypotheses[i].token_log_probabilities.size());
      const auto maps = explain::attention_maps(
          explain::trace_pair(model.translation, model.arena, model.text, model.device,
                              model.text.source->encode(sources[line]), translation.hypotheses[i].ids));
      const TokenMatrix shown = explain::mean_cross_attention(maps).front().matrix;
      REQUIRE(alignment.sources == shown.columns.size());
      for (size_t t = 0; t < alignment.targets; ++t) {
        for (size_t s = 0; s < alignment.sources; ++s)
          CHECK(alignment.at(t, s) == Approx(shown.at(t, s)).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE(
    "Translator: with learnt positions a translation that was cut at the table's end is shown up to there",
    "[unit]") {
  const RandomRun run("transformer-train-positions = true\n");
  ModelTranslator model(run.translating(
      {option("max-length", {"100"}), option("max-length-factor", {"100"}), option("beam-size", {"1"})}));
  const std::vector<int32_t> ids = model.translator.translate(Lines{"a dog"}).front().hypotheses.front().ids;
  REQUIRE(ids.size() == 21);  // max-length and </s>
  const explain::TracedSentence traced = explain::trace_sentence(model, "a dog", "");
  REQUIRE(traced.target_ids.size() == ids.size());
  CHECK(std::equal(ids.begin(), ids.end() - 1, traced.target_ids.begin()));
  CHECK(traced.target_ids.back() == model.text.target->eos_id());
}

TEST_CASE("Translator: pieces in, pieces out, and the same translation", "[unit]") {
  const RandomRun run;
  const ModelTranslator words(run.translating({})),
      pieces(run.translating({option("no-spm-encode", {"true"}), option("no-spm-decode", {"true"})}));
  const data::Vocabularies& vocabularies = words.model->vocabularies;
  for (const std::string& line : kSources) {
    std::string cut;
    for (const int32_t id : vocabularies.source->encode(line)) cut += vocabularies.source->piece(id) + " ";
    const Translation expected = words.translator.translate(Lines{line})[0],
                      found = pieces.translator.translate({pieces.source_line(cut, "")})[0];
    CHECK(vocabularies.target->decode(pieces.text.target->encode(found.texts[0])) == expected.texts[0]);
  }
}

TEST_CASE("Translator: threads that have a batch each find what one finds, and draw the same", "[unit]") {
  for (const GivenOption& search : {option("beam-size", {"3"}), option("output-sampling", {"full"})}) {
    const auto with = [&](const char* threads) {
      return texts(
          translate(kSources, {search, option("mini-batch", {"1"}), option("cpu-threads", {threads})}));
    };
    const Lines alone = with("1");
    CHECK(with("3") == alone);
    CHECK(with("8") == alone);  // more than there are batches
  }
}

TEST_CASE("Translator: tells each translation once", "[unit]") {
  const RandomRun run;
  const ModelTranslator model(run.translating({option("mini-batch", {"2"}), option("cpu-threads", {"2"})}));
  std::vector<SourceLine> lines;
  for (const std::string& line : kSources) lines.push_back({line});
  std::vector<size_t> told(lines.size());
  model.translator.translate(lines, 0, [&](const Translation& translation, size_t line) {
    CHECK(translation.texts.size() == 1);
    CHECK(translation.hypotheses.empty() == kSources[line].empty());
    ++told[line];
  });
  CHECK(told == std::vector<size_t>(lines.size(), 1));
}
