#include "bench/peers.h"

#include <dnnl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/header.h"
#include "bench/process.h"
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
  explicit TorchOps(const TimerOptions& options) : options_(options) {}
  PeerTime time(const Case& c) override {
    if (!why_not_.empty()) return PeerTime::absent(why_not_);
    try {
      if (!process_) start();
      const Json request = {{"fn", c.fn},
                            {"dims", c.dims},
                            {"variant", c.variant},
                            {"dtype", xf::name_of(c.target.dtype)},
                            {"device", xf::name_of(c.target.device)},
                            {"seconds", options_.seconds},
                            {"cache_bytes", options_.cold ? kTorchColdBytes : 0}};
      process_->write_line(request.dump());
      return peer_time("torch", process_->read_line());
    } catch (const Error& error) {
      why_not_ = error.what();
      return PeerTime::absent(why_not_);
    }
  }

 private:
  static constexpr int64_t kTorchColdBytes = 96ll
                                             << 20;  // of inputs it rotates through: past an L2 and an L3
  void start() {
    const std::string threads = std::to_string(thread_count());
    process_ = std::make_unique<Process>(
        std::vector<std::string>{peers_python(), peer_script("torch_ops.py"), threads},
        std::map<std::string, std::string>{{"OMP_NUM_THREADS", threads}});
  }
  TimerOptions options_;
  std::unique_ptr<Process> process_;
  std::string why_not_;
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
  if (name == "torch") return std::make_unique<TorchOps>(options);
  if (name == "cublaslt")
    return std::make_unique<Absent>(
        "on CUDA our products are calls to cuBLASLt already; elsewhere there is none");
  if (name == "cudnn")
    return std::make_unique<Absent>(
        "cuDNN is not linked here; --baseline torch runs its attention where it is fastest");
  return std::make_unique<Absent>(name + " has no kernels to compare with; it is for --end-to-end translate");
}

std::string peers_python() {
  const char* const venv = std::getenv("XFORMER_PEERS_VENV");
  const std::string folder = venv ? venv : repository_root() + "/build/peers-venv";
  const std::string python = folder + "/bin/python";
  if (!std::filesystem::exists(python)) {
    fail(ErrorKind::failure,
         "no {}; set XFORMER_PEERS_VENV to a virtual environment with the peers "
         "(bench/peers/requirements.txt)",
         python);
  }
  return python;
}

std::string peer_script(const std::string& name) {
  const std::string root = repository_root();
  if (root.empty()) fail(ErrorKind::failure, "bench/peers/{} is not near; run in the repository", name);
  return root + "/bench/peers/" + name;
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
  time.peak_bytes = json.value("peak_rss_mb", 0.0) * (1 << 20);
  time.tokens = json.value("tokens", 0.0);
  return time;
}

PeerTime TorchStep::run(const std::vector<std::string>& options) const {
  try {
    std::vector<std::string> command = {peers_python(),
                                        peer_script("torch_best.py"),
                                        preset_,
                                        "--device",
                                        target_.device.type == DeviceType::cuda ? "cuda" : "cpu",
                                        "--dtype",
                                        xf::name_of(target_.dtype),
                                        "--threads",
                                        std::to_string(thread_count())};
    command.insert(command.end(), options.begin(), options.end());
    return peer_time("torch", Process(command).finish());
  } catch (const Error& error) {
    return PeerTime::absent(error.what());
  }
}

PeerTime TorchStep::choose() {
  PeerTime best = run({});
  const size_t comma = best.name.find(", ");
  if (best.why_not.empty() && comma != std::string::npos) variant_ = best.name.substr(comma + 2);
  return best;
}

PeerTime TorchStep::time(int samples) const {
  return run({"--variant", variant_, "--samples", std::to_string(samples)});
}

}  // namespace xf::bench
