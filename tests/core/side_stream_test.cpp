#include "core/side_stream.h"

#include "core/arena.h"
#include "tests/support/catch.h"

using namespace xf;

namespace {

// Where memory is counted as on a GPU, without one.
const Device kOfCuda = Device::meta(DeviceType::cuda);

}  // namespace

TEST_CASE("Side stream: what the work reads keeps its memory until the next one, or until it is joined",
          "[unit]") {
  Arena arena(kOfCuda);
  int done = 0;
  const auto work = [&] { ++done; };
  run_on_side_stream(kOfCuda, {arena.allocate({64}, DType::f32)}, work);
  CHECK(arena.used_bytes() == 256);
  run_on_side_stream(kOfCuda, {arena.allocate({128}, DType::f32), arena.allocate({64}, DType::f32)}, work);
  CHECK(arena.used_bytes() == 768);
  CHECK(done == 2);
  join_side_stream(kOfCuda);
  CHECK(arena.used_bytes() == 0);
}

TEST_CASE("Side stream: what work reads that throws keeps its memory, too, until it is joined", "[unit]") {
  Arena arena(kOfCuda);
  const auto work = [] { fail(ErrorKind::resources, "no room"); };
  CHECK_THROWS_AS(run_on_side_stream(kOfCuda, {arena.allocate({64}, DType::f32)}, work), Error);
  CHECK(arena.used_bytes() == 256);
  join_side_stream(kOfCuda);
  CHECK(arena.used_bytes() == 0);
}

TEST_CASE("Side stream: on the CPU it is done on return, and nothing is kept", "[unit]") {
  Arena arena(Device::cpu());
  int done = 0;
  run_on_side_stream(Device::cpu(), {arena.allocate({64}, DType::f32)}, [&] { ++done; });
  CHECK(done == 1);
  CHECK(arena.used_bytes() == 0);
}
