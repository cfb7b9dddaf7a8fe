#include "bench/catalogue.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"

namespace xf::bench {
namespace {

const tests::Target kF32{Device::cpu(), DType::f32};

// Functions that a contract declares for callers: not those of a backend, whose first argument is
// its tag.
std::set<std::string> public_functions(const std::filesystem::path& header) {
  std::ifstream file(header);
  std::stringstream text;
  text << file.rdbuf();
  const std::string source = text.str();
  static const std::regex function("\nvoid ([a-z_]+)\\((?!Cpu|Cuda)");
  std::set<std::string> names;
  for (std::sregex_iterator match(source.begin(), source.end(), function), end; match != end; ++match)
    names.insert((*match)[1]);
  return names;
}

TEST_CASE("Catalogue: every function of every op is timed, on a model's shapes and on the odd ones",
          "[unit]") {
  std::set<std::string> expected;
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_folder() + "/kernels")) {
    if (entry.path().extension() != ".h" || entry.path().stem() == "signature") continue;
    for (const std::string& name : public_functions(entry.path())) expected.insert(name);
  }
  // Called once per run, on the CPU.
  for (const char* const once : {"sinusoid_positions", "rotary_table", "round_weights", "pack_weights"})
    expected.erase(once);
  REQUIRE(expected.size() > 30);
  for (const char* const preset : {"tiny", "base", "odd"}) {
    std::set<std::string> timed;
    for (const Case& c : catalogue(scope_of(preset, kF32))) timed.insert(c.fn);
    std::vector<std::string> missing;
    std::set_difference(expected.begin(), expected.end(), timed.begin(), timed.end(),
                        std::back_inserter(missing));
    INFO(preset);
    CHECK(missing == std::vector<std::string>());
  }
}

TEST_CASE("Catalogue: a row is known by its name and shape alone", "[unit]") {
  for (const Device device : {Device::cpu(), Device::cuda()}) {
    for (const char* const preset : {"tiny", "base", "odd"}) {
      std::set<std::string> seen;
      for (const Case& c : catalogue(scope_of(preset, {device, DType::f32}))) {
        INFO(preset << ": " << c.fn << " " << c.shape());
        CHECK(seen.insert(c.fn + " " + c.shape()).second);
      }
    }
  }
}

TEST_CASE(
    "Catalogue: on CUDA, dW is also timed without the bias in one go, and the loss with an even vocabulary",
    "[unit]") {
  std::set<std::string> rows;
  for (const Case& c : catalogue(scope_of("base", {Device::cuda(), DType::bf16}))) {
    rows.insert(c.fn + " " + c.shape());
  }
  for (const char* const row :
       {"linear_backward_weight 4096x512x1536", "linear_backward_weight 4096x512x1536 apart",
        "projection_cross_entropy 4096x512x7855", "projection_cross_entropy 4096x512x7856"}) {
    INFO(row);
    CHECK(rows.count(row) == 1);
  }
}

TEST_CASE("Catalogue: what is timed agrees with its definition, on the odd shapes", "[slow]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const Case& c : catalogue(scope_of("odd", {Device::cpu(), dtype}))) {
      if (c.work.flops > 2e6)
        continue;  // the definitions are slow, and the ops' own tests have the large shapes
      Arena arena(Device::cpu());
      Inputs inputs(c.target, arena);
      INFO(c.fn << " " << c.shape() << " " << name_of(c.target));
      CHECK(deviation_of(c, c.make(inputs)).of_allowed() <= 1);
    }
  }
}

TEST_CASE("Catalogue: a kernel that is wrong by one element in a thousand does not pass the check",
          "[unit]") {
  for (Case c : catalogue(scope_of("odd", kF32))) {
    if (c.fn != "layer_norm_forward" || c.dims != std::vector<int64_t>{5, 32}) continue;
    Arena arena(Device::cpu());
    Inputs inputs(c.target, arena);
    Call call = c.make(inputs);
    CHECK(deviation_of(c, call).of_allowed() <= 1);
    call.run = [run = call.run, y = call.outputs[0].tensor] {
      run();
      y.data<float>()[17] *= 1.001f;
    };
    CHECK(deviation_of(c, call).of_allowed() > 1);
    return;
  }
  FAIL("layer_norm_forward 5x32 is not in the catalogue");
}

TEST_CASE("Catalogue: names are chosen whole, with or without their direction", "[unit]") {
  CHECK(chosen("layer_norm", "layer_norm_forward"));
  CHECK(chosen("layer_norm_forward", "layer_norm_forward"));
  CHECK_FALSE(chosen("layer_norm_forward", "layer_norm_backward"));
  CHECK_FALSE(chosen("norm", "layer_norm_forward"));
  CHECK(chosen(".*norm", "residual_norm_backward"));
  CHECK(chosen("", "anything"));
}

TEST_CASE("Catalogue: an unknown name is refused with the nearest one", "[unit]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(check_pattern("layer_nrom", {"layer_norm_forward", "softmax", "layer_norm"}, "--fn"),
                    Contains("layer_nrom") && Contains("did you mean 'layer_norm'"));
  CHECK_THROWS_AS(check_pattern("(", {"a"}, "--fn"), Error);
}

}  // namespace
}  // namespace xf::bench
