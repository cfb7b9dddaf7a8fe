#include "bench/external/kernel_process.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/interleaved_timer.h"
#include "bench/repository.h"
#include "core/error.h"
#include "core/json_depth.h"
#include "core/parallel.h"

namespace xf::bench {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

fs::path own_program() { return fs::read_symlink("/proc/self/exe"); }

// Words with a space are a command line, but for the path of a file that is there.
bool is_file(const std::string& kernel) {
  return kernel.find(' ') == std::string::npos || fs::is_regular_file(kernel);
}

std::vector<std::string> command_for(const std::string& kernel) {
  const bool library = kernel.ends_with(".so"), script = kernel.ends_with(".py");
  if ((library || script) && is_file(kernel)) {
    if (!fs::exists(kernel)) fail(ErrorKind::data, "--kernel: there is no file {}", kernel);
    const std::string path = fs::absolute(kernel).string();
    if (library) return {own_program().string(), kHostCommand, path};
    return {"python3", peer_script("xformer_kernel.py"), path};
  }
  if (fs::exists(kernel) && fs::is_regular_file(kernel) && kernel.find('.') != std::string::npos)
    fail(ErrorKind::usage, "--kernel {}: a FILE.so, a FILE.py, or a command line", kernel);
  return {"sh", "-c", kernel};
}

std::string name_for(const std::string& kernel) {
  return is_file(kernel) ? fs::path(kernel).filename().string() : kernel;
}

}  // namespace

KernelProcess::KernelProcess(const std::string& kernel, double limit_s)
    : name_(name_for(kernel)), limit_s_(limit_s) {
  const std::string threads = std::to_string(thread_count());
  process_ = std::make_unique<Process>(command_for(kernel),
                                       std::map<std::string, std::string>{{"OMP_NUM_THREADS", threads}});
  process_->set_name(name_);
}

// read(answer), a JSON object; what it cannot make sense of is refused with the answer.
template <typename Read>
auto KernelProcess::ask(const std::string& line, double limit_s, const Read& read) {
  end_own_threads();
  process_->write_line(line);
  const std::string answer = process_->read_line(limit_s);
  constexpr size_t kShown = 80;  // bytes of an answer in a message
  Json json;
  if (!is_too_deep_json(answer)) json = Json::parse(answer, nullptr, false);
  if (!json.is_object())
    fail(ErrorKind::failure, "{}: answers '{}', which is no JSON object", name_, answer.substr(0, kShown));
  try {
    if (json.contains("refused"))
      fail(ErrorKind::failure, "{}: {}", name_, json["refused"].get<std::string>());
    return read(json);
  } catch (const Json::exception&) {
    fail(ErrorKind::failure, "{}: makes no sense: {}", name_, answer.substr(0, kShown));
  }
}

std::string KernelProcess::open(const SharedCalls& calls) {
  constexpr double kStart = 120;  // seconds: importing PyTorch from a cold disk
  slowest_s_ = 0;
  const std::string about = ask("open " + calls.places(), kStart + limit_s_, [&](const Json& answer) {
    untimed_ = answer.value("untimed", "");
    return answer.at("ready").get<std::string>();
  });
  return about.empty() ? name_ : name_ + ", " + about;
}

double KernelProcess::run(const SharedCalls& calls, const std::vector<size_t>& order) {
  constexpr double kSlower = 20;  // times the slowest call so far
  const auto others = static_cast<double>(order.size()) - 1;
  const double start = now(), limit_s = limit_s_ + others * std::min(limit_s_, kSlower * slowest_s_);
  const auto seconds = ask("run " + calls.request(order), limit_s,
                           [](const Json& answer) { return answer.at("seconds").get<double>(); });
  const double waited = now() - start;
  slowest_s_ = std::max(slowest_s_, waited / (others + 1));
  if (!(seconds >= 0 && seconds <= waited))
    fail(ErrorKind::failure, "{}: says that it took {:.3g} s, and was waited for {:.3g} s", name_, seconds,
         waited);
  return others > 0 ? seconds / others : 0;
}

}  // namespace xf::bench
