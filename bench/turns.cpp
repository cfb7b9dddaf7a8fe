#include "bench/turns.h"

#include <fmt/core.h>

#include <istream>
#include <memory>
#include <ostream>
#include <vector>

#include "bench/catalogue.h"
#include "bench/process.h"
#include "bench/train_step.h"
#include "core/error.h"
#include "core/parallel.h"

namespace xf::bench {

namespace {

std::string name_of_step(const ModelPreset& model) { return kTrainStep + (" " + step_shape(model)); }
std::string name_of(const Case& c) { return c.fn + " " + c.shape(); }

// Something with its inputs in place, ready to be timed again and again.
class Timed {
 public:
  virtual ~Timed() = default;
  virtual double turn() = 0;  // seconds of a call
};

class TimedKernel : public Timed {
 public:
  TimedKernel(const Case& c, const TimerOptions& options) : calls_(c, options) {}
  double turn() override { return calls_.turn(); }

 private:
  TimedCase calls_;
};

// One update is long enough for its beginning not to matter.
class TimedStep : public Timed {
 public:
  TimedStep(const Scope& scope, double slowdown) : step_(scope.model, scope.target), slowdown_(slowdown) {
    constexpr int kWarmUps = 2;
    for (int i = 0; i < kWarmUps; ++i) step_.run();
  }
  double turn() override { return (1 + slowdown_) * step_.time(); }

 private:
  TrainStep step_;
  double slowdown_;
};

// Null where the choice has no such row, or the device no such kernel.
std::unique_ptr<Timed> make_timed(const Choice& choice, const TimerOptions& options,
                                  const std::string& name) {
  if (choice.step && name == name_of_step(choice.scope.model))
    return std::make_unique<TimedStep>(choice.scope, options.slowdown);
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

// xformer-bench's command line for answer_turns().
std::vector<std::string> command_to_answer(const std::string& program, const Request& request,
                                           double slowdown) {
  std::vector<std::string> words = {program,
                                    "--preset",
                                    request.preset,
                                    "--dtype",
                                    xf::name_of(request.target.dtype),
                                    "--device",
                                    xf::name_of(request.target.device),
                                    "--threads",
                                    std::to_string(thread_count())};
  if (slowdown != 0) words.insert(words.end(), {"--inject-slowdown", fmt::format("{}", slowdown)});
  if (is_sweep(request.shape)) words.insert(words.end(), {"--fn", request.fn, "--shape", request.shape});
  if (!request.timer.cold) words.emplace_back("--warm");
  words.emplace_back("answer");
  return words;
}

// One of the two processes.
class Side {
 public:
  explicit Side(const std::vector<std::string>& command) : process_(command) {}
  bool prepare(const std::string& name) {
    process_.write_line("row " + name);
    return process_.read_line() == "ready";
  }
  double turn() {
    process_.write_line("turn");
    return process_.read_seconds();
  }

 private:
  Process process_;
};

Compared in_turn(const std::string& name, int turns, Side& before, Side& after) {
  const Turns taken = take_turns(
      turns, [&] { return before.turn(); }, [&] { return after.turn(); });
  return {name, Samples::of(taken.a).quantile(0.5), Samples::of(taken.b).quantile(0.5),
          compare_pairs(taken.a, taken.b)};
}

}  // namespace

Comparison compare_in_turn(const Request& request, const std::string& before_program,
                           const std::string& after_program, const Progress& progress) {
  const Choice choice = choice_of(request);
  Side before(command_to_answer(before_program, request, 0));
  Side after(command_to_answer(after_program, request, request.timer.slowdown));
  Comparison comparison{"before", "after", {}, {}, {}, {}};
  const auto add = [&](const std::string& name, int turns) {
    progress(name);
    const bool in_before = before.prepare(name), in_after = after.prepare(name);
    if (in_before && in_after) {
      comparison.rows.push_back(in_turn(name, turns, before, after));
    } else {
      (in_before  ? comparison.only_before
       : in_after ? comparison.only_after
                  : comparison.in_none)
          .push_back(name);
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
      answer = fmt::format("{}", timed->turn());
    } else {
      fail(ErrorKind::data, "'{}' asks for no row and no turn of one", line);
    }
    end_own_threads();  // the other program's turn
    answers << answer << std::endl;
  }
}

}  // namespace xf::bench
