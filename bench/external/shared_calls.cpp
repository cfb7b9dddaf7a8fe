#include "bench/external/shared_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/parallel.h"

namespace xf::bench {

namespace {

using Json = nlohmann::ordered_json;
constexpr int64_t kGuard = 4096, kAlignment = 64;
constexpr size_t kMostCalls = 64;
constexpr double kSlowDefinition = 4e9;  // operations: some seconds, in f64 on one thread

int64_t place_for(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment + kGuard; }

// FNV-1a over words, in pieces of a fixed size whose hashes are hashed.
uint64_t hash_of(const Tensor& tensor) {
  constexpr int64_t kPiece = 1 << 18;
  const auto* const bytes = static_cast<const unsigned char*>(tensor.raw());
  const int64_t size = tensor.bytes();
  const auto hash = [](const unsigned char* begin, int64_t length) {
    uint64_t value = 0xcbf29ce484222325u;
    for (int64_t i = 0; i < length; i += 8) {
      uint64_t word = 0;
      std::memcpy(&word, begin + i, static_cast<size_t>(std::min<int64_t>(8, length - i)));
      value = (value ^ word) * 0x100000001b3u;
    }
    return value;
  };
  std::vector<uint64_t> pieces(static_cast<size_t>((size + kPiece - 1) / kPiece));
  parallel_for(static_cast<int64_t>(pieces.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      pieces[i] = hash(bytes + i * kPiece, std::min(kPiece, size - i * kPiece));
  });
  return hash(reinterpret_cast<const unsigned char*>(pieces.data()), static_cast<int64_t>(8 * pieces.size()));
}

bool only_read(const Argument& argument) { return argument.use == Use::read; }

}  // namespace

SharedCalls::SharedCalls(const Case& c, const Signature& signature, int64_t wanted_bytes, size_t fewest)
    : case_(c), signature_(signature) {
  int64_t bytes = kGuard;
  Inputs counted(
      c.target,
      [&](Shape shape, DType dtype) {
        bytes += place_for(shape.numel() * size_of(dtype));
        return Tensor::empty(shape, dtype);
      },
      1);
  int64_t of_operands = 0;
  const Call call = c.make(counted);
  for (const auto& [name, tensor] : call.operands.tensors) of_operands += tensor.bytes();
  stride_ = bytes;
  const auto wanted =
      static_cast<size_t>((wanted_bytes + of_operands - 1) / std::max<int64_t>(1, of_operands));
  calls_.resize(std::max(fewest, std::min(kMostCalls, wanted)));
  memory_.emplace(SharedMemory::create(stride_ * static_cast<int64_t>(calls_.size())));
  std::memset(memory_->data(), 0xFF, static_cast<size_t>(memory_->bytes()));
  renew();
}

void SharedCalls::renew() {
  for (size_t i = 0; i < calls_.size(); ++i) make(i, next_seed_++);
}

Tensor SharedCalls::allocate(Placed& placed, int64_t& next, Shape shape, DType dtype) const {
  const int64_t bytes = shape.numel() * size_of(dtype);
  placed.places.push_back({next, bytes});
  std::byte* const data = memory_->data() + next;
  next += place_for(bytes);
  std::memset(data + bytes, 0xFF, static_cast<size_t>(next - placed.places.back().at - bytes));
  return {nullptr, data, shape, dtype, Device::cpu()};
}

void SharedCalls::make(size_t i, uint64_t seed) {
  Placed& placed = calls_[i];
  placed = {};
  placed.seed = seed;
  int64_t next = stride_ * static_cast<int64_t>(i);
  std::memset(memory_->data() + next, 0xFF, kGuard);
  next += kGuard;
  Inputs inputs(
      case_.target, [&](Shape shape, DType dtype) { return allocate(placed, next, shape, dtype); }, seed);
  placed.call = case_.make(inputs);
  for (const Argument& argument : signature_.arguments) {
    if (only_read(argument)) placed.inputs.push_back(hash_of(placed.call.operands.tensor(argument.name)));
  }
}

bool SharedCalls::definition_is_slow() const { return case_.work.flops > kSlowDefinition; }

Expected SharedCalls::expected(size_t i) const {
  if (!definition_is_slow()) return calls_[i].call.reference();
  Inputs same(
      case_.target, [](Shape shape, DType dtype) { return Tensor::empty(shape, dtype); }, calls_[i].seed);
  const Call ours = case_.make(same);
  ours.run();
  Expected outputs;
  for (const Output& output : ours.outputs) outputs.push_back(tests::as_doubles(output.tensor));
  return outputs;
}

// Which argument's end a guard follows.
std::string SharedCalls::neighbour_of(const Placed& placed, const std::byte* guard) const {
  for (const auto& [name, tensor] : placed.call.operands.tensors) {
    if (static_cast<const std::byte*>(tensor.raw()) + tensor.bytes() == guard) return "behind " + name;
  }
  return "outside of its arguments";
}

std::string SharedCalls::damage(size_t i) const {
  const Placed& placed = calls_[i];
  const auto untouched = [](const std::byte* begin, const std::byte* end) {
    return std::all_of(begin, end, [](std::byte byte) { return byte == std::byte{0xFF}; });
  };
  const std::byte* const begin = memory_->data() + stride_ * static_cast<int64_t>(i);
  if (!untouched(begin, begin + kGuard)) return "it wrote outside of its arguments";
  for (const Place& place : placed.places) {
    const std::byte* const guard = memory_->data() + place.at + place.bytes;
    if (!untouched(guard, memory_->data() + place.at + place_for(place.bytes)))
      return "it wrote " + neighbour_of(placed, guard);
  }
  size_t input = 0;
  for (const Argument& argument : signature_.arguments) {
    if (only_read(argument) && hash_of(placed.call.operands.tensor(argument.name)) != placed.inputs[input++])
      return fmt::format("it changed its input {}", argument.name);
  }
  return "";
}

std::string SharedCalls::places() const {
  Json calls = Json::array();
  for (const Placed& placed : calls_) {
    Json& tensors = calls.emplace_back(Json::array());
    for (const Argument& argument : signature_.arguments) {
      const Tensor& tensor = placed.call.operands.tensor(argument.name);
      std::vector<int64_t> shape;
      for (int axis = 0; axis < tensor.rank(); ++axis) shape.push_back(tensor.dim(axis));
      tensors.push_back({{"name", argument.name},
                         {"dtype", xf::name_of(tensor.dtype())},
                         {"shape", shape},
                         {"at", static_cast<const std::byte*>(tensor.raw()) - memory_->data()},
                         {"use", name_of(argument.use)}});
    }
  }
  Json sizes = Json::object();
  for (const auto& [name, size] : case_.extents) sizes[name] = size;
  return Json{{"fn", case_.fn},
              {"dtype", xf::name_of(case_.target.dtype)},
              {"memory", memory_->path()},
              {"bytes", memory_->bytes()},
              {"sizes", sizes},
              {"calls", calls}}
      .dump();
}

std::string SharedCalls::request(const std::vector<size_t>& order) const {
  Json numbers = Json::array();
  for (const size_t i : order) {
    Json& of_call = numbers.emplace_back(Json::object());
    for (const auto& [name, number] : calls_[i].call.operands.numbers) of_call[name] = number;
  }
  return Json{{"calls", order}, {"numbers", numbers}}.dump();
}

}  // namespace xf::bench
