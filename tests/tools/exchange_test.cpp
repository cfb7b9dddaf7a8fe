// What the formats of other toolkits have in common. More of it, as users do it:
// tests/e2e/exchange.sh; with those toolkits themselves: tests/e2e/exchange_peers.sh.
#include <algorithm>
#include <cmath>

#include "core/folder_writer.h"
#include "core/mapped_file.h"
#include "tests/support/catch.h"
#include "tests/tools/exchange_models.h"
#include "tools/formats/compare_models.h"
#include "tools/formats/ctranslate2.h"
#include "tools/formats/import_model.h"
#include "tools/formats/position_order.h"
#include "tools/formats/safetensors_arrays.h"
#include "tools/formats/settings.h"
#include "tools/formats/stored_array.h"
#include "tools/formats/tensor_part.h"
#include "tools/formats/torch_file.h"

using namespace xf;
using namespace xf::tools;
using namespace xf::tools::exchange;
using xf::tests::Changed;
using xf::tests::error_of;
using xf::tests::fixture;
using xf::tests::random_model;
using xf::tests::TemporaryFolder;

namespace {

// What the bytes of `values` are as f32.
template <typename T>
std::vector<float> read_as(ArrayType type, const std::vector<T>& values) {
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return f32_values({type, {static_cast<int64_t>(values.size())}, bytes}, "a test")
      .template to_vector<float>();
}

}  // namespace

// IEEE 754-2019, 3.4: 0x3C00 is 1, 0xC000 -2, 0x7BFF the largest, 65504, 0x0001 the smallest,
// 2^-24, 0x7C00 infinity.
TEST_CASE("Exchange: numbers of sixteen and of whole bits are read as what they are", "[unit]") {
  CHECK(read_as<uint16_t>(ArrayType::f16, {0x3C00, 0xC000, 0x7BFF, 0x0001, 0x7C00}) ==
        std::vector<float>{1, -2, 65504, 0x1p-24f, INFINITY});
  CHECK(read_as<uint16_t>(ArrayType::bf16, {0x3F80, 0xC000, 0x3F81}) ==
        std::vector<float>{1, -2, 1 + 0x1p-7f});
  CHECK(read_as<int64_t>(ArrayType::i64, {-3, 1 << 20}) == std::vector<float>{-3, 1 << 20});
  CHECK(read_as<double>(ArrayType::f64, {0.5}) == std::vector<float>{0.5});
  CHECK(f16_bytes(Tensor::from(std::vector<float>{1, -2, 65504})) ==
        std::string("\x00\x3C\x00\xC0\xFF\x7B", 6));
  CHECK_THAT(error_of([&] {
               f32_values({ArrayType::f16, {7}, "ten bytes."}, "halves");
             }),
             Catch::StartsWith("3: halves: [7] elements do not fit its 10 bytes"));
}

TEST_CASE("Exchange: a model with its sinusoids in another order computes the same", "[unit]") {
  const ExchangedModel model = random_model(), reordered = with_split_positions(model);
  CHECK(reordered.config.positions == kernels::PositionLayout::split);
  CHECK(largest_difference(model, reordered) < 1e-5);
  ExchangedModel wrong = reordered;
  wrong.config.positions = kernels::PositionLayout::interleaved;
  CHECK(largest_difference(model, wrong) > 1e-3);
}

TEST_CASE("Exchange: a comparison of models sees a single weight", "[unit]") {
  const ExchangedModel model = random_model();
  ExchangedModel other = model;
  Tensor& bias = other.tensors.at("decoder.layers.0.feed_forward.out.bias");
  bias = Tensor::from(bias.to_vector<float>());
  CHECK(largest_difference(model, other) == 0);
  bias.data<float>()[3] += 0.1f;
  CHECK(largest_difference(model, other) > 1e-3);
  bias.data<float>()[3] = NAN;
  CHECK_THROWS_WITH(largest_difference(model, other),
                    Catch::Contains("are not finite; its weights are damaged"));
}

TEST_CASE("Exchange: a tensor of another shape is named", "[unit]") {
  nn::ParameterStore store;
  store.add("map.weight", {4, 2}, nn::Init::zeros());
  store.add("map.bias", {4}, nn::Init::zeros());
  const TensorParts parts = {{"up/w", "map.weight", 0, 2, true},
                             {"up/b", "map.bias", 0, 2},
                             {"down/w", "map.weight", 2, 2, true},
                             {"down/b", "map.bias", 2, 2}};
  const Tensor values = Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {4, 2});
  const nn::TensorMap ours = {{"map.weight", values},
                              {"map.bias", Tensor::from(std::vector<float>{1, 2, 3, 4})}};
  nn::TensorMap theirs = split(ours, parts);
  const auto of_map = [&](const std::string& name) { return theirs.at(name); };
  CHECK(theirs.at("down/w").to_vector<float>() == std::vector<float>{5, 7, 6, 8});
  CHECK(theirs.at("up/b").to_vector<float>() == std::vector<float>{1, 2});
  CHECK(joined(of_map, parts, store, "there").at("map.weight").to_vector<float>() ==
        values.to_vector<float>());
  theirs["down/w"] = Tensor::zeros({3, 2}, DType::f32);
  CHECK(error_of([&] { joined(of_map, parts, store, "there"); }) ==
        "3: there: down/w is [2, 3], and the other tensors make it [2, 2]");
}

TEST_CASE("Exchange: both forms of torch.save are read, and pickles call nothing", "[unit]") {
  const std::string corpus = tests::source_folder() + "/tests/fuzz/corpus/torch_file/";
  for (const char* name : {"archive", "older", "deflated"}) {
    const StoredArrays stored = torch_arrays(corpus + name);
    CHECK(f32_values(stored.arrays.at("a"), name).to_vector<float>() == std::vector<float>{0, 1, 2, 3, 4, 5});
    CHECK(f32_values(stored.arrays.at("b"), name).to_vector<float>() == std::vector<float>{1.5});
    CHECK(f32_values(stored.arrays.at("i"), name).to_vector<float>() == std::vector<float>{7});
  }
  CHECK_THAT(error_of([&] { torch_arrays(corpus + "transposed"); }),
             Catch::EndsWith("transposed: a is a view whose rows do not follow each other, such as a "
                             "transpose; save its contiguous()"));
  CHECK_THAT(error_of([&] { torch_arrays(corpus + "call"); }), Catch::Contains("it calls posix system"));
  CHECK_THAT(error_of([&] { torch_arrays(corpus + "nested"); }), Catch::Contains("nested too deep"));
}

TEST_CASE("Exchange: a folder without its main file is known by the others, and the file is named",
          "[unit]") {
  const auto error_without = [](const std::string& folder, const char* file) {
    const Changed changed(folder);
    std::filesystem::remove(changed.path() + file);
    CHECK(is_foreign(changed.path()));
    return error_of([&] { import_model(changed.path()); });
  };
  CHECK_THAT(error_without(fixture("opus"), "config.json"), Catch::Contains("config.json: cannot open"));
  CHECK_THAT(error_without(fixture("opus"), "model.safetensors"),
             Catch::Contains("neither model.safetensors nor"));
  CHECK_THAT(error_without(fixture("opus"), "source.spm"),
             Catch::EndsWith(": no source.spm in this folder; copy it again"));
  CHECK_THAT(error_without(fixture("../marian_npz/post"), "model.npz"),
             Catch::Contains("no .npz file in this folder"));
  const TemporaryFolder converted;
  write_ctranslate2(converted / "", random_model(), Quantization::float32);
  CHECK_THAT(error_without(converted / "", "model.bin"), Catch::Contains("model.bin: cannot open"));
  const tests::RandomRun run;
  for (const char* name : {"source.spm", "target.spm", "vocab.json"})
    std::filesystem::copy(fixture("opus") + "/" + name, run.path());
  CHECK_FALSE(is_foreign(run.path()));
}

TEST_CASE("Exchange: numbers of a type that is not read are refused with those that are", "[unit]") {
  const TemporaryFolder folder;
  const std::string header = R"({"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}})";
  std::string length(8, '\0');
  length[0] = static_cast<char>(header.size());
  CHECK_THAT(error_of([&] { safetensors_arrays(folder.write("x", length + header + "1")); }),
             Catch::EndsWith("a is F8_E4M3; F64, F32, F16, BF16, I64, I32, I16, I8 are read"));
}

TEST_CASE("Exchange: where a writer fails, the folder that was there stays", "[unit]") {
  const TemporaryFolder folder;
  const std::string path = folder / "there";
  const auto put = [](const char* text) {
    return [text](const std::string& temporary) { std::ofstream(temporary + "/file") << text; };
  };
  write_folder(path, put("old"));
  CHECK_THROWS(write_folder(path, [&](const std::string& temporary) {
    put("new")(temporary);
    fail(ErrorKind::failure, "no");
  }));
  CHECK(MappedFile(path + "/file").bytes() == "old");
  CHECK_FALSE(std::filesystem::exists(path + ".tmp"));
  write_folder(path, put("new"));
  CHECK(MappedFile(path + "/file").bytes() == "new");
}

TEST_CASE("Exchange: an error of JSON shows the beginning of what it is about", "[unit]") {
  const std::string text = "{\"a\": \"" + std::string(1 << 20, 'a');
  CHECK(error_of([&] { Settings::parse(text, "config.json"); }).size() < 300);
}
