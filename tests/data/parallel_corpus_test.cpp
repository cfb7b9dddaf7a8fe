#include "data/parallel_corpus.h"

#include "data/word_tokenizer.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::data;
using tests::error_of;

namespace {

// Words "a" to "d"; every other word is unknown (id 0). With the four specials a = 4, b = 5, c = 6,
// d = 7.
std::unique_ptr<Tokenizer> letters() {
  return make_word_tokenizer("<unk>\n<pad>\n<s>\n</s>\n\u2581a\n\u2581b\n\u2581c\n\u2581d\n", "letters");
}

ParallelCorpus encode(const std::vector<std::string>& source, const std::vector<std::string>& target,
                      const LengthFilter& filter) {
  const auto tokenizer = letters();
  return encode_corpus({{{{.paths = {"x.src", "x.trg"}}, std::ssize(source)}}, source, target}, *tokenizer,
                       *tokenizer, filter);
}

}  // namespace

TEST_CASE("TextPipeline: composes, lower-cases, and composes what that opened", "[unit]") {
  CHECK(TextPipeline{}.prepare("A\u0308pfel") == "\u00C4pfel");
  CHECK(TextPipeline{.lowercase = true}.prepare("A\u0308pfel") == "\u00E4pfel");
  // No capital J with caron exists in one code point, but a small one does: only after lower-casing
  // can they compose.
  CHECK(TextPipeline{.lowercase = true}.prepare("J\u030C") == "\u01F0");
}

TEST_CASE("TextPipeline: a line of nothing but white space is empty, whatever it is made of", "[unit]") {
  for (const char* line : {"", " ", "\t\t", "\u00A0", "\u3000\u2003 ", "\u2028"})
    CHECK(TextPipeline{}.prepare(line).empty());
  CHECK(TextPipeline{}.prepare(" \u00A0a") == " \u00A0a");
}

TEST_CASE("TextPipeline: a line of zero-width characters alone is empty", "[unit]") {
  for (const char* line : {"\u200B", "\u200B \u2060", "\uFEFF", "\u200D\u200C", "\u200F", "\u00AD\t"})
    CHECK(TextPipeline{}.prepare(line).empty());
}

TEST_CASE("TextPipeline: joiners stay", "[unit]") {
  // Persian "I want", Hindi ksha with a joiner, a family of three: spelt with joiners.
  for (const char* word : {"\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645", "\u0915\u094D\u200D\u0937",
                           "\U0001F468\u200D\U0001F469\u200D\U0001F467"})
    CHECK(TextPipeline{}.prepare(word) == word);
}

ParallelText read(const std::vector<std::string>& paths, bool tsv = false) {
  return read_text(TextKind::translation, {{.paths = paths, .tsv = tsv}}, {.lowercase = true});
}

TEST_CASE("ParallelText: unequal files are refused with both names and both counts", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string two = folder.write("two.en", "a\nb\n"), three = folder.write("three.de", "a\nb\nc\n");
  const std::string message = error_of([&] { read({two, three}); });
  CHECK_THAT(message, Catch::StartsWith("3: " + two + " and " + three + " have 2 and 3 lines;"));
  CHECK_THAT(error_of([&] { read({two, folder / "none"}); }), Catch::Contains("none"));
  CHECK(read({two, folder.write("windows.de", "A\r\nB")}).target == std::vector<std::string>{"a", "b"});
}

TEST_CASE("ParallelText: the sides may be two columns of one file", "[unit]") {
  const tests::TemporaryFolder folder;
  const auto columns = read({folder.write("both", "One\tEins\n \tZwei\n")}, true);
  CHECK(columns.source == std::vector<std::string>{"one", ""});
  CHECK(columns.target == std::vector<std::string>{"eins", "zwei"});
  CHECK(columns.paths() == folder / "both");
}

TEST_CASE("ParallelCorpus: what is dropped, and why, is counted, and kept pairs know their lines", "[unit]") {
  // Line 2: empty source; 3: source over 3; 5: target over 3.
  const ParallelCorpus corpus = encode({"a b", "", "a b c d", "x a", "d"},
                                       {"c", "a", "a", "a y z", "a b c d"}, {.max_length = 3, .crop = false});
  const CorpusStatistics& s = corpus.statistics;
  CHECK(s.pairs == 5);
  CHECK(s.kept == 2);
  CHECK(s.dropped_empty == 1);
  CHECK(s.dropped_long == 2);
  CHECK(s.cropped == 0);
  CHECK(corpus.lines == std::vector<int64_t>{1, 4});
  CHECK(s.source.tokens == 4);
  CHECK(s.source.unknown == 1);
  CHECK(s.target.tokens == 4);
  CHECK(s.target.unknown == 2);
  CHECK(s.target.unknown_rate() == 0.5);
  CHECK(s.source.longest == 2);
  CHECK(s.target.longest == 3);
  CHECK(corpus.source[1] == std::vector<int32_t>{0, 4});
}

TEST_CASE("ParallelCorpus: cropping shortens the side that is too long and keeps the pair", "[unit]") {
  const ParallelCorpus corpus = encode({"a b c d", "a"}, {"a", "b"}, {.max_length = 3, .crop = true});
  CHECK(corpus.statistics.kept == 2);
  CHECK(corpus.statistics.cropped == 1);
  CHECK(corpus.source.length(0) == 3);
  CHECK(corpus.target.length(0) == 1);
  CHECK(encode({"a b c d"}, {"a"}, {.max_length = 0, .crop = false}).source.length(0) == 4);
}

TEST_CASE("ParallelCorpus: if nothing is left the error says where it went", "[unit]") {
  CHECK_THAT(error_of([] {
               encode({"", "a b"}, {"a", "a"}, {.max_length = 1, .crop = false});
             }),
             Catch::StartsWith("3: x.src, x.trg: ") && Catch::Contains("1 empty") &&
                 Catch::Contains("--max-length 1"));
}
