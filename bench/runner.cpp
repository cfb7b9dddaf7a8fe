#include "bench/runner.h"

#include <algorithm>
#include <cmath>

#include "bench/catalogue.h"
#include "bench/ceilings.h"
#include "bench/peer_program.h"
#include "bench/train_step.h"

namespace xf::bench {

namespace {

bool step_chosen(const Request& request) {
  return request.preset != "odd" && chosen(request.fn, kTrainStep) && request.shape.empty();
}

bool is_chosen(const Request& request, const Case& c) {
  return chosen(request.fn, c.fn) && (request.shape.empty() || chosen(request.shape, c.shape()));
}

// The cases that are timed, with the same widths and fewer tokens, against their definition.
void check(const Request& request, const Scope& scope, const Progress& progress) {
  for (const Case& c : catalogue(small_scope(scope))) {
    if (!chosen(request.fn, c.fn)) continue;
    progress("checking " + c.fn + " " + c.shape());
    Arena arena(c.target.device);
    Inputs inputs(c.target, arena);
    const double error = error_of(c, c.make(inputs));
    if (error <= 1) continue;
    fail(ErrorKind::failure, "{} {} {}: differs from its definition by {:.3g} times what is allowed", c.fn,
         c.shape(), xf::name_of(c.target.dtype), error);
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
    train_step_beside_peer(scope.model, request.target, turns, request.timer.planted, torch, progress, row);
  } catch (const Error& error) {
    row.add_note(std::string("no baseline: ") + error.what());
  }
  return row;
}

Row step_row(const Request& request, const Scope& scope, const Progress& progress) {
  SamplerOptions options{.samples = step_samples(scope.model)};
  if (request.timer.samples > 0) options.samples = request.timer.samples;
  if (request.baseline == kOwnF32) {
    progress("train_step " + scope.model.name + ", in turn with f32");
    return train_step_beside_f32(scope.model, request.target, options.samples);
  }
  const Row beside = step_beside_peer(request, scope, options.samples, progress);
  if (beside.ran()) return beside;
  progress("train_step " + scope.model.name);
  reset_peak_resident();
  Row row = train_step_row(scope.model, request.target, options, request.timer.planted);
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

// Each in turn with the same in f32; no baseline where there is no such case in that type.
void add_kernels_beside_f32(const Request& request, Scope scope, const std::vector<Case>& cases,
                            const Progress& progress, const std::function<void()>& done,
                            std::vector<Row>& rows) {
  scope.target.dtype = DType::f32;
  const std::vector<Case> all_in_f32 = catalogue(scope);
  for (const Case& c : cases) {
    progress(c.fn + " " + c.shape());
    Row& row = rows.emplace_back(row_of(c));
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

void add_kernels(const Request& request, const std::vector<Case>& cases, const Progress& progress,
                 const std::function<void()>& done, std::vector<Row>& rows) {
  const size_t first = rows.size();
  for (const Case& c : cases) rows.push_back(row_of(c));
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

void set_floors(const Scope& scope, const Machine& machine, std::vector<Row>& rows) {
  for (Row& row : rows) {
    row.floor_s = kernel_floor(row.bytes, row.flops, machine);
    if (row.fn == kTrainStep) set_step_floor(row, scope.model, machine);
  }
}

}  // namespace

Choice choice_of(const Request& request) {
  check_pattern(request.fn, function_names(), "--fn");
  Choice choice{scope_of(request.preset, request.target), step_chosen(request), {}};
  choice.cases = catalogue(choice.scope);
  std::erase_if(choice.cases, [&](const Case& c) { return !chosen(request.fn, c.fn); });
  std::vector<std::string> shapes;
  for (const Case& c : choice.cases) shapes.push_back(c.shape());
  if (!request.shape.empty()) check_pattern(request.shape, shapes, "--shape");
  std::erase_if(choice.cases, [&](const Case& c) { return !is_chosen(request, c); });
  return choice;
}

Results run(const Request& request, const Progress& progress, const Keep& keep) {
  const auto [scope, step, cases] = choice_of(request);
  const auto measured = [&] {
    progress("ceilings of this machine");
    return measure_machine(request.target.device, request.target.dtype);
  };
  const Machine before = measured();
  Results results;
  results.header = make_header(request.target, before, request.preset);
  const auto done = [&, &scope = scope] {
    set_floors(scope, before, results.rows);
    keep(results);
  };
  if (step) {
    results.rows.push_back(step_row(request, scope, progress));
    done();
  }
  if (request.check) check(request, scope, progress);
  if (request.baseline == kOwnF32) {
    add_kernels_beside_f32(request, scope, cases, progress, done, results.rows);
  } else {
    add_kernels(request, cases, progress, done, results.rows);
  }
  const Machine machine = better_of(before, measured());
  set_floors(scope, machine, results.rows);
  results.header = make_header(request.target, machine, request.preset);
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
