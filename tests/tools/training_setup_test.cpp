// What options and text decide about a training before it starts.
#include "tools/training_setup.h"

#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::tools;

namespace {

// Of two pairs, the longest side of seven characters.
int64_t longest_in_training(const std::string& more) {
  const tests::TemporaryFolder folder;
  folder.write("train.en", "ab\nabcdefg\n");
  folder.write("train.de", "ba\ngfed\n");
  const std::string text = fmt::format(
      "task = \"transformer-base\"\nmodel = \"{0}/run\"\ntrain-sets = [\"{0}/train.en\", \"{0}/train.de\"]\n"
      "tokenizer = \"character\"\nmin-freq = 1\ndim-emb = 8\ntransformer-heads = 2\ntransformer-dim-ffn = "
      "8\n{1}",
      folder / ".", more);
  const TrainingInputs inputs = read_training_inputs(options_from_toml(Program::train, text, "a test"),
                                                     RunStart::anew, [](const std::string&) {});
  return training_setup(inputs).model.max_length;
}

}  // namespace

TEST_CASE("Training setup: no sentence is longer than the corpus's longest, whatever is allowed", "[unit]") {
  CHECK(longest_in_training("max-length = 100\n") == 8);  // with </s>
  CHECK(longest_in_training("max-length = 7\n") == 8);
  CHECK(longest_in_training("max-length = 5\n") == 3);  // the second pair is left out
}

TEST_CASE("Training setup: tables of positions keep the length that is allowed", "[unit]") {
  CHECK(longest_in_training("max-length = 100\ntransformer-train-positions = true\n") == 101);
}
