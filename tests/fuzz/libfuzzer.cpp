// libFuzzer's entry into a target.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  xf::fuzz::attempt([&] { xf::fuzz::read({reinterpret_cast<const char*>(bytes), size}); });
  return 0;
}
