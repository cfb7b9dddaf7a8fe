#include "bench/machine_info.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <sstream>

#include "bench/device_clock.h"
#include "bench/model_sizes.h"
#include "bench/process.h"
#include "bench/repository.h"
#include "bench/scope.h"
#include "core/parallel.h"
#include "tools/config/build_info.h"

namespace xf::bench {

namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The value of the first "name : value" line of a file of /proc.
std::string field(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    const size_t value = line.find_first_not_of(": \t", line.find(':'));
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

// nvidia-smi's answer about what it calls `items`.
std::string gpu_state(const std::string& items) {
  return first_line_of({"nvidia-smi", "--query-gpu=" + items, "--format=csv,noheader"});
}

// As it was typed.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::string text;
  for (std::string argument; std::getline(file, argument, '\0');)
    text += (text.empty() ? "" : " ") + argument;
  return text;
}

// The sets that decide how fast products and our kernels are.
std::string instruction_sets() {
  static const std::vector<std::string> telling = {
      "sse4_2",   "avx",         "avx2",        "fma",         "f16c",     "avx512f", "avx512bw",
      "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_bf16", "amx_tile"};
  std::istringstream flags(field("/proc/cpuinfo", "flags"));
  std::string found;
  for (std::string flag; flags >> flag;) {
    if (std::find(telling.begin(), telling.end(), flag) != telling.end())
      found += (found.empty() ? "" : " ") + flag;
  }
  return found;
}

std::string now_in_utc() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

// "compiler   GNU 12.2.0" and the like, line by line (tools/config/build_info.h).
void add_build(MachineInfo& header) {
  std::istringstream lines(tools::build_info());
  for (std::string line; std::getline(lines, line);) {
    const size_t name = line.find(' '), value = line.find_first_not_of(' ', name);
    if (value == std::string::npos) continue;
    std::string key = line.substr(0, name);
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (key != "threads") header.emplace_back(key, line.substr(value));
  }
}

std::string dropout_of(const std::string& preset) {
  if (is_language_model(preset)) return "0";
  return preset == "odd" ? "0.3" : fmt::format("{}", model_preset(preset).config.dropout);
}

}  // namespace

MachineInfo machine_info(const tests::Target& target, const Machine& machine, const std::string& preset) {
  const char* const wait_policy = std::getenv("OMP_WAIT_POLICY");
  MachineInfo header = {
      {"date", now_in_utc()},
      {"commit", built_commit()},
      {"command", command_line()},
      {"preset", preset},
      {"device", xf::name_of(target.device)},
      {"dtype", xf::name_of(target.dtype)},
      {"dropout", dropout_of(preset)},
      {"seed", "1"},
      {"cpu", field("/proc/cpuinfo", "model name")},
      {"isa", instruction_sets()},
      {"threads", fmt::format("{}", thread_count())},
      {"affinity", field("/proc/self/status", "Cpus_allowed_list")},
      {"omp_wait_policy", wait_policy ? wait_policy : "default"},
      {"clock_mhz", field("/proc/cpuinfo", "cpu MHz")},
      {"load", first_line("/proc/loadavg")},
      {"allocator", "arena on 2 MiB pages where the system has them; libc malloc for the rest"},
      {"transparent_huge_pages", first_line("/sys/kernel/mm/transparent_hugepage/enabled")},
      {"kernel", first_line("/proc/sys/kernel/osrelease")},
      {"onednn_isa", tools::product_instructions()},
  };
  add_build(header);
  for (const auto& item : describe(target.device)) header.push_back(item);
  if (target.device.type == DeviceType::cuda) {
    // As they are right after the work: a GPU lowers its clocks when it is hot, or idle.
    header.emplace_back("gpu_clocks_now", gpu_state("clocks.sm,clocks.mem,power.draw,temperature.gpu"));
    header.emplace_back("gpu_slowed_by", slowed_by(gpu_state("clocks_throttle_reasons.active")));
  }
  if (machine.copy_rate == 0) return header;  // not measured
  header.emplace_back("copy_gbs", fmt::format("{:.1f}", machine.copy_rate / 1e9));
  header.emplace_back("gemm_gflops", fmt::format("{:.1f}", machine.gemm_rate / 1e9));
  return header;
}

std::string slowed_by(const std::string& mask) {
  static const std::vector<std::pair<unsigned, const char*>> reasons = {
      {0x4, "power cap"},          {0x8, "hardware slowdown"},        {0x10, "sync boost"},
      {0x20, "thermal, software"}, {0x40, "thermal, hardware"},       {0x80, "power brake"},
      {0x2, "set clocks"},         {0x100, "set clocks of a display"}};
  char* end = nullptr;
  const unsigned long bits = std::strtoul(mask.c_str(), &end, 16);
  if (mask.empty() || *end != '\0') return "unknown";
  std::string text;
  for (const auto& [bit, reason] : reasons) {
    if (bits & bit) text += (text.empty() ? "" : "; ") + std::string(reason);
  }
  return text.empty() ? "nothing" : text;
}

std::string look_up(const MachineInfo& header, const std::string& name) {
  for (const auto& [key, value] : header) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace xf::bench
