// Expectations: what torchtext 0.6's Field gives for these lines, worked out by hand
// (tests/tutorials/field_test.cpp has its rules). Each option of the command changes what is
// printed.
#include "tools/tutorials/commands.h"

#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/tools/parsed_options.h"
#include "tests/tools/trained_run.h"

using namespace xf;
using namespace xf::tools;

namespace {

const char* const kText = "the dog sees the cat\nThe cat runs\n";

// What the command prints for kText, without the file's name.
std::string printed(std::vector<std::string> words, const char* text = kText) {
  const xf::tests::TemporaryFolder folder;
  words.insert(words.begin(), folder.write("train.en", text));
  std::string page = tutorials::field_page(xf::tests::parsed(FieldOptions(), words));
  const size_t at = page.find(words.front());
  return page.erase(at, words.front().size() + 1);
}

std::string rows(std::vector<std::string> words, const char* text = kText) {
  words.push_back("--batch-first");
  const std::string page = printed(std::move(words), text);
  return page.substr(page.find('['));
}

}  // namespace

TEST_CASE("Field batches: a column is an example, with --batch-first a row", "[golden]") {
  CHECK(printed({}) ==
        "vocabulary of 8: <unk> <pad> cat the The dog runs sees\n"
        "[5, 2]\n  the   The\n  dog   cat\n  sees  runs\n  the   <pad>\n  cat   <pad>\n");
  CHECK(rows({}) == "[2, 5]\n  the  dog  sees  the    cat\n  The  cat  runs  <pad>  <pad>\n");
}

TEST_CASE("Field batches: ids, lengths, lower case, the number of examples", "[golden]") {
  CHECK(rows({"--format", "id", "--include-lengths"}) ==
        "[2, 5]\n  3  5  7  3  2\n  4  2  6  1  1\n  lengths 5 3\n");
  CHECK(rows({"--lowercase", "--num-examples", "1"}) == "[1, 5]\n  the  dog  sees  the  cat\n");
  CHECK(printed({"--lowercase"}).starts_with("vocabulary of 7: <unk> <pad> the cat dog runs sees\n"));
}

TEST_CASE("Field batches: init, eos, pad and unk tokens are as given, or none", "[golden]") {
  CHECK(rows({"--init-token", "<sos>", "--eos-token", "<eos>", "--pad-token", "_"}) ==
        "[2, 7]\n  <sos>  the  dog  sees  the    cat  <eos>\n  <sos>  The  cat  runs  <eos>  _    _\n");
  CHECK(rows({"--min-freq", "2", "--unk-token", "?"}) ==
        "[2, 5]\n  the  ?    ?  the    cat\n  ?    cat  ?  <pad>  <pad>\n");
  CHECK(xf::tests::error_of([] {
          rows({"--pad-token", "none"});
        }) == "2: field: examples of different lengths need a pad_token");
  CHECK(xf::tests::error_of([] {
          rows({"--min-freq", "2", "--unk-token", "none"});
        }).starts_with("3: field: 'dog'"));
}

TEST_CASE("Field batches: a fixed length cuts behind or in front, padding goes behind or in front",
          "[golden]") {
  const std::vector<std::string> fixed = {"--init-token", "<sos>",        "--eos-token",
                                          "<eos>",        "--fix-length", "5"};
  const auto with = [&](const char* option) {
    std::vector<std::string> words = fixed;
    words.push_back(option);
    return rows(words, "a b c d e f\ng h\n");
  };
  // Longer than the length that is left: both special tokens are kept.
  CHECK(rows(fixed, "a b c d e f\ng h\n") ==
        "[2, 5]\n  <sos>  a  b  c      <eos>\n  <sos>  g  h  <eos>  <pad>\n");
  CHECK(with("--truncate-first").find("<sos>  d  e  f      <eos>") != std::string::npos);
  CHECK(with("--pad-first").find("  <pad>  <sos>  g  h  <eos>\n") != std::string::npos);
}

TEST_CASE("Field batches: stop words, size of the vocabulary, tokenizer", "[golden]") {
  CHECK(rows({"--stop-words", "the", "The"}) == "[2, 3]\n  dog  sees  cat\n  cat  runs  <pad>\n");
  CHECK(printed({"--max-size", "1"}).starts_with("vocabulary of 3: <unk> <pad> cat\n"));
  CHECK(rows({"--tokenizer", "spacy3"}, "Don't!\n") == "[1, 3]\n  Do  n't  !\n");
  CHECK(rows({"--tokenizer", "spacy3", "--languages", "de"}, "z.B.!\n") == "[1, 2]\n  z.B.  !\n");
}

TEST_CASE("Field batches: without a vocabulary tokens are numbers, not sequential a line is one",
          "[golden]") {
  CHECK(rows({"--use-vocab=false", "--pad-token", "0"}, "7 8\n9\n") == "[2, 2]\n  7  8\n  9  0\n");
  CHECK(printed({"--sequential=false"}, "very good\nbad\n") ==
        "vocabulary of 3: <unk> bad very good\n[2, 1]\n  very good\n  bad\n");
}

TEST_CASE("Field batches: files share a vocabulary", "[golden]") {
  const xf::tests::TemporaryFolder folder;
  const std::string page = tutorials::field_page(xf::tests::parsed(
      FieldOptions(),
      {folder.write("a", "x y\n"), folder.write("b", "y z\n"), "--format", "id", "--batch-first"}));
  CHECK(page == "vocabulary of 5: <unk> <pad> y x z\n" + (folder / "a") + " [1, 2]\n  3  2\n" +
                    (folder / "b") + " [1, 2]\n  2  4\n");
}
