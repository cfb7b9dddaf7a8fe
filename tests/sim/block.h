// One block of threads, and the scheduler that runs it. Every CUDA thread is a fiber; one that
// never waits runs inside the fiber of the thread before it, so that a kernel without barriers is a
// plain loop. Blocks run one after another.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "core/error.h"
#include "tests/sim/copy_async.h"
#include "tests/sim/fiber.h"
#include "tests/sim/include/vector_types.h"
#include "tests/sim/site.h"

namespace xf::sim {

constexpr uint32_t kWarp = 32;

enum class State : uint8_t { fresh, ready, running, at_barrier, at_collective, finished };

struct Warp;

struct Thread {
  uint3 index;            // threadIdx
  uint32_t number, lane;  // in the block, in the warp
  Warp* warp;
  Fiber* fiber;
  State state;
  uint32_t warp_epoch;  // __syncwarps passed: orders memory within the warp
  const char* waits_at;
  Site site;
  CopiesAsync copies;
};

// A collective that some lanes of a warp have reached and others have not.
struct Meeting {
  uint32_t mask, arrived;
  const char* name;
  Site site;
};

struct Warp {
  uint32_t first;  // number of lane 0
  uint32_t finished, at_barrier;
  int meetings_open;
  Meeting meetings[8];
  void* operand[kWarp];  // what each lane brings to its collective, on its own stack
};

// What runs: known before the first block, the same for all.
struct Grid {
  const void* kernel;
  dim3 grid, block;
  size_t shared_bytes;
  void (*call)(const void* kernel, const void* arguments);  // one thread
  const void* arguments;                                    // which kernels read in place
  size_t argument_bytes;
};

class Block {
 public:
  Block();
  // Throws the first fault of any thread.
  void run(const Grid& grid, uint3 index, uint64_t seed);

  const Grid& grid() const { return *grid_; }
  uint32_t threads() const { return count_; }
  // The machine's own memory that kernels read: threadIdx, arguments, their stacks.
  bool is_own(const void* address) const;
  Warp& warp_of(const Thread& thread) { return *thread.warp; }
  uint32_t barrier_epoch() const { return barrier_epoch_; }
  uint64_t serial() const { return serial_; }  // of this block in this process

  void barrier(const char* name, Site site);
  // __syncthreads_or, _and, _count: how many predicates are true.
  int count_at_barrier(const char* name, bool predicate, Site site);
  // The last lane of `mask` to arrive runs complete(warp, mask) for all.
  void collective(const char* name, uint32_t mask, Site site, void (*complete)(Warp&, uint32_t));

  // "block (0,0,0) thread (3,0,0)", and where everybody waits.
  std::string who() const;
  std::string whereabouts() const;

 private:
  static void fiber_main(Fiber& fiber);
  void prepare(uint3 index);
  void lay_out(dim3 size);
  Thread* pick();
  void resume(Thread& thread);
  void wait(State state, const char* name, Site site);
  void release(Thread& thread);
  void finish(Thread& thread);
  void check_meeting(const char* name, uint32_t mask, Site site) const;
  void check_barrier(const char* name, Site site) const;
  uint64_t random();

  Fibers fibers_;
  const Grid* grid_ = nullptr;
  uint32_t count_ = 0, next_fresh_ = 0, finished_ = 0;
  uint64_t serial_ = 0, random_ = 1;
  dim3 laid_out_{0, 0, 0};
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<uint32_t> ready_, order_;
  size_t ready_head_ = 0;
  std::exception_ptr fault_;
  uint32_t at_barrier_ = 0, barrier_epoch_ = 0;
  int predicates_ = 0, predicates_before_ = 0;
  Site barrier_site_;
};

inline Block running_block;  // one at a time
inline Block& block() { return running_block; }

// Called at the end of each block: where the race check throws what it found.
inline void (*after_block)() = nullptr;

inline Thread* current = nullptr;  // null: the host runs
inline uint3 block_index;
inline dim3 block_size, grid_size;

// A kernel did what it must not. "sim: <kernel>: block (0,0,0) thread (3,0,0): ..."
[[noreturn]] void fault(const std::string& what);

struct Statistics {
  uint64_t launches = 0, blocks = 0, threads = 0, waits = 0;
};
inline Statistics statistics;

}  // namespace xf::sim
