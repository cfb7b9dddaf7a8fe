// Calls of a case whose tensors lie in memory that a kernel's process maps too, each between
// guards: bytes that are NaN to whoever reads them, and tell on whoever writes there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/case.h"
#include "bench/external/shared_memory.h"
#include "bench/external/signature.h"

namespace xf::bench {

class SharedCalls {
 public:
  // As many calls as hold `wanted_bytes` together, at least `fewest`.
  SharedCalls(const Case& c, const Signature& signature, int64_t wanted_bytes, size_t fewest);

  size_t size() const { return calls_.size(); }
  const Call& call(size_t i) const { return calls_[i].call; }
  // New values for every input of every call, and NaN or zeros for the outputs.
  void renew();
  // What the call's outputs should be, by the definition; or, where that would take long, by our
  // own kernel.
  Expected expected(size_t i) const;
  bool definition_is_slow() const;

  // What a kernel must leave alone: "it wrote behind y", "it changed its input gamma"; "" where all
  // is well.
  std::string damage(size_t i) const;
  // What a kernel's process is told (bench/external/kernel_process.h): once; and of calls to run,
  // in their order.
  std::string places() const;
  std::string request(const std::vector<size_t>& order) const;

 private:
  struct Place {
    int64_t at, bytes;  // in the memory
  };
  struct Placed {
    Call call;
    uint64_t seed = 0;
    std::vector<Place> places;     // of all tensors, in their order
    std::vector<uint64_t> inputs;  // a hash of each argument that is only read
  };
  void make(size_t i, uint64_t seed);
  Tensor allocate(Placed& placed, int64_t& next, Shape shape, DType dtype) const;
  std::string neighbour_of(const Placed& placed, const std::byte* guard) const;
  const Case& case_;
  const Signature& signature_;
  int64_t stride_ = 0;  // bytes from call to call
  std::optional<SharedMemory> memory_;
  std::vector<Placed> calls_;
  uint64_t next_seed_ = 2;  // 1 is what the benchmark's own inputs have
};

}  // namespace xf::bench
