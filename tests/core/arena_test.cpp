#include "core/arena.h"

#include <optional>

#include "tests/support/catch.h"

using namespace xf;

namespace {

constexpr int64_t kMegabyte = 1 << 20;

Tensor megabytes(Arena& arena, int64_t count) { return arena.allocate({count * kMegabyte / 4}, DType::f32); }

// A step in miniature: tensors that live long and short, freed out of order. Returns every address
// it got.
std::vector<void*> step(Arena& arena) {
  std::vector<void*> addresses;
  std::vector<Tensor> saved;
  for (int64_t layer = 0; layer < 5; ++layer) {
    Tensor scratch = megabytes(arena, 3 + layer);
    saved.push_back(megabytes(arena, 1 + layer % 2));
    addresses.insert(addresses.end(), {scratch.raw(), saved.back().raw()});
  }
  while (!saved.empty()) {
    const Tensor gradient = megabytes(arena, 2);
    addresses.push_back(gradient.raw());
    saved.erase(saved.begin() + static_cast<std::ptrdiff_t>(saved.size() / 2));
  }
  return addresses;
}

}  // namespace

TEST_CASE("Arena: the lowest room that is large enough is taken", "[unit]") {
  Arena arena(Device::cpu());
  Tensor a = megabytes(arena, 2), b = megabytes(arena, 1), c = megabytes(arena, 3), d = megabytes(arena, 1);
  void *const at_a = a.raw(), *const at_c = c.raw();
  a = {}, c = {};
  CHECK(megabytes(arena, 3).raw() == at_c);  // a's room is too small
  CHECK(megabytes(arena, 1).raw() == at_a);  // both would do
}

TEST_CASE("Arena: neighbouring rooms join, whatever the order of the frees", "[unit]") {
  for (const auto& order :
       {std::vector<size_t>{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    Arena arena(Device::cpu());
    std::vector<Tensor> parts = {megabytes(arena, 1), megabytes(arena, 1), megabytes(arena, 1)};
    const Tensor behind = megabytes(arena, 1);
    void* const first = parts[0].raw();
    for (const size_t i : order) parts[i] = {};
    CHECK(megabytes(arena, 3).raw() == first);
  }
}

TEST_CASE("Arena: a step that repeats its order of allocations repeats its addresses", "[unit]") {
  Arena arena(Device::cpu());
  const auto first = step(arena);
  CHECK(arena.used_bytes() == 0);
  const int64_t peak = arena.peak_bytes();
  CHECK(step(arena) == first);
  CHECK(arena.peak_bytes() == peak);
}

TEST_CASE("Arena: meta measures the same peak and allocates nothing", "[unit]") {
  Arena real(Device::cpu()), meta(Device::meta());
  step(real), step(meta);
  CHECK(real.blocks() == 1);  // else its peak would not be that of one block
  CHECK(meta.peak_bytes() == real.peak_bytes());
  CHECK(meta.allocate({1 << 20, 1 << 20}, DType::f32).raw() == nullptr);
  CHECK(meta.used_bytes() == 0);
  CHECK(meta.peak_bytes() == int64_t{4} << 40);
}

TEST_CASE("Arena: the peak of several blocks is that of all of them", "[unit]") {
  Arena arena(Device::cpu(), 2 << 20);
  const Tensor first = megabytes(arena, 2), second = megabytes(arena, 5);
  CHECK(arena.blocks() == 2);
  CHECK(arena.peak_bytes() == 7 << 20);
}

TEST_CASE("Arena: a tensor outlives its arena, and a view its tensor", "[unit]") {
  std::optional<Arena> arena(Device::cpu());
  Tensor whole = megabytes(*arena, 1);
  whole.fill_zero();
  whole.data<float>()[7] = 42;
  const Tensor view = whole.slice_rows(7, 8);
  whole = {};
  CHECK(arena->used_bytes() == kMegabyte);  // the view still holds it
  arena.reset();
  CHECK(view.to_vector<float>() == std::vector<float>{42});
}

TEST_CASE("Arena: what does not fit opens a further block, and tensors do not overlap", "[unit]") {
  Arena arena(Device::cpu(), 2 * kMegabyte);
  const Tensor a = megabytes(arena, 1), b = megabytes(arena, 5), c = megabytes(arena, 1);
  CHECK(arena.blocks() == 2);
  for (const Tensor& tensor : {a, b, c}) tensor.fill_zero();
  for (const Tensor& tensor : {a, b, c}) tensor.data<float>()[0] = 1;
  for (const Tensor& tensor : {a, b, c}) CHECK(tensor.data<float>()[tensor.numel() - 1] == 0);
  CHECK(arena.used_bytes() == 7 * kMegabyte);
}

TEST_CASE("Arena: for what would lie beyond the limit no block is opened, and none is larger than it",
          "[unit]") {
  Arena arena(Device::cpu(), 4 * kMegabyte);
  arena.set_limit(10 * kMegabyte);
  const Tensor first = megabytes(arena, 4), second = megabytes(arena, 4);
  CHECK(arena.blocks() == 2);
  CHECK_THROWS_WITH(megabytes(arena, 3), Catch::Contains("the activations' limit is 10 MB"));
  CHECK(arena.blocks() == 2);
  const Tensor third = megabytes(arena, 2);  // where there is room for no more
  CHECK(arena.blocks() == 3);
  CHECK(arena.peak_bytes() == 10 * kMegabyte);
}

TEST_CASE("Arena: tensors are aligned to 256 bytes, also small and empty ones", "[unit]") {
  Arena arena(Device::cpu());
  std::vector<Tensor> kept;
  for (const int64_t n : {1, 0, 3, 65, 1000}) {
    kept.push_back(arena.allocate({n}, DType::i32));
    CHECK(reinterpret_cast<uintptr_t>(kept.back().raw()) % 256 == 0);
  }
  CHECK(kept[0].raw() != kept[1].raw());
}
