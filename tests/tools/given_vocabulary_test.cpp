// Vocabularies as other toolkits write them.
#include "tools/formats/given_vocabulary.h"

#include <filesystem>

#include "core/file.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::tools;
using xf::tests::error_of;
using xf::tests::TemporaryFolder;

namespace {

std::shared_ptr<const data::Tokenizer> given(const std::string& bytes, const std::string& name = "list",
                                             const std::string& rules = "") {
  return parse_given_vocabulary(bytes, name, rules);
}

std::vector<std::string> pieces_of(const data::Tokenizer& tokenizer) {
  std::vector<std::string> pieces;
  for (int32_t id = 0; id < tokenizer.size(); ++id) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

std::string refusal(const std::string& bytes, const std::string& name = "list") {
  return error_of([&] { given(bytes, name); });
}

using Pieces = std::vector<std::string>;

}  // namespace

// joeynmt 2.3 writes its voc_file so; word, subword-nmt and SentencePiece pieces alike are what the
// text has between spaces.
TEST_CASE("Given vocabularies: a list without a first line of rules is of words as they stand", "[unit]") {
  const std::string specials = "<unk>\n<pad>\n<s>\n</s>\n";
  for (const auto& [words, text] :
       {std::pair<std::string, std::string>{"der\nHund\n,\ndon't\n\u00FC\n", "der Hund , don't \u00FC"},
        {"der\nHu@@\nnd\n", "der Hu@@ nd"},
        {"\u2581der\n\u2581Hu\nnd\n", "\u2581der \u2581Hu nd"},
        {"10\u00A0000\n\u732B\n", "10\u00A0000 \u732B"}}) {
    INFO(text);
    const auto tokenizer = given(specials + words);
    const std::vector<int32_t> ids = tokenizer->encode(text);
    CHECK(ids.front() == 4);
    CHECK(std::ranges::count(ids, tokenizer->unk_id()) == 0);
    CHECK(tokenizer->decode(ids) == text);
    CHECK(tokenizer->bos_id() == 2);
    CHECK(tokenizer->eos_id() == 3);
    // A run folder's copy is the same.
    CHECK(data::make_tokenizer(tokenizer->serialize(), "copy")->encode(text) == ids);
  }
}

TEST_CASE("Given vocabularies: the rules of a list are its own, ours or those asked for", "[unit]") {
  const std::string words = "<unk>\n<pad>\n<sos>\n<eos>\n";
  // A list of ours by ICU's words, as xformer-vocab train --tokenizer icu writes it, has marks and
  // no first line.
  CHECK(given(words + "\u2581ein\n.\n")->encode("ein.") == std::vector<int32_t>{4, 5});
  // An earlier version's words could have spaces in them.
  CHECK(given(words + "\u2581ein\n\u3000 \n")->size() == 6);
  CHECK(given(words + "\u2581ein\n\u3000 \n", "list", "icu")->size() == 6);
  CHECK(given("#words character\n" + words + "a\n\u2581\n")->encode("a a") == std::vector<int32_t>{4, 5, 4});
  CHECK(given(words + "a\n\u2581\n", "list", "character")->encode("a a") == std::vector<int32_t>{4, 5, 4});
  CHECK(given(words + "a\n.\n")->encode("a.") == std::vector<int32_t>{0});
  CHECK(given(words + "a\n.\n", "list", "spm")->encode("a .") == std::vector<int32_t>{4, 5});
}

// fairseq/data/dictionary.py: <s>, <pad>, </s>, <unk> are 0 to 3 and in no file. subword-nmt
// get-vocab and OpenNMT-py's build_vocab write a word and its count too, the latter after a tab,
// with specials of their own.
TEST_CASE("Given vocabularies: lists with counts have fairseq's special tokens in front, unless their own",
          "[unit]") {
  const auto fairseq = given("der 120\nHund 7 #fairseq:overwrite\nmadeupword0000 0\n\n", "dict.de.txt");
  CHECK(pieces_of(*fairseq) == Pieces{"<s>", "<pad>", "</s>", "<unk>", "der", "Hund", "madeupword0000"});
  // Dictionary.add_from_file() has <unk> 3 and this entry 5.
  CHECK_THAT(refusal("der 120\n<unk> 3 #fairseq:overwrite\n", "dict.de.txt"),
             Catch::StartsWith("3: dict.de.txt:2: '<unk>' is there twice in fairseq"));
  CHECK(pieces_of(*given("der 120\nHu@@ 7\n")) == Pieces{"<s>", "<pad>", "</s>", "<unk>", "der", "Hu@@"});
  CHECK(pieces_of(*given("<unk>\t0\n<blank>\t0\n<s>\t0\n</s>\t0\nder\t120\n")) ==
        Pieces{"<unk>", "<blank>", "<s>", "</s>", "der"});
}

TEST_CASE("Given vocabularies: Marian's YAML, JSON by id and as a list, and special tokens that are missing",
          "[unit]") {
  const Pieces expected = {"</s>", "<unk>", "\u2581der", "\"", "<pad>", "<s>"};
  CHECK(pieces_of(*given("\"</s>\": 0\n\"<unk>\": 1\n\u2581der: 2\n\"\\\"\": 3\n", "vocab.yml")) == expected);
  CHECK(pieces_of(*given("\"</s>\": 0\n\"<unk>\": 1\n\u2581der: 2\n\"\\\"\": 3\n", "vocab")) == expected);
  CHECK(pieces_of(*given("{\"</s>\": 0, \"<unk>\": 1, \"\u2581der\": 2, \"\\\"\": 3}", "vocab.json")) ==
        expected);
  CHECK(pieces_of(*given("[\n \"</s>\", \"<unk>\", \"\u2581der\", \"\\\"\"]", "list")) == expected);
  CHECK(pieces_of(*given("der\nHund\n")) == Pieces{"der", "Hund", "<unk>", "<pad>", "<s>", "</s>"});
  CHECK(pieces_of(*given("[PAD]\n[UNK]\nder\n")) == Pieces{"[PAD]", "[UNK]", "der", "<s>", "</s>"});
}

TEST_CASE("Given vocabularies: what is no list is refused by the name of its format, with what to do",
          "[unit]") {
  const TemporaryFolder folder;
  const std::string list = folder.write("de.vocab", "<unk>\t0\n<s>\t0\n</s>\t0\n\u2581der\t-2.5\nn\t-3.25\n");
  CHECK_THAT(error_of([&] { read_given_vocabulary(list); }),
             Catch::StartsWith("3: " + list + ": SentencePiece's list of pieces with their scores, .vocab") &&
                 Catch::Contains("give the .model that was written with it"));
  const std::string model = folder.write("de.model", "x");
  CHECK_THAT(error_of([&] { read_given_vocabulary(list); }), Catch::Contains("give " + model));
  CHECK_THAT(refusal("#version: 0.2\ne n</w>\ne r</w>\n"), Catch::StartsWith("3: list: merges of BPE"));
  CHECK_THAT(refusal("e n</w> 1200\ne r 900\n"), Catch::StartsWith("3: list: merges of BPE"));
  for (const std::string first : {"", "#version: 0.2\n"})
    CHECK_THAT(refusal(first + "i n\n\u0120 t\n\u0120t he\n"),
               Catch::StartsWith("3: list: merges of byte-level BPE"));
  CHECK_THAT(refusal("{\"version\": \"1.0\", \"pre_tokenizer\": null, \"model\": {\"type\": \"BPE\"}}",
                     "tokenizer.json"),
             Catch::StartsWith("3: tokenizer.json: a tokenizer.json of Hugging Face"));
  CHECK_THAT(refusal("{\"<unk>\": 0, \"\u0120the\": 1}", "vocab.json"),
             Catch::StartsWith("3: vocab.json: byte-level pieces"));
  CHECK_THAT(refusal("\u0120the 12\nn 3\n", "dict.txt"), Catch::StartsWith("3: dict.txt: byte-level pieces"));
  CHECK_THAT(refusal("[PAD]\n[UNK]\n[CLS]\nthe\n##s\n"), Catch::StartsWith("3: list: pieces of WordPiece"));
  CHECK_THAT(refusal("'<pad>_'\n'the_'\n'ing'\n"), Catch::StartsWith("3: list: subwords of tensor2tensor"));
  CHECK_THAT(refusal("PK\x03\x04 archive", "vocab.pt"),
             Catch::StartsWith("3: vocab.pt: a pickle of Python's"));
  CHECK_THAT(refusal("\x80\x02 pickle", "vocab.pt"), Catch::StartsWith("3: vocab.pt: a pickle of Python's"));
  CHECK_THAT(refusal("\x1F\x8B\x08", "vocab.gz"), Catch::StartsWith("3: vocab.gz: is packed"));
  CHECK_THAT(refusal("\xFF\xFE<"), Catch::StartsWith("3: list: is UTF-16; iconv"));
  CHECK_THAT(refusal("\xFE\xFF<"), Catch::StartsWith("3: list: is UTF-16; iconv"));
  CHECK_THAT(refusal(std::string("\x06\0\0\0\n", 5), "model.bin"),
             Catch::StartsWith("3: model.bin: is not text in UTF-8"));
  CHECK_THAT(refusal("Two men are here .\nA dog runs .\n", "train.en"),
             Catch::StartsWith("3: train.en:1: 'Two men are here .' are several words"));
  CHECK_THAT(refusal("<unk>\nder\nder\n"), Catch::StartsWith("3: list:3: 'der' is there already, on line 2"));
  CHECK_THAT(refusal("<unk>\n\nder\n"), Catch::StartsWith("3: list:2: empty"));
  CHECK_THAT(refusal("der 12\n\nHund 1\n"), Catch::StartsWith("3: list:2: empty"));
  CHECK(pieces_of(*given("der\n\n\r\n")).front() == "der");
  CHECK_THAT(refusal("der 12\nHund\n"), Catch::StartsWith("3: list:1: 'der 12' is a word with a number"));
}

TEST_CASE("Given vocabularies: words in another normalisation form are found by their form C", "[unit]") {
  const std::string composed = "\u00E9t\u00E9", apart = "e\u0301te\u0301",
                    specials = "<unk>\n<pad>\n<s>\n</s>\n";
  // joeynmt
  for (const std::string& bytes : {specials + apart + "\nla\n",
                                   // counts
                                   "<unk> 1\n<pad> 1\n<s> 1\n</s> 1\n" + apart + " 5\nla 3\n",
                                   "[\"<unk>\", \"<pad>\", \"<s>\", \"</s>\", \"" + apart + "\", \"la\"]"}) {
    INFO(bytes);
    const auto list = given(bytes);
    CHECK(list->encode(composed + " la") == std::vector<int32_t>{4, 5});
    CHECK(list->decode(std::vector<int32_t>{4, 5}) == composed + " la");
    CHECK(pieces_of(*list).at(4) == apart);  // as the model knows it
    CHECK(list->size() == 6);
    CHECK(data::make_tokenizer(list->serialize(), "copy")->encode(composed) == std::vector<int32_t>{4});
  }
  // Of several forms a text has that which stands there, or else the first.
  CHECK(given(specials + apart + "\n" + composed + "\n")->encode(composed) == std::vector<int32_t>{5});
  const std::string both = "\u1EAD", one = "a\u0323\u0302", other = "a\u0302\u0323";
  CHECK(given(specials + one + "\n" + other + "\n")->encode(both) == std::vector<int32_t>{4});
}
