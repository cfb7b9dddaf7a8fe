// What xformer-score reads. Expected: what sacreBLEU 2.6.0 does with the same options and files.
#include "tools/inference/score_request.h"

#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/tools/parsed_options.h"

using namespace xf;
using namespace xf::tools;
using xf::tests::error_of;
using xf::tests::TemporaryFolder;

namespace {

ScoreRequest request(const std::vector<std::string>& words) {
  std::vector<const char*> argv = {"xformer-score"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return read_score_request(*parse_options(ScoringOptions(), static_cast<int>(argv.size()), argv.data()));
}

}  // namespace

TEST_CASE("Score request: --num-refs takes the references of a line apart at tabs", "[unit]") {
  const TemporaryFolder folder;
  const std::string two = folder.write("two", "a b\tc d\ne\t f\tg \n"), hyp = folder.write("hyp", "x\ny\n");
  CHECK(request({two, "-nr", "2", "-i", hyp}).references ==
        std::vector<Lines>{{"a b", "e"}, {"c d", " f\tg"}});  // the last keeps its tabs
  CHECK(request({two, "-i", hyp}).references == std::vector<Lines>{{"a b\tc d", "e\t f\tg"}});
  CHECK(error_of([&] {
          request({two, "-nr", "3", "-i", hyp});
        }) == "3: " + two + ":1: 2 references, not 3 (--num-refs)");
  CHECK(error_of([&] {
          request({two, two, "--num-refs", "2", "-i", hyp});
        }).starts_with("2: --num-refs 2: "));
}

TEST_CASE("Score request: files in another encoding", "[unit]") {
  const TemporaryFolder folder;
  const Lines lines = {"größe", "çà"};
  const std::string latin = folder.write("latin",
                                         "gr\xf6\xdf"
                                         "e\r\n\xe7\xe0\n");
  const std::string utf16 = folder.write("utf16", std::string("\xff\xfe"
                                                              "g\0r\0\xf6\0\xdf\0e\0\n\0\xe7\0\xe0\0\n\0",
                                                              20));
  const std::string utf8 = folder.write("utf8", "\xef\xbb\xbfgröße\nçà\n");
  const std::string sjis =
      folder.write("sjis", "\x8a\xbf\x8e\x9a\n\x83\x5c\n");  // its second byte is a backslash
  for (const char* name : {"latin-1", "iso-8859-1", "cp1252", "Latin1"})
    CHECK(request({"--encoding", name, latin, "-i", latin}).references[0] == lines);
  CHECK(request({"-e", "utf-16", utf16, "-i", utf16}).systems[0].lines == lines);
  const std::string unmarked = folder.write("unmarked", std::string("g\0r\0\n\0", 6));
  CHECK(request({"-e", "utf-16le", unmarked, "-i", unmarked}).systems[0].lines == Lines{"gr"});
  CHECK_THAT(error_of([&] {
               request({"-e", "utf-16", unmarked, "-i", unmarked});
             }),
             Catch::StartsWith("3: " + unmarked + ": has no byte order mark") && Catch::Contains("utf-16le"));
  for (const char* name : {"utf-8", "UTF8", "utf-8-sig"})
    CHECK(request({"-e", name, utf8, "-i", utf8}).references[0] == lines);
  CHECK(request({"-e", "shift_jis", sjis, "-i", sjis}).references[0] == Lines{"漢字", "ソ"});
  const std::string broken =
      folder.write("broken", "a\x81 b\n");  // a space cannot follow the first byte of two
  CHECK(error_of([&] {
          request({"-e", "shift_jis", broken, "-i", broken});
        }).starts_with("3: " + broken + ": is not text in shift_jis"));
  CHECK(error_of([&] {
          request({"-e", "klingon", latin, "-i", latin});
        }).starts_with("2: encoding: ICU does not know 'klingon'"));
  CHECK(error_of([&] { request({latin, "-i", latin}); }).starts_with("3: " + latin + ":1: invalid UTF-8"));
}

TEST_CASE("Score request: a language pair chooses the tokenizer, unless one is named", "[unit]") {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "a\n");
  const auto tokenizer = [&](std::vector<std::string> words) {
    words.insert(words.end(), {text, "-i", text});
    return request(words).measuring.bleu.tokenizer;
  };
  CHECK(tokenizer({"-l", "en-zh"}) == data::BleuTokenizer::chinese);
  CHECK(tokenizer({"-l", "en-zh-TW"}) == data::BleuTokenizer::chinese);
  CHECK(tokenizer({"-l", "zh-en"}) == data::BleuTokenizer::mteval_13a);
  CHECK(tokenizer({"--language-pair", "en-de"}) == data::BleuTokenizer::mteval_13a);
  CHECK(tokenizer({"-l", "en-ja", "-tok", "char"}) == data::BleuTokenizer::character);
  for (const char* language : {"ja", "ko"})
    CHECK_THAT(error_of([&] {
                 tokenizer({"-l", std::string("en-") + language});
               }),
               Catch::StartsWith("2: language-pair: ") && Catch::Contains("MeCab"));
  CHECK(error_of([&] { tokenizer({"-l", "de"}); }) == "2: language-pair: 'de' is not SRC-TRG, as in en-de");
}

TEST_CASE("Score request: what is for sacreBLEU's downloaded test sets is refused with the reason",
          "[unit]") {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"-t", "wmt14"},
                                                                                     {"--test-set", "wmt14"},
                                                                                     {"--list"},
                                                                                     {"--cite"},
                                                                                     {"--origlang", "de"},
                                                                                     {"--subset", "x"},
                                                                                     {"--download", "wmt14"},
                                                                                     {"--echo", "src"},
                                                                                     {"--detail"},
                                                                                     {"-d"}}) {
    INFO(words.front());
    CHECK_THAT(error_of([&] { request(words); }),
               Catch::StartsWith("2: unknown option '" + words.front() + "'; it is for test sets"));
  }
}
