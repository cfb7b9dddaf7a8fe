// What a traced sentence holds, and the maps of attention made of it.
#include "tools/explain/attention_maps.h"

#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tests/tools/parsed_options.h"
#include "tests/tools/trained_run.h"
#include "tools/explain/word_rows.h"

namespace xf::tools::explain {
namespace {

using tests::trained_run;
using xf::tests::error_of;
using Words = std::vector<std::string>;

// Greedy: the search then takes the best word of each position.
ModelTranslator& model() {
  static ModelTranslator model(
      xf::tests::parsed(TranslationOptions(),
                        {"-m", trained_run(), "--beam-size", "1", "--device", "cpu", "--cpu-threads", "1"}));
  return model;
}

TEST_CASE("Traced sentence: what goes in, what comes out, and the values between", "[unit]") {
  const TracedSentence traced = trace_sentence(model(), "the dog runs", "ein hund");
  CHECK(traced.source == Words{"▁the", "▁dog", "▁runs", "<eos>"});
  CHECK(traced.target_in == Words{"<sos>", "▁ein", "▁hund"});
  CHECK(traced.target_out == Words{"▁ein", "▁hund", "<eos>"});
  CHECK(traced.translation == "ein hund");
  CHECK(traced.find("encoder.layers.1.self_attention", "p").value.shape() == Shape{1, 2, 4, 4});
  CHECK(traced.find("decoder.layers.0.self_attention", "p").value.shape() == Shape{1, 2, 3, 3});
  CHECK(traced.find("decoder.layers.0.cross_attention", "p").value.shape() == Shape{1, 2, 3, 4});
  CHECK(traced.values.back().block == "output");
  CHECK(traced.values.back().value.shape() == Shape{3, model().model->vocabularies.target->size()});
  CHECK(error_of([&] { traced.find("encoder", "p"); }) == "1: no block 'encoder' showed 'p'");
}

TEST_CASE("Attention maps: the mean over the heads of a layer's cross-attention has rows that sum to one",
          "[unit]") {
  const AttentionMaps maps = attention_maps(trace_sentence(model(), "the dog runs", "ein hund"));
  const std::vector<TitledMatrix> means = mean_cross_attention(maps);
  REQUIRE(means.size() == 1);  // decoder layers
  const TokenMatrix& mean = means[0].matrix;
  REQUIRE(mean.rows.size() == 3);
  for (size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (size_t column = 0; column < mean.columns.size(); ++column) sum += mean.at(row, column);
    CHECK(sum == Approx(1).epsilon(1e-5));
  }
}

TEST_CASE("Traced sentence: fed with the greedy translation, the logits are largest at its own words",
          "[unit]") {
  const TracedSentence traced = trace_sentence(model(), "it is late", "");
  const data::Tokenizer& words = *model().model->vocabularies.target;
  const Tensor& logits = traced.values.back().value;
  REQUIRE(traced.target_ids.size() > 1);
  for (size_t t = 0; t + 1 < traced.target_ids.size(); ++t) {  // the last is </s>, also where a
                                                               // limit cut
    const float* const row = logits.data<float>() + static_cast<int64_t>(t) * logits.width();
    int32_t best = traced.target_ids[t];
    for (int32_t id = 0; id < words.size(); ++id) {
      const bool banned = id == words.unk_id() || id == words.pad_id() || id == words.bos_id();
      if (!banned && row[id] > row[best] + 1e-4f) best = id;
    }
    CHECK(words.piece(best) == traced.target_out[t]);
  }
}

TEST_CASE("Traced sentence: no tokens, and too many, are refused", "[unit]") {
  CHECK(error_of([] { trace_sentence(model(), "", ""); }).starts_with("2: a sentence without tokens"));
  std::string words = "dog";
  for (int i = 1; i < 2100; ++i) words += " dog";
  CHECK(error_of([&] { trace_sentence(model(), words, ""); }).starts_with("2: a sentence of 2100 tokens"));
  CHECK(error_of([&] { trace_sentence(model(), "dog", words); }).starts_with("2: a sentence of 2100 tokens"));
}

TEST_CASE("Attention maps: one for each head, rows sum to one, the decoder sees no future", "[unit]") {
  const AttentionMaps maps = attention_maps(trace_sentence(model(), "the dog runs", "ein hund schläft"));
  REQUIRE(maps.maps.size() == (2 + 1 + 1) * 2);
  for (const AttentionMap& map : maps.maps) {
    const TokenMatrix& matrix = map.matrix;
    INFO(layer_name(map));
    CHECK(matrix.rows == (map.part == "encoder" ? maps.source
                          : map.part == "self"  ? maps.target_in
                                                : maps.target_out));
    CHECK(matrix.columns == (map.part == "self" ? maps.target_in : maps.source));
    for (size_t i = 0; i < matrix.rows.size(); ++i) {
      double sum = 0;
      for (size_t j = 0; j < matrix.columns.size(); ++j) {
        sum += matrix.at(i, j);
        if (map.part == "self" && j > i) CHECK(matrix.at(i, j) == 0);
      }
      CHECK(sum == Approx(1).margin(1e-5));
    }
  }
}

// Two maps with words of the reader's kind.
AttentionMaps example() {
  const Words source = {"▁it", "▁was", "▁ti", "red"}, target = {"▁müde", "<&>"};
  const TokenMatrix encoder{source, source, {.5, .5, 0, 0, 0, 1, 0, 0, .25, .25, .25, .25, 0, 0, 0, 1}},
      cross{target, source, {0, 0, .5, .5, 1, 0, 0, 0}};
  return {source,
          target,
          target,
          "müde",
          {{"encoder", 0, 0, encoder, true, {}},
           {"encoder", 0, 1, encoder, true, {}},
           {"cross", 0, 0, cross, true, {}},
           {"cross", 0, 1, cross, true, {}}}};
}

size_t count_of(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST_CASE("Attention maps: where a map's mass lies, by hand", "[unit]") {
  const AttentionSummary s = summary_of({{"a", "b"}, {"a", "b", "c"}, {.5, .5, 0, .1, .2, .7}});
  CHECK(s.entropy == Approx((std::log(2.0) - .1 * std::log(.1) - .2 * std::log(.2) - .7 * std::log(.7)) / 2));
  CHECK(s.same == Approx((.5 + .2) / 2));
  CHECK(s.previous == Approx(.1));
  CHECK(s.next == Approx((.5 + .7) / 2));
  CHECK(s.first == Approx((.5 + .1) / 2));
  CHECK(s.last == Approx((0 + .7) / 2));
  CHECK((s.strongest_row == 1 && s.strongest_column == 2));
  CHECK(strongest({{"a"}, {"a", "b", "c"}, {.1, .2, .7}}, 0, 2) == std::vector<size_t>{2, 1});
  CHECK(summary_of({{"a"}, {"a"}, {1}}).previous == 0);  // no such key: no division by zero
}

TEST_CASE("Attention maps: layers, heads and parts are chosen by number and name", "[unit]") {
  AttentionMaps maps = example();
  choose(maps, "cross", "0", "1");
  for (const AttentionMap& map : maps.maps) CHECK(map.chosen == (map.part == "cross" && map.head == 1));
  const auto error = [](const char* layers, const char* heads) {
    return error_of([&] {
      AttentionMaps all = example();
      choose(all, "all", layers, heads);
    });
  };
  CHECK(error("all", "0,1") == "no error");
  CHECK(error("1", "all") == "2: --layer: there is no layer 1; the last one is 0");
  CHECK(error("all", "0,7") == "2: --head: there is no head 7; the last one is 1");
  CHECK(error("first", "all") == "2: --layer: 'first' is neither all nor numbers from 0, as 0,2");
  CHECK(error("all", "-1").starts_with("2: --head: '-1'"));
}

TEST_CASE("Attention maps: a word's rows are those of its pieces", "[unit]") {
  AttentionMaps maps = example();
  set_focus(maps, "Tired");
  CHECK(maps.maps[0].focus == std::vector<size_t>{2, 3});
  CHECK_FALSE(maps.maps[2].chosen);  // the translation has no such word
  CHECK(to_text(maps).find("▁ti:  ▁it 0.25") != std::string::npos);
  maps = example();
  set_focus(maps, "müde");
  CHECK(maps.maps[2].focus == std::vector<size_t>{0});
  CHECK(error_of([&] { set_focus(maps, "ti red"); }).starts_with("2: --focus: no row for 'ti red'"));
  CHECK(error_of([&] { set_focus(maps, ""); }).starts_with("2: --focus: no row for ''"));
}

// "a dog s sleeps, ever didn't" in pieces.
TEST_CASE("Attention maps: a word is found whole, not across words nor inside one", "[unit]") {
  const Words pieces = {"▁a", "▁dog", "▁s", "▁sleep", "s", ",", "▁é", "ver", "▁didn", "'", "t", "</s>"};
  const auto focus = [&](const Words& tokens, const char* word) -> std::vector<size_t> {
    AttentionMaps maps = example();
    maps.maps = {
        {"encoder", 0, 0, {tokens, tokens, std::vector<double>(tokens.size() * tokens.size())}, true, {}}};
    if (error_of([&] { set_focus(maps, word); }) != "no error") return {};
    return maps.maps.front().focus;
  };
  CHECK(focus(pieces, "dogs").empty());
  CHECK(focus(pieces, "ver").empty());
  CHECK(focus(pieces, "sleep").empty());
  CHECK(focus(pieces, "sleeps") == std::vector<size_t>{3, 4});
  CHECK(focus(pieces, "Éver") == std::vector<size_t>{6, 7});
  CHECK(focus(pieces, "didn't") == std::vector<size_t>{8, 9, 10});
  CHECK(focus(pieces, "s") == std::vector<size_t>{2});
  CHECK(focus({"N", "c1", "Cl"}, "c1") == std::vector<size_t>{1});  // a vocabulary of words
}

// Sentences as SentencePiece cuts them, by characters too; where words end in them is what their
// writers say.
TEST_CASE("Attention maps: a word is found in every script, with spaces and without", "[unit]") {
  using Rows = std::vector<size_t>;
  // "The animal did not cross the street because it was too tired", 它 alone and inside a piece, but
  // not in 它们.
  const Words chinese = {"▁",    "这", "只", "动物", "没有", "过",  "马路",
                         "因为", "它", "太", "累",   "了",   "</s>"};
  CHECK(word_rows(chinese, "它") == Rows{8});
  CHECK(word_rows(chinese, "动物") == Rows{3});
  CHECK(word_rows(chinese, "马路") == Rows{6});
  CHECK(word_rows(chinese, "因为") == Rows{7});
  CHECK(word_rows(chinese, "动").empty());
  CHECK(word_rows({"▁因为", "它太累了"}, "它") == Rows{1});
  CHECK(word_rows({"▁因", "为它", "太累了"}, "因为") == Rows{0, 1});
  CHECK(word_rows({"▁它们太累了"}, "它").empty());
  CHECK(word_rows({"因", "为", "它", "太", "累"}, "因为") == Rows{0, 1});  // by characters, without marks
  // "Because it was tired", それ and 疲れて.
  CHECK(word_rows({"▁それ", "は", "疲れて", "いた", "から"}, "それ") == Rows{0});
  CHECK(word_rows({"▁それは", "疲れていたから"}, "それ") == Rows{0});
  CHECK(word_rows({"▁テレビ", "を見る"}, "テレビ") == Rows{0});
  // "because it is tired": มัน, and "เพราะ".
  CHECK(word_rows({"▁เพราะ", "มัน", "เหนื่อย"}, "มัน") == Rows{1});
  CHECK(word_rows({"▁เพราะมัน", "เหนื่อย"}, "มัน") == Rows{0});
  // Right to left, in the order of reading: "because it was tired"; a prefix is a part of its word.
  CHECK(word_rows({"▁لأنه", "▁كان", "▁متعب", "ا"}, "متعبا") == Rows{2, 3});
  CHECK(word_rows({"▁לא", "▁חצתה", "▁את", "▁ה", "רחוב"}, "הרחוב") == Rows{3, 4});
  CHECK(word_rows({"▁לא", "▁חצתה", "▁את", "▁ה", "רחוב"}, "רחוב").empty());
  // Apostrophes and hyphens, straight and typographic, and the words that they join.
  const Words joined = {"▁l", "’", "homme", "▁well", "-", "known", "▁didn", "’", "t", "."};
  CHECK(word_rows(joined, "l'homme") == Rows{0, 1, 2});
  CHECK(word_rows(joined, "homme") == Rows{2});
  CHECK(word_rows(joined, "well\u2010known") == Rows{3, 4, 5});
  CHECK(word_rows(joined, "didn't") == Rows{6, 7, 8});
  // Case and accents, composed or not; a piece that holds more than the word; Hindi's vowel signs;
  // Korean.
  CHECK(word_rows({"▁CAFE\u0301,", "▁ja"}, "caf\u00E9") == Rows{0});
  CHECK(word_rows({"▁वह", "▁थ", "का", "▁था"}, "थका") == Rows{1, 2});
  CHECK(word_rows({"▁그것", "은", "▁피곤"}, "그것은") == Rows{0, 1});
  // subword-nmt's pieces.
  CHECK(word_rows({"the", "ani@@", "mal", "ran"}, "animal") == Rows{1, 2});
  CHECK(word_rows({"the", "ani@@", "mal", "ran"}, "ani").empty());
}

TEST_CASE("Attention maps: an empty number of a layer is refused", "[unit]") {
  for (const char* layers : {",", "0,", "0,,0"}) {
    AttentionMaps maps = example();
    CHECK_THAT(error_of([&] { choose(maps, "all", layers, "all"); }), Catch::StartsWith("2: --layer: "));
  }
}

TEST_CASE("Attention maps: the table says what its columns are", "[unit]") {
  CHECK_THAT(to_text(example()), Catch::Contains("entropy: of the weights, in nats"));
}

TEST_CASE("Traced sentence: one that is longer than the training's is told", "[unit]") {
  const LoadedModel& loaded = *model().model;
  const int64_t most = loaded.model->config().max_length;
  CHECK(length_warning(loaded, most).empty());
  CHECK(length_warning(loaded, most + 1) ==
        fmt::format("a sentence of {} tokens; {} was trained on at most {}, </s> counted", most + 1,
                    loaded.folder, most));
}

TEST_CASE("Attention maps: text, JSON, picture and page show every chosen weight", "[unit]") {
  AttentionMaps maps = example();
  const auto json = nlohmann::json::parse(to_json(maps));
  REQUIRE(json.at("maps").size() == 4);
  CHECK(json["maps"][2]["weights"] == nlohmann::json({{0, 0, .5, .5}, {1, 0, 0, 0}}));
  CHECK(json["maps"][2]["queries"] == nlohmann::json(maps.target_out));
  constexpr size_t kCells = 16 + 16 + 8 + 8;
  CHECK(count_of(to_svg(maps), " → ") == kCells);  // a tooltip for each cell
  const std::string page = to_html(maps);
  CHECK(count_of(page, " → ") == kCells);
  CHECK(count_of(page, "<script") == 0);
  CHECK(count_of(page, "<&>") == 0);
  for (const char* anchor : {"encoder-0-0", "encoder-0-1", "cross-0-0", "cross-0-1"})
    CHECK(count_of(page, fmt::format("id=\"{}\"", anchor)) == 1);

  choose(maps, "cross", "all", "0");
  CHECK(nlohmann::json::parse(to_json(maps)).at("maps").size() == 1);
  CHECK(count_of(to_svg(maps), " → ") == 8);
  CHECK(count_of(to_html(maps), " → ") == kCells + 8);  // all small, the chosen one large as well
  CHECK(to_text(maps).find("cross-attention, layer 0, head 0") != std::string::npos);
  maps = example();
  set_focus(maps, "it");
  CHECK(count_of(to_svg(maps), " → ") == 2 * 4);  // its row in two heads
  CHECK(count_of(to_html(maps), "id=\"focus-encoder-0-0\"") == 1);
}

// HTML, "The dir attribute": auto takes the direction of the first letter that has one; in SVG that
// is unicode-bidi's plaintext. What stands from left to right needs neither.
TEST_CASE("Attention maps: text from right to left stands so, on the page and in the picture", "[unit]") {
  for (const char* word : {"كلب", "כלב", "سگ", "ܟܠܒܐ"}) {
    AttentionMaps maps = example();
    for (AttentionMap& map : maps.maps) map.matrix.columns[1] = word;
    maps.source[1] = word;
    const std::string page = to_html(maps), picture = to_svg(maps);
    INFO(word);
    CHECK_THAT(page, Catch::Contains(fmt::format("<p dir=\"auto\">Source: {}", fmt::join(maps.source, " "))));
    // a column of each map
    CHECK(count_of(picture, "unicode-bidi=\"plaintext\"") == maps.maps.size());
    CHECK(count_of(page, "unicode-bidi=\"plaintext\"") == maps.maps.size());
  }
  CHECK(count_of(to_svg(example()), "unicode-bidi") == 0);
}

TEST_CASE("Attention maps: the command says what it lacks", "[unit]") {
  CHECK(error_of([] {
          attention(xf::tests::parsed(AttentionOptions(), {"a dog"}));
        }).starts_with("2: xformer-explain attention needs --model DIR"));
  const std::string text =
      attention(xf::tests::parsed(AttentionOptions(), {"the", "dog", "-m", trained_run()}));
  CHECK(text.starts_with("source       ▁the ▁dog <eos>\n"));
}

}  // namespace
}  // namespace xf::tools::explain
