// What has to be known about a run before its numbers mean anything.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/roofline.h"
#include "tests/support/targets.h"

namespace xf::bench {

using MachineInfo = std::vector<std::pair<std::string, std::string>>;

// Commit, compiler and flags, processor and its instruction sets, threads, affinity, memory,
// libraries, device, clocks, type, dropout and seed, and the ceilings of `machine`.
MachineInfo machine_info(const tests::Target& target, const Machine& machine, const std::string& preset);

// Why a GPU's clocks are lower than they could be, in words, from NVML's mask of reasons (nvml.h,
// nvmlClocksThrottleReason*) as nvidia-smi prints it: "0x0000000000000024"; "nothing" where nothing
// does, an idle GPU included.
std::string slowed_by(const std::string& mask);

// What is recorded under the name, or "".
std::string look_up(const MachineInfo& header, const std::string& name);

}  // namespace xf::bench
