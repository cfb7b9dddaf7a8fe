// How the software GPU runs, from the environment:
//   XF_SIM_SCHEDULE=forward|reverse|random:SEED  the order of blocks, threads and ready warps
//   XF_SIM_STREAMS=eager|lazy                    lazy: queued work runs only when something waits for it
//   XF_SIM_SKIP=FILE:LINE                        leaves out the barrier or wait that stands there
//   XF_SIM_LIST=PATH                             appends "kind file:line" of each barrier and wait, at exit
//   XF_SIM_TRAFFIC=PATH                          appends what each node of a replay moves, in programs that count
//   XF_SIM_MEMORY=BYTES                          the device's memory; 8 GiB
//   XF_SIM_SHARED=BYTES                          shared memory of a block, at most 227 KiB, as on Hopper
//   XF_SIM_DEVICES=NUMBER                        how many devices there are; 1
//   XF_SIM_FAILS=NUMBER                          the error that asking for devices gives; 0: none
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace xf::sim {

constexpr size_t kMostShared = 227 << 10;  // of a block, on compute capability 9.0

enum class Schedule : uint8_t { forward, reverse, random };

struct Settings {
  Schedule schedule = Schedule::forward;
  uint64_t seed = 0;
  bool lazy_streams = false;
  std::string skip_file;  // the end of a path
  int skip_line = 0;      // 0: nothing is left out
  std::string list, traffic;
  size_t memory = size_t{8} << 30;
  size_t shared = kMostShared;
  int devices = 1;
  int device_error = 0;  // a cudaError_t; 0: the device works
};

Settings& load_settings();
inline Settings* loaded_settings = nullptr;

// Read from the environment at the first call, which throws for a value that makes no sense. A test
// may change them.
inline Settings& settings() { return loaded_settings ? *loaded_settings : load_settings(); }

Schedule parse_schedule(const std::string& text, uint64_t& seed);

}  // namespace xf::sim
