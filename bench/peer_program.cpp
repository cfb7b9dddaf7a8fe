#include "bench/peer_program.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/repository.h"
#include "core/error.h"
#include "core/parallel.h"

namespace xf::bench {

namespace {
using Json = nlohmann::json;
}

struct PeerProgram::About {
  PeerTime peer;
  std::string on;
};

PeerProgram::PeerProgram(std::string name, std::vector<std::string> command,
                         std::map<std::string, std::string> environment)
    : name_(std::move(name)), command_(std::move(command)), environment_(std::move(environment)) {}

Tuned PeerProgram::tune(const Progress& progress) {
  std::vector<std::string> command = command_;
  command.emplace_back("--settings");
  const Offer offer = offer_from(Process(command, environment_).finish());
  limit_s_ = offer.limit_s;
  const Tuned tuned = bench::tune(offer, [&](const Setting& setting, bool sample) {
    progress(name_ + ", " + setting.name);
    return time(setting, sample, offer.turns);
  });
  process_.reset();
  return tuned;
}

PeerTime PeerProgram::start(const Setting& setting) {
  constexpr int kWarmUps = 2;
  process_.reset();
  PeerTime peer = set(setting, false, kWarmUps).peer;
  peer.name += ", " + setting.name;
  return peer;
}

double PeerProgram::turn() {
  end_own_threads();
  process_->write_line("turn");
  return process_->read_seconds(limit_s_);
}

std::vector<std::vector<int32_t>> PeerProgram::translations() {
  try {
    return Json::parse(ask("ids")).get<std::vector<std::vector<int32_t>>>();
  } catch (const Json::exception&) {
    fail(ErrorKind::failure, "{}: its translations are no lists of ids", name_);
  }
}

double PeerProgram::finish() {
  process_->close_input();
  process_->finish();
  return process_->peak_bytes();
}

std::string PeerProgram::ask(const std::string& line) {
  process_->write_line(line);
  return process_->read_line(limit_s_);
}

PeerProgram::About PeerProgram::set(const Setting& setting, bool sample, int warm_ups) {
  std::map<std::string, std::string> wanted = setting.environment;
  wanted.insert(environment_.begin(), environment_.end());
  if (!process_ || wanted != running_) {
    process_.reset();  // first
    process_ = std::make_unique<Process>(command_, wanted);
    running_ = wanted;
  }
  end_own_threads();
  const Json request = {
      {"options", Json::parse(setting.options)}, {"sample", sample}, {"warm_ups", warm_ups}};
  const std::string answer = ask("set " + request.dump());
  const PeerTime peer = peer_time(name_, answer);
  if (!peer.why_not.empty()) fail(ErrorKind::failure, "{}", peer.why_not);
  return {peer, Json::parse(answer).value("on", "all of it")};
}

Tried PeerProgram::time(const Setting& setting, bool sample, int turns) {
  Tried tried{setting.name, "", kUnknown};
  try {
    tried.on = set(setting, sample, 1).on;
    double least = turn();
    for (int i = 1; i < turns; ++i) least = std::min(least, turn());
    tried.seconds = least;
  } catch (const Error& error) {
    tried.why_not = error.what();
    process_.reset();
  }
  return tried;
}

namespace {

PeerProgram script(const std::string& peer, const std::string& name,
                   const std::vector<std::string>& arguments) {
  const std::string threads = std::to_string(thread_count());
  std::vector<std::string> command = {peers_python(), peer_script(name)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.insert(command.end(), {"--threads", threads});
  return {peer, command, {{"OMP_NUM_THREADS", threads}}};  // so that every library of the process
                                                           // sees it
}

}  // namespace

PeerProgram torch_step(const std::string& preset, const tests::Target& target) {
  const std::string device = target.device.type == DeviceType::cuda ? "cuda" : "cpu";
  return script("torch", "torch_step.py", {preset, "--device", device, "--dtype", xf::name_of(target.dtype)});
}

PeerProgram ctranslate2(const std::string& model, const std::string& sources, int64_t beam,
                        bool one_at_a_time, const std::string& type) {
  std::vector<std::string> arguments = {
      "--model", model, "--sources", sources, "--beam", std::to_string(beam), "--type", type};
  if (one_at_a_time) arguments.emplace_back("--one");
  return script("ctranslate2", "ctranslate2_translate.py", arguments);
}

void take_turns_with(PeerProgram& peer, const Tuned& tuned, int turns, const std::function<double()>& ours,
                     Row& row) {
  row.tuning = tuned.tuning;
  const PeerTime about = peer.start(tuned.setting);
  const double scale = about.tokens > 0 ? row.tokens / about.tokens : 1;
  const auto our_turn = [&] {
    // The peer's OpenMP threads spin for 0.2 s after their last loop (KMP_BLOCKTIME).
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return ours();
  };
  row.set_turns(take_turns(turns, our_turn, [&] { return scale * peer.turn(); }));
  row.baseline = about.name;
  if (about.tokens > 0) row.add_note(fmt::format("{:.0f} tokens, the peer {:.0f}", row.tokens, about.tokens));
}

void check_translates_alike(PeerProgram& peer, const std::vector<std::vector<int32_t>>& ours) {
  peer.start({"as it comes", {}});
  const size_t different = different_lines(ours, peer.translations());
  if (4 * different <= ours.size()) return;
  fail(ErrorKind::failure,
       "{} of {} lines are translated otherwise than by ours: its time is that of other work", different,
       ours.size());
}

size_t different_lines(const std::vector<std::vector<int32_t>>& a,
                       const std::vector<std::vector<int32_t>>& b) {
  const size_t both = std::min(a.size(), b.size());
  size_t different = std::max(a.size(), b.size()) - both;
  for (size_t i = 0; i < both; ++i) different += a[i] != b[i];
  return different;
}

}  // namespace xf::bench
