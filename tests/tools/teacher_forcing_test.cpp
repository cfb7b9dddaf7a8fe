#include "tools/inference/teacher_forcing.h"

#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tests/tools/trained_run.h"
#include "tools/formats/loaded_model.h"

using namespace xf;
using namespace xf::tools;
using Lines = std::vector<std::string>;

namespace {

std::vector<ForcedLine> forced(const Lines& sources, const Lines& targets, int64_t batch = 2) {
  static const auto model = load_model(tools::tests::trained_run(), Device::cpu(), DType::f32);
  Arena arena(Device::cpu());
  return teacher_forced(model->transformer(), arena, model->vocabularies, sources, targets, batch);
}

}  // namespace

TEST_CASE("Teacher forcing: what a model knows by heart it says along the reference, line by line",
          "[unit]") {
  const Lines sources = {"it is late", "the man runs", "a dog sleeps"},
              targets = {"es ist spät", "der mann rennt", "ein hund schläft"};
  const auto lines = forced(sources, targets);
  REQUIRE(lines.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(lines[i].source == sources[i]);
    CHECK(lines[i].target == targets[i]);
    CHECK(lines[i].predicted == targets[i]);
  }
}

TEST_CASE("Teacher forcing: special tokens and words with a < are in no line, unknown words neither",
          "[unit]") {
  const auto lines = forced({"it <is> zebra late", ""}, {"es zebra ist", ""});
  CHECK(lines[0].source == "it late");
  CHECK(lines[0].target == "es ist");
  CHECK(lines[1].target.empty());
  CHECK(lines[0].predicted.find('<') == std::string::npos);
}

TEST_CASE("Teacher forcing: a line that is too long is refused by its number", "[unit]") {
  std::string text = "it";
  for (int i = 0; i < 2048; ++i) text += " is";
  CHECK_THAT(xf::tests::error_of([&] {
               forced({"it", text}, {"es", "ist"});
             }),
             Catch::StartsWith("3: line 2: 2049 tokens"));
}

TEST_CASE("Teacher forcing: words with a < are special tokens", "[unit]") {
  CHECK(without_special_words("<sos> a <unk> b<c  d </s>") == "a d");
  CHECK(without_special_words("<sos>").empty());
}
