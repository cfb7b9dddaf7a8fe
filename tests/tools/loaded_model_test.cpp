#include "tools/formats/loaded_model.h"

#include <sys/stat.h>

#include <filesystem>

#include "core/file.h"
#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tests/tools/random_run.h"

using namespace xf;
using namespace xf::tools;
using xf::tests::error_of;
using xf::tests::RandomRun;

namespace {

std::string load_error(const std::string& folder) {
  return error_of([&] { load_model(folder, Device::cpu(), DType::f32, nn::ParameterStore::Gradients::no); });
}

}  // namespace

TEST_CASE("Model: a configuration that makes a larger model than the weights is refused before it has memory",
          "[unit]") {
  const RandomRun run;
  nn::Checkpoint checkpoint = nn::read_model(run.path() + "/averaged");
  const std::string narrow = "dim-emb = 16";
  const size_t at = checkpoint.model_config.find(narrow);
  REQUIRE(at != std::string::npos);
  checkpoint.model_config.replace(at, narrow.size(), "dim-emb = 65536");
  nn::write_checkpoint(run.path() + "/averaged", checkpoint);
  CHECK_THAT(load_error(run.path()),
             Catch::StartsWith("3: ") && Catch::Contains("but the vocabulary and model.toml make it"));
  CHECK_THAT(error_of([&] { load_quantized_model(run.path(), Device::cpu()); }), Catch::StartsWith("3: "));
}

TEST_CASE("Model: a pipe or a circle of links in place of one of its files is refused and not waited for",
          "[unit]") {
  for (const std::string name :
       {"vocab", "averaged/state.json", "averaged/model.toml", "averaged/model.safetensors"}) {
    const RandomRun run;
    const std::string path =
        name == "vocab" ? data::vocabulary_files(run.path()).back() : run.path() + "/" + name;
    REQUIRE(std::filesystem::remove(path));
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK_THAT(load_error(run.path()), Catch::StartsWith("3: "));
    std::filesystem::remove(path);
    std::filesystem::create_symlink(std::filesystem::path(path).filename(), path);  // to itself
    CHECK_THAT(load_error(run.path()), Catch::StartsWith("3: "));
  }
}
