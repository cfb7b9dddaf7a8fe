// Models in eight bits, as programs read and write them. More of it: tests/nn/quantized_test.cpp,
// tests/e2e/export.sh.
#include "tools/formats/quantize_model.h"

#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/tools/random_run.h"
#include "tools/formats/loaded_model.h"

using namespace xf;
using namespace xf::tools;
using xf::tests::error_of;
using xf::tests::RandomRun;

TEST_CASE("Quantized model: is for the CPU", "[unit]") {
  const RandomRun run;
  CHECK_THAT(error_of([&] { load_quantized_model(run.path(), Device::cuda()); }),
             Catch::EndsWith(": int8 weights are for the CPU; give --device cpu"));
}

TEST_CASE("Quantized model: is read as it was saved, and only where eight bits are asked for", "[unit]") {
  const RandomRun run;
  const tests::TemporaryFolder folder;
  QuantizeOptions options;
  options.model = run.path();
  options.output = folder / "small";
  options.quiet = true;
  quantize_model(options);
  const auto load = [&](const std::string& precision) {
    ComputeOptions compute;
    compute.precision = precision;
    return load_model(folder / "small", Device::cpu(), compute);
  };
  for (const auto& model : {load(""), load("int8")})
    for (const nn::Parameter& parameter : model->store.parameters())
      CHECK(parameter.quantized.defined() == parameter.is_quantizable());
  for (const char* precision : {"float32", "bfloat16"}) {
    CHECK_THAT(error_of([&] { load(precision); }),
               Catch::EndsWith("small: its weights are int8, for --precision int8; "
                               "give the model before quantization"));
  }
}
