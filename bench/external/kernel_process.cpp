#include "bench/external/kernel_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/header.h"
#include "bench/sampler.h"
#include "core/error.h"
#include "core/json_depth.h"
#include "core/parallel.h"

namespace xf::bench {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

fs::path own_program() { return fs::read_symlink("/proc/self/exe"); }

// xformer_kernel.py: of the checkout, or where it was installed beside this program.
std::string python_side() {
  const std::string root = repository_root();
  if (!root.empty()) return root + "/bench/peers/xformer_kernel.py";
  const fs::path installed = own_program().parent_path().parent_path() / "share/xformer/xformer_kernel.py";
  if (!fs::exists(installed)) fail(ErrorKind::failure, "--kernel FILE.py: there is no {}", installed.string());
  return installed.string();
}

std::vector<std::string> command_for(const std::string& kernel) {
  const bool library = kernel.ends_with(".so"), script = kernel.ends_with(".py");
  if ((library || script) && kernel.find(' ') == std::string::npos) {
    if (!fs::exists(kernel)) fail(ErrorKind::data, "--kernel: there is no file {}", kernel);
    const std::string path = fs::absolute(kernel).string();
    if (library) return {own_program().string(), kHostCommand, path};
    return {"python3", python_side(), path};
  }
  if (fs::exists(kernel) && fs::is_regular_file(kernel) && kernel.find('.') != std::string::npos)
    fail(ErrorKind::usage, "--kernel {}: a FILE.so, a FILE.py, or a command line", kernel);
  return {"sh", "-c", kernel};
}

std::string name_for(const std::string& kernel) {
  const bool file = kernel.find(' ') == std::string::npos;
  return file ? fs::path(kernel).filename().string() : kernel;
}

}  // namespace

KernelProcess::KernelProcess(const std::string& kernel, double limit_s)
    : name_(name_for(kernel)), limit_s_(limit_s) {
  const std::string threads = std::to_string(thread_count());
  process_ = std::make_unique<Process>(command_for(kernel),
                                       std::map<std::string, std::string>{{"OMP_NUM_THREADS", threads}});
  process_->set_name(name_);
}

std::string KernelProcess::ask(const std::string& line, double limit_s) {
  end_own_threads();
  process_->write_line(line);
  const std::string answer = process_->read_line(limit_s);
  if (is_too_deep_json(answer) || !Json::accept(answer) || !Json::parse(answer).is_object())
    fail(ErrorKind::failure, "{}: answers '{}', which is no JSON object", name_, answer.substr(0, 80));
  const Json json = Json::parse(answer);
  if (json.contains("refused")) {
    const Json& why = json["refused"];
    fail(ErrorKind::failure, "{}: {}", name_, why.is_string() ? why.get<std::string>() : why.dump());
  }
  return answer;
}

std::string KernelProcess::open(const SharedCalls& calls) {
  constexpr double kStart = 120;  // seconds: importing PyTorch from a cold disk
  slowest_s_ = 0;
  const Json answer = Json::parse(ask("open " + calls.places(), kStart + limit_s_));
  if (!answer.value("ready", Json()).is_string())
    fail(ErrorKind::failure, "{}: it is not ready: {}", name_, answer.dump());
  untimed_ = answer.value("untimed", "");
  const std::string about = answer["ready"];
  return about.empty() ? name_ : name_ + ", " + about;
}

double KernelProcess::run(const SharedCalls& calls, const std::vector<size_t>& order) {
  constexpr double kSlower = 20;  // times the slowest call so far
  const auto others = static_cast<double>(order.size()) - 1;
  const double start = now();
  const Json answer = Json::parse(
      ask("run " + calls.request(order), limit_s_ + others * std::min(limit_s_, kSlower * slowest_s_)));
  const double waited = now() - start;
  slowest_s_ = std::max(slowest_s_, waited / (others + 1));
  const Json seconds = answer.value("seconds", Json());
  if (!seconds.is_number() || seconds < 0 || seconds > waited)
    fail(ErrorKind::failure, "{}: answers {} where seconds are asked for", name_, answer.dump());
  return others > 0 ? seconds.get<double>() / others : 0;
}

}  // namespace xf::bench
