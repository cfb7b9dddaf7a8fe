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

// Pairs with English of about the same length, as their translators would count it: none of them
// differs much.
TEST_CASE("Corpus check: good pairs of scripts without spaces do not differ in length", "[unit]") {
  const std::string english = "The small black cat sleeps on the old chair in front of the warm window .";
  for (const char* translation : {
           "那只黑色的小猫睡在温暖的窗户前面的旧椅子上。",              // Chinese
           "小さな黒い猫が暖かい窓の前の古い椅子の上で眠っています。",  // Japanese
           // Thai
           "แมวดำตัวเล็กนอนหลับอยู่บนเก้าอี้เก่าหน้าหน้าต่างที่อบอุ่น",
           "ឆ្មាខ្មៅតូចដេកលើកៅអីចាស់នៅមុខបង្អួចក្តៅ",  // Khmer
           // Lao
           "ແມວດຳນ້ອຍນອນຢູ່ເທິງຕັ່ງເກົ່າຢູ່ໜ້າປ່ອງຢ້ຽມທີ່ອົບອຸ່ນ",
           // Burmese
           "ကြောင်အနက်လေးသည်ပူနွေးသောပြတင်းပေါက်ရှေ့ရှိကုလားထိုင်အိုပေါ်တွင်အိပ်နေသည်",
           "ཞི་མི་ནག་པོ་ཆུང་ཆུང་དེ་སྒེའུ་ཁུང་དྲོ་པོའི་མདུན་གྱི་རྐུབ་ཀྱག་རྙིང་པའི་སྟེང་ལ་གཉིད་ཉལ་བསྡད་འདུག",  // Tibetan
           // Amharic, with its sign for a space
           "ትንሽዋ፡ጥቁር፡ድመት፡በሞቃቱ፡መስኮት፡ፊት፡ለፊት፡ባለው፡አሮጌ፡ወንበር፡ላይ፡ትተኛለች።",
       }) {
    INFO(translation);
    const tests::TemporaryFolder folder;
    const std::string source = folder.write("x.en", english + "\n" + english + "\n"),
                      target = folder.write("x.xx", std::string(translation) + "\n" + translation + "\n");
    const CorpusReport report = check_corpus(source, target, {}, {});
    CHECK(report.unbalanced.count == 0);
    CHECK(report.target.words > 2 * 5);
    CHECK(report.clean());
    // What is too long or has no counterpart is still found.
    const std::string much = folder.write("much", std::string(translation) + translation + translation +
                                                      translation + translation + translation + "\n");
    CHECK(check_corpus(folder.write("one", "cat\n"), much, {}, {}).unbalanced.count == 1);
    CheckOptions few;
    few.max_length = 5;
    CHECK(check_text(much, few).over_long.count == 1);
  }
}

TEST_CASE("Corpus check: what a reader does not see is told by line", "[unit]") {
  const tests::TemporaryFolder folder;
  const TextReport report =
      check_text(folder.write("x",
                              "a\tb\n"                       // 1: a tab
                              "line\u2028break\n"            // 2: a line separator
                              "zero\u200Bwidth\n"            // 3
                              "\u2067right to left\u2069\n"  // 4: an isolate
                              "\u200B\u200D\n"               // 5: nothing else
                              "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 \u0915\u094D\u200D\u0937 "
                              // 6: joiners of Persian, Hindi, emoji
                              "\U0001F468\u200D\U0001F469\u200D\U0001F467\n"
                              "bell \a\n"          // 7
                              "two\uFEFFfiles\n"   // 8: a byte order mark
                              "one \u200Dtwo\n"),  // 9: a joiner that joins nothing
                 {});
  using Lines = std::vector<int64_t>;
  CHECK(report.separators.lines == Lines{1, 2});
  CHECK(report.zero_width.lines == Lines{3, 5, 8, 9});
  CHECK(report.bidi_controls.lines == Lines{4});
  CHECK(report.control_characters.lines == Lines{7});
  CHECK(report.empty.lines == Lines{5});
  CHECK_THAT(describe(report), Catch::Contains("tabs, line separators") && Catch::Contains("zero-width") &&
                                   Catch::Contains("controls of direction"));
}

TEST_CASE("Corpus check: what another program broke is told by line", "[unit]") {
  const tests::TemporaryFolder folder;
  const TextReport report =
      check_text(folder.write("x", "caf\uFFFD\nbar \u2581\u2582\n\uFEFFb\nbad \xFF byte\n"), {});
  using Lines = std::vector<int64_t>;
  CHECK(report.replacements.lines == Lines{1});
  CHECK(report.space_marks.lines == Lines{2});
  CHECK(report.zero_width.lines == Lines{3});  // files with byte order marks, put together
  CHECK_THAT(describe(report), Catch::Contains("replacements (U+FFFD)") && Catch::Contains("U+2581"));
}

TEST_CASE("Corpus check: text with NULs, as UTF-16 has them, is not ready for training", "[unit]") {
  const tests::TemporaryFolder folder;
  using namespace std::string_literals;
  const std::string path = folder.write("x", "good\n\0a\0\n"s), good = folder.write("good", "a\nb\n");
  const TextReport report = check_text(path, {});
  CHECK(report.nul.lines == std::vector<int64_t>{2});
  CHECK(report.control_characters.count == 0);
  CHECK_FALSE(report.clean());
  CHECK_FALSE(check_corpus(good, path, {}, {}).clean());
  CHECK_THAT(describe(report), Catch::Contains("UTF-16"));
}

TEST_CASE("Corpus check: two columns of one file are checked as two files are", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.write("x.tsv", "one two\teins zwei\na\tb\tc\nalone\n\tleer\nx\ty\n");
  const CorpusReport report = check_columns(path, {}, {});
  CHECK(report.columns.lines == std::vector<int64_t>{2, 3});
  CHECK(report.half_empty.lines == std::vector<int64_t>{3, 4});
  CHECK(report.source.lines == 5);
  CHECK(report.taken == 3);
  CHECK_FALSE(report.clean());
  CHECK_THAT(describe(report),
             Catch::Contains("not two columns") && Catch::Contains(path + ", first column"));
  CHECK(check_columns(folder.write("good", "one\teins\n"), {}, {}).clean());
}

TEST_CASE("Corpus check: lines in a script that the vocabulary lacks are mostly unknown", "[unit]") {
  const tests::TemporaryFolder folder;
  const auto letters = make_word_tokenizer("#words character\n<unk>\na\nb\nc\nd\n1\n.\n\u2581\n", "list");
  CheckOptions options;
  options.tokenizer = letters.get();
  const TextReport report = check_text(
      folder.write("x", "a b c\n\u0645\u0631\u062D\u0628\u0627 a\n\u732B\u3002 1.\nabcx\n"), options);
  CHECK(report.unknown_lines.lines == std::vector<int64_t>{2});  // of line 3 a half is known
  CHECK_THAT(describe(report), Catch::Contains("mostly unknown lines"));
}

TEST_CASE("Corpus check: names of control tokens in text are told by line", "[unit]") {
  const tests::TemporaryFolder folder;
  const auto words = make_word_tokenizer("#words whitespace\n<unk>\n<pad>\n<s>\n</s>\na\n", "list");
  CheckOptions options;
  options.tokenizer = words.get();
  const TextReport report = check_text(folder.write("x", "a\na </s> a\n<unk>\n<pad>\na<s>\n"), options);
  CHECK(report.control_tokens.lines == std::vector<int64_t>{2, 4});
  CHECK(report.unknown == 4);
  CHECK_THAT(describe(report), Catch::Contains("control tokens as words"));
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
