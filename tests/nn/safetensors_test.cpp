#include "nn/checkpoint/safetensors.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "core/file.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using tests::error_of;

namespace {

std::string with_length(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

std::string refusal(const std::string& bytes) {
  return error_of([&] { parse_safetensors(bytes, "some/file"); });
}

// One f32 tensor `x` of the given shape and range.
std::string entry(const std::string& shape, const std::string& offsets, const std::string& dtype = "F32") {
  return R"("x":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

std::string braces(const std::string& body) { return "{" + body + "}"; }

Tensor bf16_tensor(const std::vector<uint16_t>& bits) {
  const Tensor tensor = Tensor::empty({static_cast<int64_t>(bits.size())}, DType::bf16);
  std::memcpy(tensor.raw(), bits.data(), bits.size() * 2);
  return tensor;
}

TensorMap golden_tensors() {
  return {{"z", Tensor::from<float>({1.5f, -2.0f}, {2, 1})},
          {"a", bf16_tensor({0x3f80, 0x4000, 0x7fc0})},
          {"w", Tensor::from<double>({0.1})},
          {"b", Tensor::empty({0}, DType::i32)},
          {"q", Tensor::from<int8_t>({127, -127, 0, -1}, {2, 2})},
          {"\xc3\xa4", Tensor::from<int32_t>({-1, 7})}};
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.bytes())) == 0;
}

}  // namespace

// Expected: the bytes of safetensors 0.8.0 (the official library),
//   save({"z": tensor([[1.5], [-2.]]), "a": tensor([1., 2., nan], dtype=bfloat16),
//         "w": tensor([.1], dtype=float64), "b": zeros(0, dtype=int32), "ä": tensor([-1, 7],
//         dtype=int32), "q": tensor([[127, -127], [0, -1]], dtype=int8)},
//        {"format": "pt"})
TEST_CASE("Safetensors: writes the bytes of the official library", "[golden]") {
  const std::string expected =
      with_length(R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                  R"("z":{"dtype":"F32","shape":[2,1],"data_offsets":[8,16]},)"
                  R"("b":{"dtype":"I32","shape":[0],"data_offsets":[16,16]},)"
                  "\"\xc3\xa4\""
                  R"(:{"dtype":"I32","shape":[2],"data_offsets":[16,24]},)"
                  R"("a":{"dtype":"BF16","shape":[3],"data_offsets":[24,30]},)"
                  R"("q":{"dtype":"I8","shape":[2,2],"data_offsets":[30,34]}}    )",
                  "") +
      std::string(
          "\x9a\x99\x99\x99\x99\x99\xb9?\x00\x00\xc0?\x00\x00\x00\xc0\xff\xff\xff\xff\x07\x00\x00\x00\x80?"
          "\x00@\xc0\x7f\x7f\x81\x00\xff",
          34);
  const tests::TemporaryFolder folder;
  const Crc64 checksum = write_safetensors(folder / "t", golden_tensors(), {});
  CHECK(read_file(folder / "t") == expected);
  Crc64 of_file;
  of_file.add(expected);
  CHECK(checksum == of_file);
}

TEST_CASE("Safetensors: what is written is what is read, bit for bit", "[unit]") {
  TensorMap tensors = golden_tensors();
  tensors["values"] =
      Tensor::from<float>({-0.0f, std::numeric_limits<float>::denorm_min(), INFINITY, NAN}, {2, 2});
  tensors["rank 4"] = Tensor::from<float>(std::vector<float>(2 * 3 * 1 * 5, 1.0f), {2, 3, 1, 5});
  tensors["no rows"] = Tensor::empty({3, 0, 2}, DType::f64);
  tensors["quote \" and \\ and \n"] = Tensor::from<int32_t>({1});
  const tests::TemporaryFolder folder;
  write_safetensors(folder / "t", tensors, {{"update", "12"}, {"config", "a = \"b\"\n"}});
  const SafetensorsFile file = read_safetensors(folder / "t");
  CHECK(file.metadata == Metadata{{"config", "a = \"b\"\n"}, {"format", "pt"}, {"update", "12"}});
  REQUIRE(file.tensors.size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    INFO(name);
    CHECK(same_bytes(file.tensors.at(name), tensor));
  }
}

TEST_CASE("Safetensors: the data begins at a multiple of 8 whatever the header", "[unit]") {
  const tests::TemporaryFolder folder;
  for (size_t length = 1; length <= 9; ++length) {
    write_safetensors(folder / "t", {{std::string(length, 'n'), Tensor::from<float>({1.0f})}}, {});
    CHECK((read_file(folder / "t").size() - 4) % 8 == 0);
  }
}

TEST_CASE("Safetensors: a scalar, no tensor, no metadata and a header without padding are legal", "[unit]") {
  const std::string one(4, '\0');
  CHECK(parse_safetensors(with_length(braces(entry("[]", "[0,4]")), one), "f").tensors.at("x").shape() ==
        Shape{1});
  CHECK(parse_safetensors(with_length("{}", ""), "f").tensors.empty());
  CHECK(parse_safetensors(with_length("{}   ", ""), "f").tensors.empty());
}

// Bits of the types: Dtype::bitsize of https://github.com/huggingface/safetensors,
// safetensors/src/tensor.rs, at 0.8.
TEST_CASE("Safetensors: a header alone tells tensors of every type of the format and of any rank", "[unit]") {
  const std::vector<std::pair<std::string, size_t>> bits = {
      {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6},     {"F6_E3M2", 6},     {"U8", 8},   {"I8", 8},
      {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8},     {"F8_E4M3FNUZ", 8}, {"I16", 16}, {"U16", 16},
      {"F16", 16},    {"BF16", 16},   {"F8_E5M2FNUZ", 8}, {"I32", 32},        {"U32", 32}, {"F32", 32},
      {"C64", 64},    {"F64", 64},    {"I64", 64},        {"U64", 64}};
  CHECK(bits.size() == 22);
  for (const auto& [dtype, each] : bits) {
    INFO(dtype);
    const size_t bytes = 12 * each / 8;
    const std::string offsets = "[0," + std::to_string(bytes) + "]";
    const std::string file =
        with_length(braces(entry("[1,1,1,1,4,3]", offsets, dtype)), std::string(bytes, '\0'));
    const SafetensorsHeader header = parse_safetensors_header(file, "f");
    REQUIRE(header.tensors.size() == 1);
    CHECK(header.tensors[0].dtype == dtype);
    CHECK(header.tensors[0].shape == std::vector<int64_t>{1, 1, 1, 1, 4, 3});
    CHECK(header.tensors[0].end == bytes);
    // Nothing is broken in it.
    CHECK_THAT(refusal(file), !Catch::Contains("not a whole") && Catch::Contains("read here"));
  }
}

// What the format's own reader takes: tests of safetensors/src/tensor.rs, and what it does with an
// entry in which more stands; tests/peers/compare_safetensors.py compares both on many more.
TEST_CASE("Safetensors: white space around the header, no metadata and unknown keys are legal", "[unit]") {
  for (const char* header : {"\t\n{}\r ", "{}\r \t\n", " {\"__metadata__\":null}"})
    CHECK(parse_safetensors(with_length(header, ""), "f").tensors.empty());
  const std::string more = R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"more":[{"a":1}]}})";
  CHECK(parse_safetensors(with_length(more, "1234"), "f").tensors.size() == 1);
  // Nothing at all of whatever extent.
  CHECK(parse_safetensors_header(with_length(braces(entry("[9223372036854775807,0]", "[0,0]")), ""), "f")
            .tensors.size() == 1);
}

// Each rule of the format description, broken alone. Expected: the word that names the rule.
TEST_CASE("Safetensors: a file that breaks a rule is refused, with its path and the rule", "[unit]") {
  const auto x = [](const std::string& shape, const std::string& offsets, size_t bytes) {
    return with_length(braces(entry(shape, offsets)), std::string(bytes, '\0'));
  };
  const std::string two = R"("y":{"dtype":"F32","shape":[1],"data_offsets":)";
  const auto x_and_y = [&](const std::string& y, size_t bytes) {
    return with_length(braces(entry("[1]", "[0,4]") + "," + two + y + "}"), std::string(bytes, '\0'));
  };
  uint64_t huge = 100'000'001;
  const std::string too_long = std::string(reinterpret_cast<const char*>(&huge), 8) + "{}";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "cannot hold a header"},
      {"1234567", "cannot hold a header"},
      {too_long, "longer than 100000000"},
      {with_length("{}", "").substr(0, 9), "ends after the file"},
      {with_length("", ""), "does not begin with '{'"},
      {with_length("\xEF\xBB\xBF{}", ""), "does not begin with '{'"},
      {with_length("\v{}", ""), "does not begin with '{'"},
      {with_length(std::string("{}\0", 3), ""), "a zero byte"},
      {with_length(std::string("{}\0{}", 5), ""), "a zero byte"},
      {with_length("{", ""), "not JSON"},
      {with_length("{\"\xff\":1}", ""), "not JSON"},
      {with_length("{}{}", ""), "not JSON"},
      {with_length(braces(entry("[0]", "[0,0]") + "," + entry("[0]", "[0,0]")), ""), "'x' appears twice"},
      {with_length(R"({"x":{"dtype":"F32","dtype":"F32","shape":[0],"data_offsets":[0,0]}})", ""),
       "'dtype' appears twice"},
      {with_length(R"({"__metadata__":{"a":"1","a":"2"}})", ""), "'a' appears twice"},
      {with_length(R"({"__metadata__":{"a":1}})", ""), "'a' is not a string"},
      {with_length(R"({"__metadata__":["a"]})", ""), "not an object"},
      {with_length(R"({"x":3})", ""), "'x' has not dtype, shape and data_offsets"},
      {with_length(R"({"x":{"dtype":"F32","shape":[0]}})", ""), "'x' has not dtype, shape and data_offsets"},
      {with_length(braces(entry("[1]", "[0,4]", "Q4")), "1234"), "'x' is Q4"},
      {with_length(braces(entry("[2]", "[0,4]", "F16")), "1234"), "'x' is F16; F64, F32, I32, BF16 and I8"},
      {with_length(braces(entry("[3]", "[0,2]", "F4")), "12"), "ends inside a byte, after 12 bits"},
      {with_length(braces(entry("[3,3]", "[0,7]", "F6_E2M3")), "1234567"),
       "ends inside a byte, after 54 bits"},
      {x("[9223372036854775807,3,0]", "[0,0]", 0), "overflows"},
      {x("[-1]", "[0,4]", 4), "shape is not a list"},
      {x("[1.0]", "[0,4]", 4), "shape is not a list"},
      {x("4", "[0,4]", 4), "shape is not a list"},
      {x("[1,1,1,1,1]", "[0,4]", 4), "5 axes"},
      {x("[1]", "[0,4,4]", 4), "not [begin, end]"},
      {x("[1]", "[4,0]", 4), "takes 4 bytes"},
      {x("[2]", "[0,4]", 4), "takes 8 bytes"},
      {x("[4294967296,4294967296]", "[0,0]", 0), "overflows"},
      {x("[1]", "[4,8]", 8), "begins at byte 4"},
      {x_and_y("[8,12]", 12), "begins at byte 8"},
      {x_and_y("[2,6]", 6), "begins at byte 2"},
      {x_and_y("[0,4]", 4), "begins at byte 0"},
      {x("[1]", "[0,4]", 3), "3 bytes of data"},
      {x("[1]", "[0,4]", 5), "5 bytes of data"},
  };
  for (const auto& [bytes, rule] : cases) {
    CHECK_THAT(refusal(bytes), Catch::StartsWith("3: some/file: ") && Catch::Contains(rule));
  }
}

TEST_CASE("Safetensors: every truncation of a file is refused", "[unit]") {
  const tests::TemporaryFolder folder;
  write_safetensors(folder / "t", golden_tensors(), {});
  const std::string whole = read_file(folder / "t");
  for (size_t size = 0; size < whole.size(); ++size) {
    REQUIRE_THAT(refusal(whole.substr(0, size)), Catch::StartsWith("3: some/file: "));
  }
}

TEST_CASE("Safetensors: what cannot be written is refused before the file is touched", "[unit]") {
  const tests::TemporaryFolder folder;
  const auto refused = [&](const TensorMap& tensors, const Metadata& metadata) {
    return error_of([&] { write_safetensors(folder.write("t", "old"), tensors, metadata); });
  };
  const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  CHECK_THAT(refused({{"x", x.slice_columns(0, 1)}}, {}), Catch::Contains("'x' must be a contiguous"));
  CHECK_THAT(refused({{"x", Tensor::empty({2}, DType::f32, Device::meta())}}, {}),
             Catch::Contains("on the cpu"));
  CHECK_THAT(refused({{"x", Tensor()}}, {}), Catch::Contains("'x' must be"));
  CHECK_THAT(refused({{"__metadata__", x}}, {}), Catch::Contains("must not be named"));
  CHECK_THAT(refused({{"\xff", x}}, {}), Catch::Contains("not UTF-8"));
  CHECK(read_file(folder / "t") == "old");
}
