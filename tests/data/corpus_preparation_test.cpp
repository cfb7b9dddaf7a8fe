#include "data/corpus_preparation.h"

#include <filesystem>

#include "core/file.h"
#include "core/parallel.h"
#include "data/batches.h"
#include "data/word_tokenizer.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::data;
using tests::error_of;

namespace {

// Two texts, several blocks of lines in all, of which some are empty, too long, in capitals, or just right.
struct Example {
  tests::TemporaryFolder folder;
  std::vector<TextFiles> texts = {text("a", 300), text("b", 20000)};
  std::unique_ptr<Tokenizer> words =
      make_word_tokenizer("<unk>\n<pad>\n<s>\n</s>\n\u2581a\n\u2581b\n\u2581c\n\u2581d\n", "letters");

  TextFiles text(const std::string& name, int lines) {
    std::string source, target;
    for (int i = 0; i < lines; ++i) {
      for (int j = 0; j < i % 9; ++j)
        source += static_cast<char>((j % 2 ? 'a' : 'A') + (i + j) % 5), source += ' ';
      for (int j = 0; j < (i + 3) % 8; ++j) target += static_cast<char>('a' + (i * j) % 4), target += ' ';
      source += "\n";
      target += "\n";
    }
    return {.paths = {folder.write(name + ".src", source), folder.write(name + ".trg", target)}};
  }

  TextToPrepare to_prepare(const LengthFilter& filter = {.max_length = 6}) const {
    return {.kind = TextKind::translation,
            .texts = texts,
            .pipeline = {.lowercase = true},
            .source_tokenizer = *words,
            .target_tokenizer = *words,
            .filter = filter,
            .vocabularies = words->checksum()};
  }
  ParallelText in_memory() const { return read_text(TextKind::translation, texts, {.lowercase = true}); }
  std::string path() const { return folder / "text.corpus"; }
};

void check_equal(const ParallelCorpus& a, const ParallelCorpus& b) {
  REQUIRE(a.size() == b.size());
  bool equal = true;
  for (int64_t i = 0; i < a.size(); ++i) {
    equal = equal && a.source[i] == b.source[i] && a.target[i] == b.target[i] && a.line(i) == b.line(i) &&
            a.source.length(i) == b.source.length(i) && a.target.length(i) == b.target.length(i) &&
            a.place(i) == b.place(i);
  }
  CHECK(equal);
  CHECK(a.ends_of_parts() == b.ends_of_parts());
  const CorpusStatistics &s = a.statistics, &t = b.statistics;
  CHECK(std::tuple(s.pairs, s.kept, s.dropped_empty, s.dropped_long, s.cropped, s.source.tokens,
                   s.target.unknown, s.source.longest, s.target.longest) ==
        std::tuple(t.pairs, t.kept, t.dropped_empty, t.dropped_long, t.cropped, t.source.tokens,
                   t.target.unknown, t.source.longest, t.target.longest));
}

void prepare_corpus(const Example& e, const LengthFilter& filter = {.max_length = 6}) {
  data::prepare_corpus(e.to_prepare(filter), e.path(), [](const PreparationProgress&) {});
}

}  // namespace

TEST_CASE("Prepared corpus: the pairs, their lines and the hash of the text in memory", "[unit]") {
  const Example e;
  const LengthFilter filter =
      GENERATE(LengthFilter{.max_length = 6}, LengthFilter{.max_length = 3, .crop = true},
               LengthFilter{.max_length = 0});
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    prepare_corpus(e, filter);
    const auto prepared = open_prepared(e.to_prepare(filter), e.path());
    REQUIRE(prepared);
    const ParallelText text = e.in_memory();
    check_equal(prepared->corpus, encode_corpus(text, *e.words, *e.words, filter));
    CHECK(prepared->hash == hash_of(text));
  }
  set_thread_count(0);
}

TEST_CASE("Prepared corpus: its batches are those of the text in memory", "[unit]") {
  const Example e;
  prepare_corpus(e);
  const auto prepared = open_prepared(e.to_prepare(), e.path());
  const ParallelCorpus in_memory = encode_corpus(e.in_memory(), *e.words, *e.words, {.max_length = 6});
  const BatchCapacity capacity = capacity_for(200);
  const BatchSpecials specials = batch_specials(*e.words, *e.words);
  TrainingBatches a(prepared->corpus, specials, capacity, 1), b(in_memory, specials, capacity, 1);
  REQUIRE(a.batches_in_epoch() == b.batches_in_epoch());
  for (int64_t i = 0; i <= a.batches_in_epoch(); ++i) {
    const PackedBatch left = a.next(), right = b.next();
    REQUIRE(left.source_ids.to_vector<int32_t>() == right.source_ids.to_vector<int32_t>());
    REQUIRE(left.target_out.to_vector<int32_t>() == right.target_out.to_vector<int32_t>());
  }
}

TEST_CASE("Prepared corpus: another text, vocabulary or filter has none", "[unit]") {
  const Example e;
  prepare_corpus(e);
  REQUIRE(open_prepared(e.to_prepare(), e.path()));
  CHECK_FALSE(open_prepared(e.to_prepare(), e.path() + ".none"));
  CHECK_FALSE(open_prepared(e.to_prepare({.max_length = 7}), e.path()));
  TextToPrepare other = e.to_prepare();
  other.vocabularies = "another";
  CHECK_FALSE(open_prepared(other, e.path()));
  TextToPrepare shorter = e.to_prepare();
  shorter.texts.pop_back();
  CHECK_FALSE(open_prepared(shorter, e.path()));
  const auto newer = std::filesystem::last_write_time(e.texts[0].source()) + std::chrono::nanoseconds(1000);
  std::filesystem::last_write_time(e.texts[0].source(), newer);
  CHECK_FALSE(open_prepared(e.to_prepare(), e.path()));
}

TEST_CASE(
    "Prepared corpus: one whose numbers are damaged is none, one whose ids are is refused when they are read",
    "[unit]") {
  const Example e;
  prepare_corpus(e);
  const std::string whole = read_file(e.path());
  const auto pairs = static_cast<size_t>(open_prepared(e.to_prepare(), e.path())->corpus.size());
  const auto damage = [&](size_t at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    e.folder.write("text.corpus", bytes);
  };
  damage(400);
  CHECK_FALSE(open_prepared(e.to_prepare(), e.path()));
  damage(16 + 4 * (3 * pairs + 1));  // one block: where sentences begin, lines, then ids
  const auto prepared = open_prepared(e.to_prepare(), e.path());
  REQUIRE(prepared);
  CHECK_THAT(error_of([&] { prepared->corpus.source[0]; }),
             Catch::EndsWith("remove it, and the text is prepared again"));
}

TEST_CASE("Prepared corpus: what is wrong with a text is told as of one in memory, and leaves no file",
          "[unit]") {
  Example e;
  const std::string& target = e.texts[1].target();
  e.folder.write("b.trg", "a\nb\n");
  CHECK_THAT(error_of([&] { prepare_corpus(e); }), Catch::Contains("have 20000 and 2 lines"));
  std::string lines;
  for (int i = 0; i < 19999; ++i) lines += "a\n";
  e.folder.write("b.trg", lines + "M\xE4nner\n");
  CHECK_THAT(error_of([&] { prepare_corpus(e); }),
             Catch::StartsWith("3: " + target + ":20000: invalid UTF-8"));
  CHECK(std::distance(std::filesystem::directory_iterator(e.folder / "."), {}) == 4);
}

TEST_CASE("Prepared corpus: an id of a line is found in its part", "[unit]") {
  const Example e;
  const ParallelCorpus corpus = encode_corpus(e.in_memory(), *e.words, *e.words, {.max_length = 6});
  const std::vector<int64_t> ends = corpus.ends_of_parts();
  REQUIRE(ends.size() == 2);
  CHECK(corpus.line(ends[0] - 1) <= 300);
  CHECK(corpus.line(ends[0]) > 300);
  CHECK(ends[1] == corpus.size());
  CHECK_THAT(corpus.place(ends[0]), Catch::StartsWith(e.texts[1].source() + ", ") &&
                                        Catch::EndsWith(fmt::format("line {}", corpus.line(ends[0]) - 300)));
}
