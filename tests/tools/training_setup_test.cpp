// What options and text decide about a training before it starts.
#include "tools/app/training_setup.h"
#include "tools/setup/read_training_options.h"

#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/support/thread_ranks.h"

using namespace xf;
using namespace xf::tools;

namespace {

TrainingInputs inputs_of(
    const tests::TemporaryFolder& folder, const std::string& more, int min_frequency = 1,
    const Announce& announce = [](const std::string&) {}, Collective& ranks = Collective::alone()) {
  const std::string text = fmt::format(
      "task = \"transformer-base\"\nmodel = \"{0}/run\"\ntrain-sets = [\"{0}/train.en\", \"{0}/train.de\"]\n"
      "tokenizer = \"character\"\nmin-freq = {2}\n"
      "dim-emb = 8\ntransformer-heads = 2\ntransformer-dim-ffn = 8\n{1}",
      folder / ".", more, min_frequency);
  return read_training_inputs(training_options_from_toml(text, "a test"), RunStart::fresh, announce, ranks);
}

// Of two pairs, the longest side of seven characters.
int64_t longest_in_training(const std::string& more) {
  const tests::TemporaryFolder folder;
  folder.write("train.en", "ab\nabcdefg\n");
  folder.write("train.de", "ba\ngfed\n");
  const TrainingInputs inputs = inputs_of(folder, more);
  return training_setup(inputs).model.max_length;
}

}  // namespace

TEST_CASE("Training setup: no sentence is longer than the corpus's longest, whatever is allowed", "[unit]") {
  CHECK(longest_in_training("max-length = 100\n") == 8);  // with </s>
  CHECK(longest_in_training("max-length = 7\n") == 8);
  CHECK(longest_in_training("max-length = 5\n") == 3);  // the second pair is left out
}

TEST_CASE(
    "Training setup: however long a sentence may be, tables of positions are as long as the text asks for",
    "[unit]") {
  CHECK(longest_in_training("max-length = 100000000\n") == nn::Model::kMaxPositions);
}

TEST_CASE("Training setup: batches are fitted to any workspace", "[unit]") {
  const tests::TemporaryFolder folder;
  folder.write("train.en", "abcdefgh\n");
  folder.write("train.de", "hgfedcba\n");
  const TrainingInputs inputs =
      inputs_of(folder, "enc-depth = 1\ndec-depth = 1\nmini-batch-fit = true\nworkspace = 1000000000\n");
  CHECK(training_setup(inputs).capacity.target_tokens <= 100'000'000);
}

TEST_CASE("Training setup: with both directions each side must fit in a batch as the other", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string shorter = "abababab\n", longer = std::string(90, 'a') + "\n";
  const auto error = [&](const std::string& source, const std::string& target, const std::string& batch) {
    folder.write("train.en", source);
    folder.write("train.de", target);
    return tests::error_of(
        [&] { training_setup(inputs_of(folder, "joint-vocab = true\nbidirectional = 1\n" + batch)); });
  };
  CHECK_THAT(error(longer, shorter, "mini-batch-words = 80\n"),
             Catch::EndsWith("a source has 91 tokens, a batch holds 80; raise mini-batch-words"));
  CHECK_THAT(error(longer, shorter, "mini-batch = 1\n"),
             Catch::EndsWith("a batch holds 9; raise mini-batch"));
  CHECK_THAT(error(shorter, longer, "mini-batch = 1\n"),
             Catch::EndsWith("a target has 91 tokens, a batch holds 9; raise mini-batch"));
}

TEST_CASE("Training setup: tables of positions keep the length that is allowed", "[unit]") {
  CHECK(longest_in_training("max-length = 100\ntransformer-train-positions = true\n") == 101);
}

TEST_CASE("Training inputs: of several ranks the first one alone learns the vocabulary", "[unit]") {
  const tests::TemporaryFolder folder;
  folder.write("train.en", "ab\nabcdefg\n");
  folder.write("train.de", "ba\ngfed\n");
  std::vector<std::string> checksums(3), hashes(3), learnt(3);
  tests::as_ranks(3, [&](Collective& ranks) {
    const auto r = static_cast<size_t>(ranks.rank());
    // The others would learn another one.
    const TrainingInputs inputs = inputs_of(
        folder, "", ranks.is_first() ? 1 : 4,
        [&](const std::string& text) { learnt[r] += text.starts_with("learning") ? "x" : ""; }, ranks);
    checksums[r] = inputs.vocabularies.checksum();
    hashes[r] = inputs.data_hash;
  });
  CHECK(learnt == std::vector<std::string>{"x", "", ""});
  CHECK(checksums == std::vector(3, inputs_of(folder, "").vocabularies.checksum()));
  CHECK(hashes == std::vector(3, hashes.front()));
}
