#include "data/vocabularies.h"
#include "nn/checkpoint/safetensors.h"
#include "tools/formats/stored_model.h"

#include <filesystem>

#include "data/word_tokenizer.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

namespace xf::tools {
namespace {

using tests::error_of;
using tests::TemporaryFolder;

std::shared_ptr<const data::Tokenizer> words(const std::string& word) {
  return data::make_word_tokenizer("<unk>\n<sos>\n<eos>\n" + word + "\n", "list");
}

TEST_CASE("Vocabularies: those of another model are told from its own, by each side", "[unit]") {
  const auto a = words("a"), b = words("b");
  const data::Vocabularies pair{a, b}, joint{a, a}, turned{b, a};
  nn::Metadata metadata;
  describe_vocabularies(pair, metadata);
  CHECK(error_of([&] { check_vocabularies(pair, metadata, "run"); }) == "no error");
  for (const data::Vocabularies& other : {joint, turned})
    CHECK(error_of([&] {
            check_vocabularies(other, metadata, "run");
          }).starts_with("3: run: was trained with another"));
}

TEST_CASE("Vocabularies: a model of before the checksum is compared by its hash", "[unit]") {
  const data::Vocabularies a{words("a"), words("a")}, b{words("b"), words("b")};
  const nn::Metadata metadata = {{"vocabulary", a.hash()}};
  CHECK(error_of([&] { check_vocabularies(a, metadata, "run"); }) == "no error");
  CHECK(error_of([&] { check_vocabularies(b, metadata, "run"); }).starts_with("3: run: "));
  // written by another program
  CHECK(error_of([&] { check_vocabularies(b, {}, "run"); }) == "no error");
}

TEST_CASE("Vocabularies: a checkpoint's are those of the nearest folder above it", "[unit]") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "run/checkpoints/update-000001");
  CHECK(data::find_vocabularies(folder / "run/checkpoints/update-000001").empty());
  const auto both = words("a");
  data::Vocabularies{both, both}.save(folder / "run");
  CHECK(data::find_vocabularies(folder / "run/checkpoints/update-000001") == folder / "run");
  CHECK(data::find_vocabularies(folder / "run") == folder / "run");
}

}  // namespace
}  // namespace xf::tools
