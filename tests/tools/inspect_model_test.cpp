#include "tools/formats/inspect_model.h"

#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/tools/random_run.h"

using namespace xf;
using namespace xf::tools;
using tests::error_of;
using tests::RandomRun;
using tests::TemporaryFolder;

namespace {

std::string with_length(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

}  // namespace

TEST_CASE("Export inspect: another toolkit's folder is called so", "[unit]") {
  const std::string opus = tests::source_folder() + "/tests/fixtures/marian/opus";
  CHECK_THAT(error_of([&] { inspected(opus); }),
             Catch::StartsWith("2: " + opus + ": another toolkit's model; ") &&
                 Catch::Contains("xformer-export to xformer -m "));
}

TEST_CASE("Export inspect: blocks and tensors add up to the model's parameters", "[unit]") {
  const RandomRun run;
  const InspectedModel model = inspected(run.path());
  const auto json = nlohmann::json::parse(to_json(model));
  int64_t expected = 0, of_blocks = 0, of_tensors = 0;
  for (const auto& [name, tensor] : nn::read_model(run.path() + "averaged").model) expected += tensor.numel();
  for (const auto& block : json["blocks"]) of_blocks += block.get<int64_t>();
  for (const auto& tensor : json["tensors"]) of_tensors += tensor["parameters"].get<int64_t>();
  CHECK(expected > 0);
  CHECK(json["parameters"] == expected);
  CHECK(of_blocks == expected);
  CHECK(of_tensors == expected);
  CHECK(json["update"] == 1);
  CHECK(json["config"]["dim-emb"] == 16);
  CHECK(json["config"]["task"] == "demo");
  REQUIRE(json["vocabularies"].size() == 1);
  CHECK(json["vocabularies"][0]["hash"] == json["metadata"]["vocabulary"]);
  CHECK(json["vocabularies"][0]["crc64"] == json["metadata"]["vocabulary_crc64"]);
}

TEST_CASE("Export inspect: a file that another program wrote is shown, in types that the engine lacks",
          "[unit]") {
  const TemporaryFolder folder;
  folder.write(
      "f", with_length(
               R"({"__metadata__":{"a":"x\ny"},"b.c":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]}})",
               std::string(12, 'x')));
  const InspectedModel model = inspected(folder / "f");
  CHECK_FALSE(model.training.has_value());
  CHECK(model.vocabularies.empty());
  const std::string text = to_text(model);
  CHECK_THAT(text, Catch::Contains("b.c") && Catch::Contains("F16") && Catch::Contains("[2, 3]"));
  CHECK_THAT(text, Catch::Contains("a = x\\x0ay"));  // on one line
}

// 0.6 s here; a reader that looks at all tensors for each of them takes a minute.
TEST_CASE("Export inspect: tens of thousands of tensors are shown in time that grows with them", "[unit]") {
  std::string header;
  for (int i = 0; i < 60000; ++i)
    header += (i > 0 ? "," : "{") +
              fmt::format(R"("b{0}.x":{{"dtype":"U8","shape":[1],"data_offsets":[{0},{1}]}})", i, i + 1);
  const TemporaryFolder folder;
  folder.write("f", with_length(header + "}", std::string(60000, 'x')));
  const std::clock_t begin = std::clock();
  const InspectedModel model = inspected(folder / "f");
  CHECK(model.header.tensors.size() == 60000);
  CHECK_THAT(to_text(model), Catch::Contains("total") && Catch::Contains("60,000"));
  CHECK(to_json(model).size() > 60000);
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 15);
}

TEST_CASE("Export inspect: what is missing, foreign or beside another vocabulary is refused", "[unit]") {
  const RandomRun run;
  const TemporaryFolder folder;
  folder.write("text", "no safetensors file");
  CHECK_THAT(error_of([&] { inspected(folder / "none"); }),
             Catch::StartsWith("3: ") && Catch::Contains("no such folder"));
  CHECK_THAT(error_of([&] { inspected(folder / "text"); }),
             Catch::StartsWith("3: ") && Catch::Contains("is not a safetensors file"));
  atomic_write(run.path() + "vocab.txt", "<unk>\n<pad>\n<s>\n</s>\nother\n");
  CHECK_THAT(error_of([&] { inspected(run.path()); }),
             Catch::StartsWith("3: ") && Catch::Contains("another vocabulary"));
}
