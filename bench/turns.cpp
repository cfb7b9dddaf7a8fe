#include "bench/turns.h"

#include <fmt/format.h>

#include <istream>
#include <memory>
#include <ostream>
#include <sstream>
#include <vector>

#include "bench/catalogue.h"
#include "bench/process.h"
#include "bench/train_step.h"
#include "core/error.h"
#include "core/parallel.h"

namespace xf::bench {

namespace {

constexpr double kTurn = 0.03;  // seconds of a kernel in one turn, at least
constexpr size_t kFewestCalls = 3;
constexpr int kKernelTurns = 40;

std::string name_of_step(const ModelPreset& model) { return kTrainStep + (" " + step_shape(model)); }
std::string name_of(const Case& c) { return c.fn + " " + c.shape(); }

// Something with its inputs in place, ready to be timed again and again.
class Timed {
 public:
  virtual ~Timed() = default;
  // Seconds of each call of a turn. Our threads are new, and caches are the other program's: what the first
  // call finds is not what counts.
  virtual std::vector<double> turn() = 0;
};

class TimedKernel : public Timed {
 public:
  TimedKernel(const Case& c, const TimerOptions& options) : calls_(c, options) {}
  std::vector<double> turn() override {
    calls_.time();
    std::vector<double> seconds;
    const double start = now();
    while (now() - start < kTurn || seconds.size() < kFewestCalls) seconds.push_back(calls_.time());
    return seconds;
  }

 private:
  TimedCase calls_;
};

// One update is long enough for its beginning not to matter.
class TimedStep : public Timed {
 public:
  TimedStep(const Scope& scope, double planted) : step_(scope.model, scope.target), planted_(planted) {
    constexpr int kWarmUps = 2;
    for (int i = 0; i < kWarmUps; ++i) step_.run();
  }
  std::vector<double> turn() override {
    const double start = now();
    step_.run();
    return {(1 + planted_) * (now() - start)};
  }

 private:
  TrainStep step_;
  double planted_;
};

// Null where the choice has no such row, or the device no such kernel.
std::unique_ptr<Timed> make_timed(const Choice& choice, const TimerOptions& options,
                                  const std::string& name) {
  if (choice.step && name == name_of_step(choice.scope.model))
    return std::make_unique<TimedStep>(choice.scope, options.planted);
  for (const Case& c : choice.cases) {
    if (name != name_of(c)) continue;
    try {
      return std::make_unique<TimedKernel>(c, options);
    } catch (const Error&) {
      return nullptr;
    }
  }
  return nullptr;
}

double median_of(const std::string& numbers) {
  std::istringstream text(numbers);
  std::vector<double> times;
  for (double seconds = 0; text >> seconds;) times.push_back(seconds);
  if (times.empty()) fail(ErrorKind::failure, "--against: '{}' are no times", numbers);
  return Samples::of(std::move(times)).quantile(0.5);
}

// xformer-bench's command line for answer_turns().
std::vector<std::string> command_to_answer(const std::string& program, const Request& request,
                                           double planted) {
  std::vector<std::string> words = {program,
                                    "--preset",
                                    request.preset,
                                    "--dtype",
                                    xf::name_of(request.target.dtype),
                                    "--device",
                                    xf::name_of(request.target.device),
                                    "--threads",
                                    std::to_string(thread_count()),
                                    "--plant",
                                    fmt::format("{}", planted)};
  if (!request.timer.cold) words.emplace_back("--warm");
  words.emplace_back("answer");
  return words;
}

// One of the two processes.
class Side {
 public:
  explicit Side(const std::vector<std::string>& command) : process_(command) {}
  bool prepare(const std::string& name) { return ask("row " + name) == "ready"; }
  double turn() { return median_of(ask("turn")); }

 private:
  std::string ask(const std::string& line) {
    process_.write_line(line);
    return process_.read_line();
  }
  Process process_;
};

Compared in_turn(const std::string& name, int turns, Side& before, Side& after) {
  std::vector<double> a, b;
  for (int i = 0; i < turns; ++i) {
    if (i % 2 == 0) a.push_back(before.turn());
    b.push_back(after.turn());
    if (i % 2 != 0) a.push_back(before.turn());
  }
  return {name, Samples::of(a).quantile(0.5), Samples::of(b).quantile(0.5), compare_pairs(a, b)};
}

}  // namespace

Comparison compare_in_turn(const Request& request, const std::string& before_program,
                           const std::string& after_program, const Progress& progress) {
  const Choice choice = choice_of(request);
  Side before(command_to_answer(before_program, request, 0));
  Side after(command_to_answer(after_program, request, request.timer.planted));
  Comparison comparison{"before", "after", {}, {}, {}};
  const auto add = [&](const std::string& name, int turns) {
    progress(name);
    const bool in_before = before.prepare(name), in_after = after.prepare(name);
    if (in_before && in_after) {
      comparison.rows.push_back(in_turn(name, turns, before, after));
    } else {
      (in_before || in_after ? comparison.only_in_one : comparison.in_none).push_back(name);
    }
  };
  if (choice.step) add(name_of_step(choice.scope.model), step_samples(choice.scope.model));
  for (const Case& c : choice.cases) add(name_of(c), kKernelTurns);
  return comparison;
}

void answer_turns(const Request& request, std::istream& requests, std::ostream& answers) {
  const Choice choice = choice_of(request);
  const std::string row = "row ";
  std::unique_ptr<Timed> timed;
  for (std::string line; std::getline(requests, line);) {
    std::string answer;
    if (line.starts_with(row)) {
      timed.reset();  // its memory first
      timed = make_timed(choice, request.timer, line.substr(row.size()));
      answer = timed ? "ready" : "none";
    } else if (line == "turn" && timed) {
      for (const double seconds : timed->turn()) answer += fmt::format("{} ", seconds);
    } else {
      fail(ErrorKind::data, "'{}' asks for no row and no turn of one", line);
    }
    end_own_threads();  // the other program's turn
    answers << answer << std::endl;
  }
}

}  // namespace xf::bench
