// Files of torch.save() that ask for more than they have.
#include "tests/fuzz/structured/zip.h"
#include "tests/support/catch.h"
#include "tests/tools/exchange_models.h"
#include "tools/formats/pickle.h"
#include "tools/formats/torch_file.h"

using namespace xf;
using namespace xf::tools::exchange;
using xf::fuzz::Packing;
using xf::tests::error_of;

namespace {

std::string repeated(const std::string& text, size_t times) {
  std::string result;
  for (size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::string pickle_error(const std::string& program) {
  const std::string bytes = "\x80\x02" + program + ".", path = "data.pkl";
  return error_of([&] { PickleReader(bytes, path).read(); });
}

std::string archive_error(const std::string& pickle) {
  fuzz::Damage none(1);
  const std::string bytes = fuzz::zip(none, {{"a/data.pkl", pickle}}, Packing::deflated);
  return error_of([&] { parse_torch_file(bytes, "pytorch_model.bin"); });
}

}  // namespace

TEST_CASE("Pickle: so many values as no file of tensors has are refused before they have memory", "[unit]") {
  constexpr size_t kMany = 4'000'000;
  for (const char* value : {"]", "N", "(", "}", ")"})
    CHECK_THAT(pickle_error(repeated(value, kMany)), Catch::Contains("it makes more than 2097152 values"));
  CHECK_THAT(pickle_error("]" + repeated("\x94", kMany)), Catch::Contains("it makes more than"));
  CHECK_THAT(pickle_error("]q\x01" + repeated("h\x01", kMany)), Catch::Contains("it makes more than"));
  CHECK_THAT(archive_error("\x80\x02}" + repeated("]", kMany) + "."), Catch::Contains("it makes more than"));
  CHECK_THAT(archive_error("\x80\x02}" + repeated("]", 17 << 20) + "."),
             Catch::Contains("data.pkl is too long"));
}

TEST_CASE("Pickle: names and axes are as many as tensors have", "[unit]") {
  const std::string size("\x50\xC3\x00\x00", 4);  // 50,000
  CHECK_THAT(pickle_error("X" + size + std::string(50'000, 'a')), Catch::Contains("a name is too long"));
  CHECK_THAT(pickle_error("c" + std::string(50'000, 'a') + "\nb\n"), Catch::Contains("a name is too long"));
  const std::string key("\xC8\x00\x00\x00", 4);  // 200
  const std::string storage = "(X\x07" + std::string(3, '\0') + "storagectorch\nFloatStorage\nX";
  CHECK_THAT(pickle_error(storage + key + std::string(200, '1') + "NK\x01tQ"),
             Catch::Contains("a storage is not named as usual"));
  const std::string one = storage + std::string("\x01\0\0\0", 4) + "0NK\x01tQ";
  const std::string axes = "(" + repeated("K\x01", 17) + "t";
  CHECK_THAT(
      pickle_error("ctorch._utils\n_rebuild_tensor_v2\n(" + one + std::string("K\0", 2) + axes + axes + "tR"),
      Catch::Contains("a tensor is not made as usual"));
}
