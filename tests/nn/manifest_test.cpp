#include "nn/checkpoint/manifest.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "tests/data/errors.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using tests::error_of;
using Json = nlohmann::json;

namespace {

Manifest sample_state() {
  Manifest state = {.update = 7, .files = {}, .state = {}};
  state.files["config.toml"] = record_of("seed = 1\n");
  state.state.set("loss", -INFINITY);
  state.state.set("counts", std::vector<int64_t>{1, 2});
  return state;
}

// The sample's text after `change`, under a checksum that is right: what another program, or a
// hand, would write.
std::string changed(const std::function<void(Json&)>& change) {
  Json json = Json::parse(format_manifest(sample_state()));
  change(json["content"]);
  json["crc64"] = record_of(json["content"].dump()).crc64;
  return json.dump();
}

std::string refusal_of(const std::function<void(Json&)>& change) {
  return error_of([&] { parse_manifest(changed(change), "c/state.json"); });
}

}  // namespace

TEST_CASE("Checkpoint state: the text comes back as what it was", "[unit]") {
  const Manifest sample = sample_state();
  const Manifest read = parse_manifest(format_manifest(sample), "state.json");
  CHECK(read.update == 7);
  CHECK(read.files == sample.files);
  CHECK(read.state == sample.state);
}

TEST_CASE(
    "Checkpoint state: a key less, or of another type, is damage that is named, whatever the checksum says",
    "[unit]") {
  const std::string damaged = "3: c/state.json: damaged: ", mend = "; use another checkpoint";
  CHECK(refusal_of([](Json&) {}) == "no error");
  for (const char* key : {"version", "update", "files", "state"}) {
    CHECK(refusal_of([&](Json& content) { content.erase(key); }) == damaged + "no '" + key + "'" + mend);
  }
  for (const char* key : {"bytes", "crc64"}) {
    CHECK(refusal_of([&](Json& content) { content["files"]["config.toml"].erase(key); }) ==
          damaged + "no '" + key + "'" + mend);
  }
  const std::vector<std::pair<const char*, std::string>> wrong = {{"/update", "\"7\""},
                                                                  {"/update", "7.5"},
                                                                  {"/update", "1e3"},
                                                                  {"/update", "18446744073709551615"},
                                                                  {"/files", "[]"},
                                                                  {"/files", "null"},
                                                                  {"/state", "3"},
                                                                  {"/files/config.toml", "[1, 2]"},
                                                                  {"/state/loss", "true"},
                                                                  {"/state/loss", "null"},
                                                                  {"/state/loss", "{}"},
                                                                  {"/state/loss", R"({"f64": "many"})"},
                                                                  {"/state/loss", R"({"f64": 1})"},
                                                                  {"/state/counts", "[1, \"2\"]"},
                                                                  {"/state/counts", "[1, 2.5]"},
                                                                  {"/state/counts", "[\"1\", 2]"},
                                                                  {"/state/counts", "[1.5, 2]"},
                                                                  {"/state/counts", "[[1]]"}};
  for (const auto& [place, value] : wrong) {
    INFO(place << " = " << value);
    const auto change = [&](Json& content) { content[Json::json_pointer(place)] = Json::parse(value); };
    CHECK_THAT(refusal_of(change), Catch::StartsWith(damaged) && Catch::EndsWith(mend));
  }
  CHECK_THAT(refusal_of([](Json& content) { content = 3; }), Catch::StartsWith(damaged));
  CHECK_THAT(refusal_of([](Json& content) { content["version"] = 2; }), Catch::Contains("use a newer one"));
}

TEST_CASE("Checkpoint state: what is not its text is refused by name", "[unit]") {
  for (const char* text :
       {"", "{", "3", "[]", "{}", R"({"content": {}})", R"({"content": {}, "crc64": 3})"}) {
    INFO(text);
    CHECK_THAT(error_of([&] { parse_manifest(text, "c/state.json"); }),
               Catch::StartsWith("3: c/state.json: damaged: "));
  }
}
