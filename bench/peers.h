// What ours is compared with, by name (--baseline). A peer that cannot run gives its reason in
// place of a time.
#pragma once

#include <memory>
#include <string>

#include "bench/kernel_timer.h"
#include "bench/row.h"

namespace xf::bench {

struct PeerTime {
  double median_s = kUnknown;
  std::string name;     // with its version and how it ran: "torch 2.11.0, compiled"
  std::string why_not;  // where there is no time
  double tokens = 0;    // of a translation
  Tuning tuning = {};   // where it was tried in several settings

  static PeerTime absent(std::string why) { return {kUnknown, "", std::move(why)}; }
};

// No peer, but ours in that type, timed in turn.
constexpr const char* kOwnF32 = "f32";
// No peer either, but a training step's floor, of ceilings that are measured in turn with it.
constexpr const char* kStepFloor = "floor";

class KernelPeer {
 public:
  virtual ~KernelPeer() = default;
  virtual PeerTime time(const Case& c) = 0;
};

// For kernels:
//   naive     the definition in tests/cases, in f64, on one thread
//   onednn    oneDNN's own primitive for the same (bench/onednn_peer.cpp)
//   torch     bench/peers/torch_ops.py: eager and compiled with several allocators, the fastest of
//             them; on
//             CUDA from a graph, as ours
//   others    absent, and why
std::unique_ptr<KernelPeer> make_kernel_peer(const std::string& name, const TimerOptions& options);

// Python of the peers' virtual environment: $XFORMER_PEERS_VENV, an absolute path, else
// build/peers-venv of the repository. Error failure, with what to do, where it is missing.
std::string peers_python();
// The JSON object in the last line of a script's output, as a time. Its members: median_s, and as
// far as they are there version, variant, tokens, tried [{setting, seconds}]; or skip, a reason.
PeerTime peer_time(const std::string& name, const std::string& output);

// oneDNN's primitive for a case, as a case of the same shape; one without `make` where it has none.
Case onednn_case(const Case& c);

}  // namespace xf::bench
