#include "core/memory.h"

#include <fstream>
#include <string>

#include "tests/support/catch.h"

using namespace xf;

TEST_CASE("Memory: what is available is something, and no more than the machine has", "[unit]") {
  int64_t total = 0;
  std::string name;
  std::ifstream("/proc/meminfo") >> name >> total;  // its first line
  REQUIRE(name == "MemTotal:");
  const auto available = memory::available(Device::cpu());
  REQUIRE(available.has_value());
  CHECK(*available > 1 << 20);
  CHECK(*available <= total * 1024);
  CHECK_FALSE(memory::available(Device::meta()).has_value());
}
