#include "core/processor.h"

#include <cstdlib>

#include "core/error.h"
#include "tests/support/catch.h"

using namespace xf;
using Levels = std::vector<CpuLevel>;

namespace {
const Levels kOld = {CpuLevel::baseline}, kNew = {CpuLevel::baseline, CpuLevel::avx512};
const std::string kBaseline(name_of(CpuLevel::baseline));
}  // namespace

TEST_CASE("Processor: the best level is taken unless one is named", "[unit]") {
  CHECK(choose_cpu_level("", kOld) == CpuLevel::baseline);
  CHECK(choose_cpu_level("", kNew) == CpuLevel::avx512);
  CHECK(choose_cpu_level(kBaseline, kNew) == CpuLevel::baseline);
  CHECK(choose_cpu_level("avx512", kNew) == CpuLevel::avx512);
}

TEST_CASE("Processor: a level that it has not is refused, with those that it has", "[unit]") {
  const auto message = [](const char* asked, const Levels& usable) -> std::string {
    try {
      choose_cpu_level(asked, usable);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      return error.what();
    }
    return "accepted";
  };
  CHECK(message("avx512", kOld) ==
        "XFORMER_CPU_LEVEL is avx512, but this build on this processor has: " + kBaseline);
  CHECK(message("sse", kNew) ==
        "XFORMER_CPU_LEVEL is sse, but this build on this processor has: " + kBaseline + ", avx512");
}

TEST_CASE("Processor: this process runs at the level that was asked for, else at the best", "[unit]") {
  const char* const asked = std::getenv("XFORMER_CPU_LEVEL");
  CHECK(name_of(cpu_level()) == (asked ? std::string_view(asked) : name_of(usable_cpu_levels().back())));
}
