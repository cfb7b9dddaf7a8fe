#include "bench/peers.h"

#include <dnnl.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/device_clock.h"
#include "bench/process.h"
#include "bench/repository.h"
#include "core/error.h"
#include "core/parallel.h"

namespace xf::bench {

namespace {

using Json = nlohmann::json;

class Naive : public KernelPeer {
 public:
  explicit Naive(const TimerOptions& options) : options_(options) { options_.cold = false; }
  PeerTime time(const Case& c) override {
    Case definition = c;
    definition.make = [&c](Inputs& in) {
      Call call = c.make(in);
      call.run = [reference = call.reference] { reference(); };
      return call;
    };
    return {time_kernel(definition, options_).quantile(0.5), "naive (the definition, f64, 1 thread)", ""};
  }

 private:
  TimerOptions options_;
};

class OneDnn : public KernelPeer {
 public:
  explicit OneDnn(const TimerOptions& options) : options_(options) {}
  PeerTime time(const Case& c) override {
    const Case theirs = onednn_case(c);
    if (!theirs.make) return PeerTime::absent("oneDNN has no primitive for it here");
    const dnnl_version_t* const v = dnnl_version();
    return {time_kernel(theirs, options_).quantile(0.5),
            fmt::format("oneDNN {}.{}.{}", v->major, v->minor, v->patch), ""};
  }

 private:
  TimerOptions options_;
};

// One process for all rows: importing torch takes longer than timing most of them.
class TorchOps : public KernelPeer {
 public:
  TorchOps(const TimerOptions& options, std::map<std::string, std::string> allocator)
      : options_(options), environment_(std::move(allocator)) {
    environment_["OMP_NUM_THREADS"] = std::to_string(thread_count());
  }
  PeerTime time(const Case& c) override {
    if (!why_not_.empty()) return PeerTime::absent(why_not_);
    try {
      if (!process_) start();
      const Json request = {
          {"fn", c.fn},
          {"dims", c.dims},
          {"variant", c.variant},
          {"dtype", xf::name_of(c.target.dtype)},
          {"device", xf::name_of(c.target.device)},
          {"seconds", options_.seconds},
          {"cache_bytes", options_.cold ? std::max(kFewestColdBytes, 2 * cache_bytes(c.target.device)) : 0}};
      process_->write_line(request.dump());
      return peer_time("torch", process_->read_line());
    } catch (const Error& error) {
      why_not_ = error.what();
      return PeerTime::absent(why_not_);
    }
  }

 private:
  // Of inputs that it rotates through: past an L2 and an L3, also where the system does not tell
  // how large.
  static constexpr int64_t kFewestColdBytes = 96ll << 20;
  void start() {
    process_ = std::make_unique<Process>(
        std::vector<std::string>{peers_python(), peer_script("torch_ops.py"), std::to_string(thread_count())},
        environment_);
  }
  TimerOptions options_;
  std::map<std::string, std::string> environment_;
  std::unique_ptr<Process> process_;
  std::string why_not_;
};

// The fastest of what torch_ops.py tries in each of several allocators; on a GPU, in one.
class Torch : public KernelPeer {
 public:
  explicit Torch(const TimerOptions& options) : options_(options) {}
  PeerTime time(const Case& c) override {
    try {
      if (allocators_.empty()) start();
    } catch (const Error& error) {
      return PeerTime::absent(error.what());
    }
    PeerTime best = PeerTime::absent("");
    Tuning tuning;
    for (auto& [allocator, ops] : allocators_) {
      PeerTime peer = ops.time(c);
      if (!peer.why_not.empty()) return peer;
      for (Tried& tried : peer.tuning.tried) {
        tried.setting = allocator + ", " + tried.setting;
        tuning.tried.push_back(tried);
      }
      peer.name += ", " + allocator;
      if (!(best.median_s <= peer.median_s)) best = peer;
      if (c.target.device.type == DeviceType::cuda) break;
    }
    const auto fastest =
        std::min_element(tuning.tried.begin(), tuning.tried.end(),
                         [](const Tried& a, const Tried& b) { return a.seconds < b.seconds; });
    if (fastest != tuning.tried.end()) tuning.chosen = fastest->setting;
    tuning.why = fmt::format("fastest of {} settings", tuning.tried.size());
    best.tuning = tuning;
    return best;
  }

 private:
  void start() {
    for (const Setting& setting :
         offer_from(Process({peers_python(), peer_script("turns.py")}).finish()).settings)
      allocators_.emplace_back(setting.name, TorchOps(options_, setting.environment));
  }
  TimerOptions options_;
  std::vector<std::pair<std::string, TorchOps>> allocators_;
};

class Absent : public KernelPeer {
 public:
  explicit Absent(std::string why) : why_(std::move(why)) {}
  PeerTime time(const Case&) override { return PeerTime::absent(why_); }

 private:
  std::string why_;
};

}  // namespace

std::unique_ptr<KernelPeer> make_kernel_peer(const std::string& name, const TimerOptions& options) {
  if (name == "naive") return std::make_unique<Naive>(options);
  if (name == "onednn") return std::make_unique<OneDnn>(options);
  if (name == "torch") return std::make_unique<Torch>(options);
  if (name == "cublaslt")
    return std::make_unique<Absent>(
        "on CUDA our products are calls to cuBLASLt already; elsewhere there is none");
  if (name == "cudnn")
    return std::make_unique<Absent>(
        "cuDNN is not linked here; --baseline torch runs its attention where it is fastest");
  if (name == kStepFloor) return std::make_unique<Absent>("the floor in turn is a training step's");
  return std::make_unique<Absent>(name + " has no kernels to compare with; it is for --end-to-end translate");
}

std::string peers_python() {
  const char* const venv = std::getenv("XFORMER_PEERS_VENV");
  const std::string folder = venv ? venv : repository_path("build/peers-venv");
  const std::string python = folder + "/bin/python";
  if (!folder.starts_with('/') || !std::filesystem::exists(python)) {
    fail(ErrorKind::failure,
         "{}; set XFORMER_PEERS_VENV to the absolute path of a virtual environment with the peers "
         "(bench/peers/requirements.txt)",
         folder.empty() ? "this program lies in no repository" : "no " + python);
  }
  return python;
}

PeerTime peer_time(const std::string& name, const std::string& output) {
  std::string text = output;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const size_t line = text.rfind('\n');
  const Json json = Json::parse(line == std::string::npos ? text : text.substr(line + 1), nullptr, false);
  if (!json.is_object()) return PeerTime::absent(name + ": its last line is no JSON object");
  if (json.contains("skip")) return PeerTime::absent(name + ": " + json["skip"].get<std::string>());
  PeerTime time;
  time.median_s = json.value("median_s", kUnknown);
  time.name = name + " " + json.value("version", "");
  if (json.contains("variant")) time.name += ", " + json["variant"].get<std::string>();
  time.tokens = json.value("tokens", 0.0);
  for (const Json& tried : json.value("tried", Json::array()))
    time.tuning.tried.push_back({tried.at("setting"), "a call", tried.at("seconds")});
  return time;
}

}  // namespace xf::bench
