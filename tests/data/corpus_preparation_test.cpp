#include "data/corpus_preparation.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
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

// Two texts, several blocks of lines in all, of which some are empty, too long, in capitals, or
// just right.
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
             Catch::EndsWith("remove it, and the next run prepares the text again"));
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

TEST_CASE("Prepared corpus: a file of another user is used if they are trusted, and never replaced",
          "[unit]") {
  const Example e;
  prepare_corpus(e);
  if (::chown(e.path().c_str(), 4711, static_cast<gid_t>(-1)) != 0)
    return static_cast<void>(std::puts("[skipped] only root can give a file to another user"));
  CHECK(error_of([&] { open_prepared(e.to_prepare(), e.path()); }) ==
        "3: " + e.path() + ": is a file of user 4711");
  CHECK(open_prepared(e.to_prepare(), e.path(), Preparer::anybody));
  CHECK(error_of([&] { open_prepared(e.to_prepare({.max_length = 7}), e.path(), Preparer::anybody); }) ==
        "3: " + e.path() + ": is a file of user 4711, damaged or of another text");
}

TEST_CASE("Prepared corpus: what others may write is prepared anew, and they may not write what is prepared",
          "[unit]") {
  const Example e;
  const mode_t before = ::umask(0);
  prepare_corpus(e);
  ::umask(before);
  namespace fs = std::filesystem;
  CHECK((fs::status(e.path()).permissions() & (fs::perms::group_write | fs::perms::others_write)) ==
        fs::perms::none);
  CHECK(open_prepared(e.to_prepare(), e.path()));
  fs::permissions(e.path(), fs::perms::group_write, fs::perm_options::add);
  CHECK(open_prepared(e.to_prepare(), e.path(), Preparer::anybody));
  CHECK_FALSE(open_prepared(e.to_prepare(), e.path()));
  CHECK_FALSE(fs::exists(e.path()));
}

TEST_CASE(
    "Prepared corpus: a link, a pipe and a folder in its place are not followed, waited for or replaced",
    "[unit]") {
  const Example e;
  namespace fs = std::filesystem;
  const auto refusal = [&] {
    const std::string message = error_of([&] { open_prepared(e.to_prepare(), e.path(), Preparer::anybody); });
    fs::remove(e.path());
    return message;
  };
  const std::string place = "3: " + e.path();
  for (const char* target : {"b.src", "none"}) {
    fs::create_symlink(target, e.path());
    CHECK(refusal() == place + ": is a link");
  }
  REQUIRE(::mkfifo(e.path().c_str(), 0600) == 0);
  CHECK(refusal() == place + ": is not a regular file");
  fs::create_directory(e.path());
  CHECK(refusal() == place + ": is not a regular file");
}

TEST_CASE(
    "Prepared corpus: a text that is written over while training reads it gives no batch of another text",
    "[unit]") {
  const Example e;
  prepare_corpus(e);
  const auto prepared = open_prepared(e.to_prepare(), e.path());
  const BatchSpecials specials = batch_specials(*e.words, *e.words);
  TrainingBatches batches(prepared->corpus, specials, capacity_for(200), 1);
  TrainingBatches undisturbed(prepared->corpus, specials, capacity_for(200), 1);
  const auto same = [&] {
    return batches.next().target_out.to_vector<int32_t>() ==
           undisturbed.next().target_out.to_vector<int32_t>();
  };
  CHECK(same());
  const auto later = std::filesystem::file_time_type::clock::now() + std::chrono::hours(1);
  std::filesystem::last_write_time(e.path(), later);
  CHECK(same());
  std::string bytes = read_file(e.path());
  const auto pairs = static_cast<size_t>(prepared->corpus.size());
  // another word
  for (size_t i = 16 + 4 * (3 * pairs + 1); i < bytes.size() - 2000; i += 2) bytes[i] = 4;
  e.folder.write("text.corpus", bytes);
  CHECK_THAT(error_of([&] { batches.next(); }), Catch::Contains("the ids of block 0 have changed"));
}
