// How the software GPU runs, from the environment:
//   XF_SIM_SCHEDULE=forward|reverse|random:SEED  the order of blocks, threads and ready warps
//   XF_SIM_STREAMS=eager|lazy                    lazy: queued work runs only when something waits for it
//   XF_SIM_SKIP=FILE:LINE                        leaves out the barrier or wait that stands there
//   XF_SIM_LIST=PATH                             appends "kind file:line" of each barrier and wait reached,
//   at exit XF_SIM_MEMORY=BYTES                          the device's memory; 8 GiB
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace xf::sim {

enum class Schedule : uint8_t { forward, reverse, random };

struct Settings {
  Schedule schedule = Schedule::forward;
  uint64_t seed = 0;
  bool lazy_streams = false;
  std::string skip_file;  // the end of a path
  int skip_line = 0;      // 0: nothing is left out
  std::string list;
  size_t memory = size_t{8} << 30;
};

Settings& load_settings();
inline Settings* loaded_settings = nullptr;

// Read from the environment at the first call, which throws for a value that makes no sense. A test may
// change them.
inline Settings& settings() { return loaded_settings ? *loaded_settings : load_settings(); }

Schedule parse_schedule(const std::string& text, uint64_t& seed);

}  // namespace xf::sim
