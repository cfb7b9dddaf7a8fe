#include "data/corpus_check.h"

#include "data/word_tokenizer.h"
#include "tests/data/multi30k.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::data;

TEST_CASE("Corpus check: one run shows everything there is to mend, by line", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string source = folder.write("x.en", "one two\n\nbad \xFF byte\na\u00A0b\nbell \x07\nshort\n");
  const std::string target =
      folder.write("x.de", "eins zwei\nnicht leer\nc\nd\ne\n1 2 3 4 5 6 7 8\nzu viel\n");
  CheckOptions options;
  options.max_length = 7;
  const CorpusReport report = check_corpus(source, target, options, options);
  CHECK(report.source.lines == 6);
  CHECK(report.target.lines == 7);
  CHECK(report.source.empty.lines == std::vector<int64_t>{2});
  CHECK(report.half_empty.lines == std::vector<int64_t>{2});
  CHECK(report.source.invalid_utf8.lines == std::vector<int64_t>{3});
  CHECK(report.source.no_break_spaces.lines == std::vector<int64_t>{4});
  CHECK(report.source.control_characters.lines == std::vector<int64_t>{5});
  CHECK(report.target.over_long.lines == std::vector<int64_t>{6});
  CHECK(report.unbalanced.lines == std::vector<int64_t>{6});
  CHECK_FALSE(report.clean());
  CHECK_THAT(describe(report), Catch::Contains("the numbers of lines differ: 6 and 7") &&
                                   Catch::Contains("not ready for training") && Catch::Contains("line 3"));
}

TEST_CASE("Corpus check: text of blank lines alone is nothing to train on", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string source = folder.write("x.en", "\n\n"), target = folder.write("x.de", "\n \n");
  const CorpusReport report = check_corpus(source, target, {}, {});
  CHECK_FALSE(report.clean());
  CHECK_THAT(describe(report), Catch::EndsWith("  no pair to train on\n  not ready for training\n"));
  CHECK(verdict(check_text(source, {})) == "  no line to train on\n  not ready for training\n");
}

TEST_CASE("Corpus check: text of which every pair is too long is nothing to train on", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string source = folder.write("x.en", "a b c\na\n"), target = folder.write("x.de", "a\na b c\n");
  CheckOptions options;
  options.max_length = 2;
  CHECK_FALSE(check_corpus(source, target, options, options).clean());
  CHECK(check_text(source, options).clean());
  options.max_length = 3;
  CHECK(check_corpus(source, target, options, options).clean());
  const std::string alone = folder.write("y", "a b c d\n\n");
  CHECK_FALSE(check_text(alone, options).clean());
}

TEST_CASE("Corpus check: with a tokenizer it counts tokens and unknown ones of the prepared text", "[unit]") {
  const tests::TemporaryFolder folder;
  const auto words = make_word_tokenizer("<unk>\n\u2581a\n\u2581b\n", "list");
  CheckOptions options;
  options.tokenizer = words.get();
  options.pipeline.lowercase = true;
  const TextReport report = check_text(folder.write("x", "A b\na x\n"), options);
  CHECK(report.tokens == 4);
  CHECK(report.unknown == 1);
  CHECK_THAT(describe(report), Catch::Contains("25.000 %"));
}

TEST_CASE("Corpus check: Multi30k is clean, and holds the no-break spaces that are known", "[unit]") {
  const auto folder = tests::multi30k();
  if (!folder) return;
  const CorpusReport report = check_corpus(*folder + "train.en", *folder + "train.de", {}, {});
  CHECK(report.clean());
  CHECK(report.source.lines == 29000);
  CHECK(report.target.no_break_spaces.count == 44);  // grep -c
  CHECK(report.source.no_break_spaces.count == 0);
  CHECK(report.source.empty.count + report.target.empty.count == 0);
}
