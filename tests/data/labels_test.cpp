// Classes of texts.
#include "data/labels.h"

#include "core/error.h"
#include "data/batches.h"
#include "data/score/classification_scores.h"
#include "data/word_tokenizer.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

namespace xf::data {
namespace {

using tests::error_of;
using tests::TemporaryFolder;

TEST_CASE("Classes: text and class may be two columns of one file", "[unit]") {
  const tests::TemporaryFolder folder;
  const auto text = read_text(TextKind::labelled,
                              {{.paths = {folder.write("both", "Ein Hund\tX\nZwei\ty\n")}, .tsv = true}},
                              {.lowercase = true});
  CHECK(text.source == std::vector<std::string>{"ein hund", "zwei"});
  CHECK(text.target == std::vector<std::string>{"X", "y"});
  CHECK_THAT(error_of([&] {
               read_text(TextKind::labelled, {{.paths = {folder.write("none", "a\tb\nc\t\n")}, .tsv = true}},
                         {});
             }),
             Catch::StartsWith("3: " + (folder / "none") + ":2: a line without a class"));
}

TEST_CASE("Classes: white space around a class is none of its name", "[unit]") {
  const tests::TemporaryFolder folder;
  const auto text = read_text(TextKind::labelled,
                              {{.paths = {folder.write("texts", "a\nb\nc\n"),
                                          folder.write("classes", "pos\npos \n\tvery good\u00A0\n")}}},
                              {});
  CHECK(text.target == std::vector<std::string>{"pos", "pos", "very good"});
  CHECK_THAT(error_of([&] {
               read_text(TextKind::labelled, {{.paths = {folder.write("blank", "a\t \n")}, .tsv = true}}, {});
             }),
             Catch::EndsWith("blank:1: a line without a class; give it one, or remove it with its text"));
}

TEST_CASE("Classes: names that look the same are one, in form C and without what does not show", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string composed = "\u00C9t\u00E9", apart = "E\u0301te\u0301";
  const std::string texts = folder.write("texts", "a\nb\nc\nd\ne\n");
  const std::string classes =
      folder.write("classes", composed + "\n" + apart + "\nhiver\u200B\n\u2067 hiver\u2069\nhiver\n");
  const auto text = read_text(TextKind::labelled, {{.paths = {texts, classes}}}, {});
  CHECK(text.target == std::vector<std::string>{composed, composed, "hiver", "hiver", "hiver"});
  CHECK(build_labels({composed, apart, "hiver", "hiver\uFEFF"})->size() == 2);
  const auto labels = build_labels(text.target);
  CHECK(labels->encode(apart) == labels->encode(composed));
  CHECK(labels->encode("\u200Ehiver ") == labels->encode("hiver"));
  CHECK(class_name("a\u200Bb") == "a\u200Bb");  // inside it is part of the name
  CHECK(class_name("\u200B \u2060").empty());
  // A list that an earlier version wrote keeps its names.
  CHECK(make_labels(apart + "\nhiver\n", "its")->encode(composed) == std::vector<int32_t>{0});
  CHECK(make_labels(apart + "\nhiver\n" + composed + "\n", "its")->encode(composed) ==
        std::vector<int32_t>{2});
}

// Behind a class stands a tab where several are written (xformer-classify --all-classes).
TEST_CASE("Classes: none has a tab in its name", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string texts = folder.write("texts", "a\nb\n"), classes = folder.write("classes", "x\ny\tz\n");
  CHECK_THAT(error_of([&] {
               read_text(TextKind::labelled, {{.paths = {texts, classes}}}, {});
             }),
             Catch::StartsWith("3: " + classes + ":2: the class contains a tab"));
  CHECK_THAT(error_of([] { make_labels("x\ny\tz\n", "its.labels"); }),
             Catch::StartsWith("3: its.labels: a class contains a tab"));
}

TEST_CASE("Labels: ids in order of the names, and back from their file", "[unit]") {
  const auto labels = build_labels({"rot", "blau", "rot", "a b"});
  CHECK(labels->size() == 3);
  CHECK(labels->encode("a b") == std::vector<int32_t>{0});
  CHECK(labels->encode("rot") == std::vector<int32_t>{2});
  CHECK(labels->piece(1) == "blau");
  CHECK(make_labels(labels->serialize(), "a test")->checksum() == labels->checksum());
  CHECK_THAT(error_of([&] { labels->encode("gelb"); }), Catch::StartsWith("3: 'gelb' is not a class"));
  CHECK_THAT(error_of([] { build_labels({"one", "one"}); }), Catch::StartsWith("3: "));
  CHECK_THAT(error_of([] { make_labels("b\na\n", "file"); }), Catch::StartsWith("3: file: "));
  CHECK_THAT(error_of([] { make_labels("a\na\n", "file"); }), Catch::StartsWith("3: file: "));
}

TEST_CASE("Labels: a batch of a classifier has one target token a text", "[unit]") {
  const TemporaryFolder folder;
  const auto read = [&](const char* texts, const char* classes) {
    return read_text(TextKind::labelled,
                     {{.paths = {folder.write("text", texts), folder.write("labels", classes)}}},
                     {.lowercase = true});
  };
  const auto text = read("Ein Hund\nzwei\ndrei Hunde da\n", "B\nA\nB\n");
  CHECK(text.source[0] == "ein hund");
  CHECK(text.target[0] == "B");
  const auto words = build_word_tokenizer({&text.source}, {.min_frequency = 1, .specials = {}});
  const auto labels = build_labels(text.target);
  const ParallelCorpus corpus = encode_corpus(text, *words, *labels, {});
  const BatchSpecials specials{.source_eos = words->eos_id(), .target_bos = 0, .target_eos = -1};
  TrainingBatches batches(corpus, specials, {.target_tokens = 8, .source_tokens = 99, .sentences = 8}, 1,
                          {.shuffle = Shuffle::none});
  CHECK(load_of_pair(corpus, 0).target_tokens == 1);
  const PackedBatch batch = batches.next();
  CHECK(batch.target_out.to_vector<int32_t>() == std::vector<int32_t>{1, 0, 1});
  CHECK(batch.target_offsets.to_vector<int32_t>() == std::vector<int32_t>{0, 1, 2, 3});
  CHECK(batch.target_tokens == 3);
  CHECK(batch.source_offsets.to_vector<int32_t>() == std::vector<int32_t>{0, 3, 5, 9});
  CHECK_THAT(error_of([&] { encode_corpus(read("a\nb\n", "A\nC\n"), *words, *labels, {}); }),
             Catch::EndsWith("labels: line 2: 'C' is not a class of this model; its classes: A, B"));
  CHECK_THAT(error_of([&] { read("a\nb\n", "x\n"); }), Catch::Contains("the class of line i"));
  CHECK_THAT(error_of([&] { read("a\nb\n", "x\n\n"); }), Catch::Contains("labels:2: a line without a class"));
}

TEST_CASE("Batches: a text without sources makes batches of targets alone", "[unit]") {
  const TemporaryFolder folder;
  const auto text = read_text(TextKind::target_only,
                              {{.paths = {folder.write("text", "ein Hund\n\ndrei Hunde da\n")}}}, {});
  const auto words = build_word_tokenizer({&text.target}, {.min_frequency = 1, .specials = {}});
  const ParallelCorpus corpus = encode_corpus(text, *words, *words, {});
  CHECK(corpus.size() == 2);
  CHECK(corpus.statistics.dropped_empty == 1);
  const BatchSpecials specials = batch_specials(*words, *words);
  const BatchCapacity capacity{.target_tokens = 20, .source_tokens = 0, .sentences = 8};
  const PackedBatch batch = TrainingBatches(corpus, specials, capacity, 1, {.shuffle = Shuffle::none}).next();
  CHECK_FALSE(batch.source_ids.defined());
  CHECK(batch.sentences == 2);
  CHECK(batch.source_tokens == 0);
  CHECK(batch.target_tokens == 7);
  CHECK(validation_batches(corpus, specials, capacity)[0].sentences == std::vector<int64_t>{1, 0});
  CHECK(capacity_of_sentences(corpus, 1).source_tokens == 0);
  CHECK(epoch_batches(corpus, capacity, {.pool = 1}, 1, 0).pairs.size() == 2);
  CHECK_THAT(error_of([&] { encode_corpus(text, *words, *words, {.max_length = 1}); }),
             Catch::Contains("no line is left: 1 empty, 2 over"));
}

TEST_CASE("Classification scores: accuracy and macro-F1 counted by hand", "[unit]") {
  // Class 0: TP 2, FP 1, FN 1, F1 4/6. Class 1: TP 1, FP 1, FN 1, F1 2/4. Class 2 does not occur.
  // Class 3: FN 0, FP 0, TP 1.
  const std::vector<int32_t> reference{0, 0, 0, 1, 1, 3}, predicted{0, 0, 1, 1, 0, 3};
  const ClassificationScores scores = classification_scores(predicted, reference, 4);
  CHECK(scores.accuracy == Approx(100 * 4.0 / 6));
  CHECK(scores.macro_f1 == Approx(100 * (4.0 / 6 + 2.0 / 4 + 1) / 3));
  CHECK_THROWS_AS(classification_scores(predicted, {}, 4), Error);
}

}  // namespace
}  // namespace xf::data
