// Expectations: what spaCy 3.8.18 itself prints for a sentence (spacy.blank("en"),
// spacy.blank("de")), except where a test says otherwise. Counts on Multi30k were made with spaCy's
// published rules, for 3.x and for 2.2.3, outside this project.
#include "tools/tutorials/spacy/spacy_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/parallel_corpus.h"
#include "data/text_file.h"
#include "data/word_tokenizer.h"
#include "tests/data/errors.h"
#include "tests/data/multi30k.h"
#include "tests/support/catch.h"
#include "tools/tutorials/spacy/characters.h"
#include "tools/tutorials/spacy/exceptions.h"

namespace xf::data {
namespace {

using tests::error_of;

std::string cut(const std::string& description, const std::string& text) {
  return fmt::format("{}", fmt::join(make_word_rules(description)->split(text), "|"));
}

TEST_CASE("spaCy: contractions, hyphens, times and abbreviations of English", "[golden]") {
  for (const char* rules : {"spacy3 en", "spacy2.2 en"}) {
    CHECK(cut(rules, "It's a dog's toy; don't touch!") == "It|'s|a|dog|'s|toy|;|do|n't|touch|!");
    CHECK(cut(rules, "We cannot; I'ma y'all, 8am, 10p.m. (e.g. U.S.).") ==
          "We|can|not|;|I|'m|a|y'|all|,|8|am|,|10|p.m.|(|e.g.|U.S.|)|.");
    CHECK(cut(rules, "its, were, dont, can’t") == "its|,|were|,|do|nt|,|ca|n’t");
  }
  CHECK(cut("spacy3 en", "10-year-old boy's T-shirt") == "10|-|year|-|old|boy|'s|T|-|shirt");
}

TEST_CASE("spaCy: German keeps hyphens and abbreviations, and splits a slash", "[golden]") {
  CHECK(cut("spacy3 de", "Ein 10-jähriger im T-Shirt, z.B. ca. 3km.") ==
        "Ein|10-jähriger|im|T-Shirt|,|z.B.|ca.|3|km|.");
  CHECK(cut("spacy3 de", "Rot/Blau 2-3 »So«, sagt er: „Ja!“") ==
        "Rot|/|Blau|2|-|3|»|So|«|,|sagt|er|:|„|Ja|!|“");
}

// The words in which the two vocabularies of Multi30k differ.
TEST_CASE("spaCy: what 3 does otherwise than 2.2", "[golden]") {
  CHECK(cut("spacy3 de", "Rot/Blau 25. McDonald's") == "Rot|/|Blau|25.|McDonald's");
  CHECK(cut("spacy2.2 de", "Rot/Blau 25. McDonald's") == "Rot/Blau|25|.|McDonald|'s");
  CHECK(cut("spacy3 de", "bei McDonald’s.") == "bei|McDonald|’s|.");  // by the second pass
  CHECK(cut("spacy3 en", "a 25°C. c'mon") == "a|25|°|C|.|c'm|on");
  CHECK(cut("spacy2.2 en", "c'mon") == "c'mon");
}

TEST_CASE("spaCy: smileys are found again once affixes are cut, but not across a space", "[golden]") {
  CHECK(cut("spacy3 en", "xx:)! : ) ...:)") == "xx|:)|!|:|)|...|:)");
  CHECK(cut("spacy2.2 en", "xx:)!") == "xx|:|)|!");
}

TEST_CASE("spaCy: addresses stay whole", "[golden]") {
  for (const char* rules : {"spacy3 en", "spacy2.2 en"}) {
    CHECK(cut(rules, "(http://a.example.org:80/x?y=1-2), me@example.com") ==
          "(|http://a.example.org:80/x?y=1-2|)|,|me@example.com");
    CHECK(cut(rules, "8.8.8.8/a=b 10.0.0.1/a=b") == "8.8.8.8/a=b|10.0.0.1|/|a|=|b");
  }
}

TEST_CASE("spaCy: white space beyond one space is a word", "[golden]") {
  CHECK(cut("spacy3 en", "a  b") == "a| |b");
  CHECK(cut("spacy3 en", " a\t b ") == " |a|\t |b");
  CHECK(cut("spacy3 de", "a\u00A0b   c") == "a|\u00A0|b|  |c");
  CHECK(cut("spacy3 en", "").empty());
}

// As S002's idx_to_word, " ".join(words), which its BLEU pairs word by word.
TEST_CASE("Words apart: what was cut stays cut, characters make up their words", "[unit]") {
  const std::string words = "<unk>\n<pad>\n<sos>\n<eos>\nvergessen\n,\nins\n\u2581vergessen\n\u2581ins\n";
  const auto apart = [](const std::string& list, const std::vector<int32_t>& ids) {
    return make_word_tokenizer(list, "a list")->decode_apart(ids);
  };
  CHECK(apart("#words spacy3 de\n" + words, {2, 4, 5, 6, 3}) == "vergessen , ins");
  CHECK(apart(words, {2, 7, 5, 8, 3}) == "vergessen , ins");
  const std::string letters = "#words character\n<unk>\n<pad>\n<sos>\n<eos>\na\nb\n\u2581\n";
  CHECK(apart(letters, {4, 5, 6, 5}) == "ab b");
}

TEST_CASE("spaCy: no exception is longer than the longest", "[unit]") {
  size_t longest = 0;
  for (const SpacyRules rules : {SpacyRules::v3, SpacyRules::v2_2}) {
    for (const SpacyLanguage language : {SpacyLanguage::english, SpacyLanguage::german}) {
      for (const auto& [text, tokens] : spacy::exceptions(rules, language))
        longest = std::max(longest, text.size());
    }
  }
  CHECK(longest == spacy::kLongestException);
}

TEST_CASE("spaCy: as many exceptions and symbols as spaCy has", "[golden]") {
  using enum SpacyRules;
  using enum SpacyLanguage;
  CHECK(spacy::exceptions(v3, english).size() == 1347);
  CHECK(spacy::exceptions(v3, german).size() == 417);
  CHECK(spacy::exceptions(v2_2, english).size() == 1246);
  CHECK(spacy::exceptions(v2_2, german).size() == 396);
  CHECK(spacy::characters(v3).icons.size() == 5984);
}

TEST_CASE("spaCy: joined words have sensible spaces", "[unit]") {
  const auto back = [](const char* rules, const char* text) {
    return make_word_rules(rules)->join(make_word_rules(rules)->split(text));
  };
  for (const char* text : {"It's a dog's toy (red); don't touch!", "A 10-year-old boy's T-shirt.", "a  b"})
    CHECK(back("spacy3 en", text) == text);
  CHECK(back("spacy3 de", "Ein Mann - im T-Shirt - geht.") == "Ein Mann - im T-Shirt - geht.");
  CHECK(back("spacy3 de", "Er (rot) sagt: „Ja“, »nein«.") == "Er (rot) sagt: „Ja“, »nein«.");
  CHECK(back("spacy3 en", "He says “yes”.") == "He says “yes”.");
  CHECK(back("spacy3 en", "and/or \"x\" - y") == "and/or \" x \"-y");  // what is lost
}

TEST_CASE("spaCy: a word list says by which rules it cuts", "[unit]") {
  const std::vector<std::string> text = {"Don't I'm don't I'm"};
  const auto made = build_word_tokenizer(
      {&text}, {.min_frequency = 2, .specials = {}, .rules = make_word_rules("spacy3 en lowercase")});
  CHECK(made->serialize() == "#words spacy3 en lowercase\n<unk>\n<pad>\n<sos>\n<eos>\n'm\ndo\ni\nn't\n");
  const auto again = make_tokenizer(made->serialize(), "list");
  CHECK(again->checksum() == made->checksum());
  CHECK(again->lowercases());
  CHECK(again->encode("DON'T I'm") == made->encode("DON'T I'm"));
  CHECK(again->decode(again->encode("I'm Bob")) == "i'm <unk>");
  CHECK(error_of([] {
          make_tokenizer("#words spacy3 fr\n<unk>\n", "list");
        }).starts_with("2: tokenizer: no rules"));
  CHECK(error_of([] { make_tokenizer("#words spacy3 en", "list"); }).find("has no '<unk>'") !=
        std::string::npos);
}

struct Side {
  const char *rules, *language;
  int64_t tokens;
  size_t types;
  int32_t vocabulary;
  size_t longest;
  int64_t valid_unknown, test_unknown;
  int32_t space;  // the id of the word " "
};

std::vector<std::string> lines(const std::string& path) {
  std::vector<std::string> text = read_lines(path);
  for (std::string& line : text) line = TextPipeline{}.prepare(line);
  return text;
}

int64_t unknown(const Tokenizer& tokenizer, const std::string& path) {
  int64_t count = 0;
  for (const std::string& line : lines(path)) {
    const auto ids = tokenizer.encode(line);
    count += std::count(ids.begin(), ids.end(), tokenizer.unk_id());
  }
  return count;
}

// The vocabularies' SHA-256 is compared in tests/e2e/spacy_words.sh.
TEST_CASE("spaCy: Multi30k's tokens, types, vocabularies, longest lines and unknown words", "[golden]") {
  const auto folder = tests::multi30k();
  if (!folder) return;
  for (const Side& side : {Side{"spacy3", "en", 380190, 9793, 5893, 41, 260, 220, 4556},
                           Side{"spacy3", "de", 360726, 18665, 7853, 44, 570, 454, 664},
                           Side{"spacy2.2", "en", 380186, 9795, 5893, 41, 260, 220, 4556},
                           Side{"spacy2.2", "de", 360751, 18655, 7855, 44, 569, 453, 664}}) {
    CAPTURE(side.rules, side.language);
    const auto rules = make_word_rules(fmt::format("{} {} lowercase", side.rules, side.language));
    const std::vector<std::string> train = lines(*folder + "train." + side.language);
    const WordCounts counts = count_words({&train}, *rules);
    CHECK(counts.total == side.tokens);
    CHECK(counts.times.size() == side.types);
    size_t longest = 0;
    for (const std::string& line : train) longest = std::max(longest, rules->split(line).size());
    CHECK(longest == side.longest);
    const auto tokenizer = build_word_tokenizer(counts, {.specials = {}, .rules = rules});
    CHECK(tokenizer->size() == side.vocabulary);
    CHECK(tokenizer->piece(side.space) == " ");
    CHECK(unknown(*tokenizer, *folder + "val." + side.language) == side.valid_unknown);
    CHECK(unknown(*tokenizer, *folder + "test_2016_flickr." + side.language) == side.test_unknown);
  }
}

TEST_CASE("spaCy: Multi30k's first ids, and the ids of its first lines", "[golden]") {
  const auto folder = tests::multi30k();
  if (!folder) return;
  const auto vocabulary = [&](const std::string& language, const std::string& first) {
    const std::vector<std::string> train = lines(*folder + "train." + language);
    auto made = build_word_tokenizer(
        {&train}, {.specials = {}, .rules = make_word_rules("spacy3 " + language + " lowercase")});
    std::string beginning;
    for (int32_t id = 0; id < 16; ++id) beginning += made->piece(id) + " ";
    CHECK(beginning == "<unk> <pad> <sos> <eos> " + first);
    return std::pair(std::move(made), train);
  };
  const auto [english, from] = vocabulary("en", "a . in the on man is and of with woman , ");
  const auto [german, to] = vocabulary("de", ". ein einem in eine , und mit auf mann einer der ");
  using Ids = std::vector<int32_t>;
  CHECK(english->encode(from[0]) == Ids{16, 24, 15, 25, 778, 17, 57, 80, 202, 1312, 5});
  CHECK(german->encode(to[0]) == Ids{18, 26, 253, 30, 84, 20, 88, 7, 15, 110, 7647, 3171, 4});
  // "Antriebsradsystem" is unknown
  CHECK(german->encode(to[1]) == Ids{76, 30, 11, 831, 2068, 5, 0, 4});
}

}  // namespace
}  // namespace xf::data
