// Text to ids as MarianTokenizer of transformers has them: tests/golden/make_marian_tokenizer.py.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "data/vocabularies.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tools/formats/foreign_vocabulary.h"
#include "tools/formats/settings.h"
#include "tools/inference/tag_check.h"

using namespace xf;
using namespace xf::tools;
using namespace xf::tools::exchange;

namespace {

std::string fixtures() { return tests::source_folder() + "/tests/fixtures/marian_tokenizer/"; }

data::Vocabularies read(const std::string& kind) {
  const std::string folder = fixtures() + kind, path = folder + "/vocab.json";
  const ForeignVocabulary list{parse_pieces(read_file(path), path), {.bos = "<pad>"}};
  std::vector<std::string> warnings;
  return foreign_vocabularies(folder, list, list, true, warnings);
}

std::vector<int32_t> without(int32_t unknown, std::vector<int32_t> ids) {
  std::erase(ids, unknown);
  return ids;
}

}  // namespace

TEST_CASE("Marian tokenizer: both sides have transformers' ids, by every type of SentencePiece model",
          "[golden]") {
  const auto expected = nlohmann::json::parse(read_file(fixtures() + "ids.json"));
  std::vector<std::string> lines;
  for (std::string rest = read_file(fixtures() + "lines"); !rest.empty();) {
    lines.push_back(rest.substr(0, rest.find('\n')));
    rest.erase(0, lines.back().size() + 1);
  }
  for (const std::string kind : {"unigram", "bpe", "char", "word"}) {
    const data::Vocabularies read_here = read(kind);
    // What a run folder keeps is the same again.
    const data::Vocabularies stored = data::vocabularies_of(read_here.files());
    for (const data::Vocabularies& vocabularies : {read_here, stored}) {
      for (size_t i = 0; i < lines.size(); ++i) {
        INFO(kind << ": " << lines[i]);
        const std::vector<int32_t> target = vocabularies.target->encode(lines[i]);
        CHECK(vocabularies.source->encode(lines[i]) ==
              expected[kind]["source"][i].get<std::vector<int32_t>>());
        CHECK(target == expected[kind]["target"][i].get<std::vector<int32_t>>());
        CHECK(vocabularies.target->decode(without(vocabularies.target->unk_id(), target)) ==
              expected[kind]["decoded"][i].get<std::string>());
      }
    }
  }
}

TEST_CASE("Marian tokenizer: tags are entries as they stand, in any case and number, and text is none",
          "[unit]") {
  const data::Vocabularies vocabularies = read("bpe");
  const data::Tokenizer& source = *vocabularies.source;
  CHECK(source.tags() == std::vector<std::string>{">>cmn_Hans<<", ">>fra<<"});
  const auto cut = [&](const std::string& text) {
    std::vector<std::string> pieces;
    for (const int32_t id : source.encode(text)) pieces.push_back(source.piece(id));
    return pieces;
  };
  const std::vector<std::string> dog = {"\u2581the", "\u2581d", "og"};
  const auto behind = [&](std::vector<std::string> tags) {
    tags.insert(tags.end(), dog.begin(), dog.end());
    return tags;
  };
  CHECK(cut(">>fra<< >>cmn_Hans<< the dog") == behind({">>fra<<", ">>cmn_Hans<<"}));
  CHECK(cut(">>cmn_hans<< the dog") == behind({">>cmn_Hans<<"}));  // as --lowercase makes it
  CHECK(cut("  >>fra<<  the dog") == behind({">>fra<<"}));
  CHECK(cut(">>xyz<< the dog") == behind({"<unk>"}));
  CHECK(std::ranges::count(cut("the >>fra<< dog"), ">>fra<<") == 0);
}

TEST_CASE("Marian tokenizer: a folder without SentencePiece reads text that is cut already, and says so",
          "[unit]") {
  const tests::TemporaryFolder folder;
  const ForeignVocabulary list{{"</s>", "<unk>", "der", "Hu@@", "nd", "<s>", "<pad>"}, {.bos = "<pad>"}};
  std::vector<std::string> warnings;
  const data::Vocabularies vocabularies = foreign_vocabularies(folder / "", list, list, true, warnings);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0],
             Catch::Contains("lines must be pieces of the model's vocabulary, separated by spaces"));
  for (const data::Vocabularies& read : {vocabularies, data::vocabularies_of(vocabularies.files())}) {
    CHECK(read.joint());
    CHECK(read.source->encode("der Hu@@ nd \u732B") == std::vector<int32_t>{2, 3, 4, 1});
    CHECK(read.source->decode(std::vector<int32_t>{6, 2, 3, 4, 0}) == "der Hu@@ nd");
    // The list has "<s>", and translations begin with "<pad>" all the same.
    CHECK(read.target->bos_id() == 6);
    CHECK(read.target->pad_id() == 6);
    CHECK(read.target->eos_id() == 0);
  }
}

TEST_CASE("Marian tokenizer: a line without a tag, or with one that the model lacks, is told once",
          "[unit]") {
  TagCheck check(*read("bpe").source);
  CHECK(!check.warning(">>fra<< the dog", "a:1"));
  CHECK(!check.warning(">>cmn_hans<< >>fra<<the dog", "a:2"));
  CHECK(!check.warning("", "a:3"));
  CHECK(check.warning("the dog", "a:4") ==
        "a:4: does not begin with a language tag, and the model has several; begin lines with one of "
        ">>cmn_Hans<< >>fra<<");
  CHECK(!check.warning("the cat", "a:5"));
  CHECK(check.warning(">>fra<< >>xyz<< the dog", "a:6") ==
        "a:6: >>xyz<< is unknown to the model; it has >>cmn_Hans<< >>fra<<");
  CHECK(!check.warning(">>abc<< the cat", "a:7"));
}
