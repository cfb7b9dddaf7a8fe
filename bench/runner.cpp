#include "bench/runner.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "bench/catalogue.h"
#include "bench/ceilings.h"
#include "bench/external/judge.h"
#include "bench/free_shapes.h"
#include "bench/model_sizes.h"
#include "bench/peer_program.h"
#include "bench/train_step.h"
#include "core/memory.h"

namespace xf::bench {

namespace {

bool step_chosen(const Request& request) {
  return request.preset != "odd" && !is_language_model(request.preset) && chosen(request.fn, kTrainStep) &&
         request.shape.empty() && request.kernel.empty();
}

bool is_chosen(const Request& request, const Case& c) {
  return chosen(request.fn, c.fn) && (request.shape.empty() || chosen(request.shape, c.shape()));
}

// Against its definition.
Deviation checked(const Case& c, const Progress& progress) {
  progress("checking " + c.fn + " " + c.shape());
  Arena arena(c.target.device);
  Inputs inputs(c.target, arena);
  const Deviation error = deviation_of(c, c.make(inputs));
  if (error.of_allowed() <= 1) return error;
  fail(ErrorKind::failure, "{} {} {}: differs from its definition by {:.3g} times what is allowed", c.fn,
       c.shape(), xf::name_of(c.target.dtype), error.of_allowed());
}

// The cases that are timed, each with the same widths and fewer tokens: where the catalogue of such
// a model has it.
std::vector<Case> smaller_cases(const Scope& scope, const std::vector<Case>& cases) {
  const std::vector<Case> whole = catalogue(scope), small = catalogue(small_scope(scope));
  XF_CHECK(whole.size() == small.size(), "benchmark: {} rows, but {} with fewer tokens", whole.size(),
           small.size());
  std::vector<Case> found;
  for (const Case& c : cases) {
    const auto same = std::find_if(whole.begin(), whole.end(), [&](const Case& other) {
      return other.fn == c.fn && other.shape() == c.shape();
    });
    found.push_back(small[static_cast<size_t>(same - whole.begin())]);
  }
  return found;
}

// The error of each, whose rows are the last.
void check(const Scope& scope, const std::vector<Case>& cases, const Progress& progress,
           std::vector<Row>& rows) {
  const size_t first = rows.size() - cases.size();
  std::vector<Case> smaller;
  if (cases.empty() || cases.front().extents.empty()) {
    smaller = smaller_cases(scope, cases);
  } else {
    for (const Case& c : cases) smaller.push_back(with_fewer_rows(scope, c));
  }
  for (size_t i = 0; i < smaller.size(); ++i) {
    const Deviation error = checked(smaller[i], progress);
    rows[first + i].error = error.relative;
    rows[first + i].allowed = error.allowed;
  }
}

Row row_of(const Case& c) {
  Row row;
  row.fn = c.fn;
  row.shape = c.shape();
  row.dtype = xf::name_of(c.target.dtype);
  row.device = xf::name_of(c.target.device);
  row.bytes = c.work.bytes;
  row.flops = c.work.flops;
  row.extents = c.extents;
  return row;
}

void take(const PeerTime& peer, const std::string& asked, Row& row) {
  row.baseline = peer.why_not.empty() ? peer.name : asked;
  row.baseline_s = peer.median_s;
  row.tuning = peer.tuning;
  if (!peer.why_not.empty()) row.add_note("no baseline: " + peer.why_not);
}

// What is known of a step's peer; with times of both, in turn, where it runs.
Row step_beside_peer(const Request& request, const Scope& scope, int turns, const Progress& progress) {
  Row row;
  if (request.baseline == "none") return row;
  try {
    if (request.baseline != "torch") fail(ErrorKind::failure, "{} has no training step", request.baseline);
    PeerProgram torch = torch_step(scope.model.name, request.target);
    train_step_beside_peer(scope.model, request.target, turns, request.timer.slowdown, torch, progress, row);
  } catch (const Error& error) {
    row.add_note(std::string("no baseline: ") + error.what());
  }
  return row;
}

Row step_row(const Request& request, const Scope& scope, const Progress& progress) {
  TimingOptions options{.samples = step_samples(scope.model)};
  if (request.timer.samples > 0) options.samples = request.timer.samples;
  if (request.baseline == kOwnF32) {
    progress("train_step " + scope.model.name + ", in turn with f32");
    return train_step_beside_f32(scope.model, request.target, options.samples);
  }
  if (request.baseline == kStepFloor) {
    progress("train_step " + scope.model.name + ", in turn with the ceilings of this machine");
    return train_step_beside_floor(scope.model, request.target, options.samples, request.timer.slowdown);
  }
  const Row beside = step_beside_peer(request, scope, options.samples, progress);
  if (beside.ran()) return beside;
  progress("train_step " + scope.model.name);
  reset_peak_resident();
  Row row = train_step_row(scope.model, request.target, options, request.timer.slowdown);
  row.baseline = request.baseline;
  row.tuning = beside.tuning;
  row.note = beside.note;
  return row;
}

// A kernel that the device does not have in this type is a row too, without samples.
void visit(const Case& c, const TimerOptions& options, KernelPeer* peer, const std::string& asked, Row& row) {
  try {
    const Samples first = time_kernel(c, options);
    row.samples.add(first);
    if (!peer) return;
    take(peer->time(c), asked, row);
    if (!std::isfinite(row.baseline_s)) return;
    const Samples second = time_kernel(c, options);
    row.samples.add(second);
    note_drift(row, first.quantile(0.5), second.quantile(0.5));
  } catch (const Error& error) {
    if (row.note.empty()) row.add_note(error.what());
  }
}

// All shapes of the functions that a request chooses; of a sweep those that it gives.
std::vector<Case> cases_of(const Request& request, const Scope& scope) {
  if (!request.kernel.empty()) return cases_for_kernel(request, scope);
  check_pattern(request.fn, function_names(), "--fn");
  if (is_sweep(request.shape)) return free_cases(scope, request.fn, sweep_from(request.shape));
  if (is_language_model(request.preset)) return free_cases(scope, request.fn);
  std::vector<Case> cases = catalogue(scope);
  std::erase_if(cases, [&](const Case& c) { return !chosen(request.fn, c.fn); });
  return cases;
}

// Each in turn with the same in f32; no baseline where there is no such case in that type.
void add_kernels_beside_f32(const Request& request, Scope scope, const std::vector<Case>& cases,
                            const Progress& progress, const std::function<void()>& done,
                            std::vector<Row>& rows) {
  scope.target.dtype = DType::f32;
  const size_t first = rows.size() - cases.size();
  const std::vector<Case> all_in_f32 = cases_of(request, scope);
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    progress(c.fn + " " + c.shape());
    Row& row = rows[first + i];
    row.baseline = kOwnF32;
    const auto in_f32 = std::find_if(all_in_f32.begin(), all_in_f32.end(), [&](const Case& other) {
      return other.fn == c.fn && other.shape() == c.shape();
    });
    try {
      if (in_f32 == all_in_f32.end()) fail(ErrorKind::failure, "no baseline: it has no such case");
      TimedCase ours(c, request.timer), theirs(*in_f32, request.timer);
      row.set_turns(take_turns(
          kKernelTurns, [&] { return ours.turn(); }, [&] { return theirs.turn(); }));
    } catch (const Error& error) {
      row.add_note(error.what());
    }
    done();
  }
}

void add_kernels(const Request& request, const Scope& scope, const std::vector<Case>& cases,
                 const Progress& progress, const std::function<void()>& done, std::vector<Row>& rows) {
  if (request.baseline == kOwnF32) return add_kernels_beside_f32(request, scope, cases, progress, done, rows);
  const size_t first = rows.size() - cases.size();
  const bool compared = request.baseline != "none";
  const auto peer = compared ? make_kernel_peer(request.baseline, request.timer) : nullptr;
  for (int i = 0; i < (compared ? 1 : kVisits); ++i) {
    for (size_t k = 0; k < cases.size(); ++k) {
      progress(cases[k].fn + " " + cases[k].shape());
      visit(cases[k], request.timer, peer.get(), request.baseline, rows[first + k]);
      done();
    }
  }
}

// A kernel from elsewhere. What is wrong from the start is told before the machine is measured.
std::unique_ptr<KernelProcess> start_kernel(const Request& request, const Scope& scope,
                                            const std::vector<Case>& cases) {
  if (request.kernel.empty()) return nullptr;
  auto kernel = std::make_unique<KernelProcess>(request.kernel, request.kernel_limit_s);
  Row unused;
  check_kernel(cases.front(), scope, *kernel, unused);
  return kernel;
}

// It in turn with ours; a row that is wrong ends it.
void add_external_kernel(KernelProcess& kernel, const Request& request, const Scope& scope,
                         const std::vector<Case>& cases, const Progress& progress,
                         const std::function<void()>& done, std::vector<Row>& rows) {
  const size_t first = rows.size() - cases.size();
  for (size_t i = 0; i < cases.size(); ++i) {
    progress(cases[i].fn + " " + cases[i].shape() + ", in turn with " + request.kernel);
    Row& row = rows[first + i];
    request.times ? judge(cases[i], scope, request.timer, kernel, row)
                  : check_kernel(cases[i], scope, kernel, row);
    done();
  }
}

void set_floors(const Scope& scope, const Machine& machine, std::vector<Row>& rows) {
  for (Row& row : rows) {
    row.floor_s = kernel_floor(row.bytes, row.flops, machine);
    if (row.fn == kTrainStep) set_step_floor(row, scope.model, machine);
  }
}

// Sizes that are free to choose may be too large for any machine; tensors would fail in one way or
// another, or not at all.
void check_memory(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const auto available = memory::available(c.target.device);
    if (!available || c.work.bytes <= static_cast<double>(*available)) continue;
    fail(ErrorKind::resources, "--shape: {} {} needs {:.3g} GB, and {:.3g} are free; take smaller sizes",
         c.fn, c.shape(), c.work.bytes / 1e9, static_cast<double>(*available) / 1e9);
  }
}

}  // namespace

Choice choice_of(const Request& request) {
  Choice choice{scope_of(request.preset, request.target), step_chosen(request), {}};
  choice.cases = cases_of(request, choice.scope);
  if (is_sweep(request.shape)) {
    check_memory(choice.cases);
    return choice;
  }
  std::vector<std::string> shapes;
  for (const Case& c : choice.cases) shapes.push_back(c.shape());
  if (!request.shape.empty()) check_pattern(request.shape, shapes, "--shape");
  std::erase_if(choice.cases, [&](const Case& c) { return !is_chosen(request, c); });
  return choice;
}

Results run(const Request& request, const Progress& progress, const Keep& keep) {
  const auto [scope, step, cases] = choice_of(request);
  const std::unique_ptr<KernelProcess> kernel = start_kernel(request, scope, cases);
  const auto measured = [&] {
    if (!request.times) return Machine();
    progress("ceilings of this machine");
    return measure_machine(request.target.device, request.target.dtype);
  };
  const Machine before = measured();
  Results results;
  results.header = machine_info(request.target, before, request.preset);
  const auto done = [&, &scope = scope] {
    set_floors(scope, before, results.rows);
    keep(results);
  };
  if (step && request.times) {
    results.rows.push_back(step_row(request, scope, progress));
    done();
  }
  for (const Case& c : cases) results.rows.push_back(row_of(c));
  if (request.check && !kernel) check(scope, cases, progress, results.rows);
  if (kernel) {
    add_external_kernel(*kernel, request, scope, cases, progress, done, results.rows);
  } else if (request.times) {
    add_kernels(request, scope, cases, progress, done, results.rows);
  }
  const Machine machine = better_of(before, measured());
  set_floors(scope, machine, results.rows);
  results.header = machine_info(request.target, machine, request.preset);
  return results;
}

std::string list(const Request& request) {
  const auto [scope, step, cases] = choice_of(request);
  std::string text;
  if (step) text += fmt::format("{:34} {}\n", kTrainStep, step_shape(scope.model));
  for (const Case& c : cases) text += fmt::format("{:34} {}\n", c.fn, c.shape());
  return text;
}

}  // namespace xf::bench
