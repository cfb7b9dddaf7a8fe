#include "bench/external/judge.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "bench/catalogue.h"
#include "bench/free_shapes.h"
#include "core/philox.h"
#include "tools/console/nearest_name.h"

namespace xf::bench {

namespace {

constexpr size_t kFewestCalls = 4;  // of a turn: one to warm up, and some that are timed
constexpr int kFewestTurns = 9;
constexpr double kSecondsOfTurns = 4, kShareOfChecks = 0.5;

std::string name_of(const Call& call, const Tensor& output) {
  for (const auto& [name, tensor] : call.operands.tensors) {
    if (tensor.raw() == output.raw()) return name;
  }
  return "an output";
}

// Of a flat index in a shape: "[3, 17]".
std::string place_of(size_t flat, const Tensor& tensor) {
  const auto width = static_cast<size_t>(std::max<int64_t>(1, tensor.width()));
  return tensor.rank() < 2 ? fmt::format("[{}]", flat) : fmt::format("[{}, {}]", flat / width, flat % width);
}

// The element that is furthest off, with what it is and should be.
std::string worst_element(const Tensor& tensor, const std::vector<double>& expected) {
  const std::vector<double> actual = tests::as_doubles(tensor);
  size_t worst = 0;
  double most = -1;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double off = std::abs(actual[i] - expected[i]);
    if (actual[i] == expected[i] || off <= most) continue;
    worst = i;
    if (!std::isfinite(off)) break;
    most = off;
  }
  return fmt::format("at {} {:.6g}, not {:.6g}", place_of(worst, tensor), actual[worst], expected[worst]);
}

class Judge {
 public:
  Judge(const Case& c, KernelProcess& kernel, int64_t wanted_bytes)
      : case_(c), kernel_(kernel), calls_(c, *find_signature(c.fn), wanted_bytes, kFewestCalls) {
    about_ = told([&] { return kernel_.open(calls_); });
  }

  // The same call twice, with other inputs.
  void check() {
    run_checked({0}, 0);
    calls_.renew();
    run_checked({0}, 0);
  }
  double our_turn() {
    calls_.renew();
    const std::vector<size_t> order = shuffled();
    calls_.call(order[0]).run();
    const double start = now();
    for (size_t i = 1; i < order.size(); ++i) calls_.call(order[i]).run();
    return (now() - start) / static_cast<double>(order.size() - 1);
  }
  double their_turn() {
    calls_.renew();
    const std::vector<size_t> order = shuffled();
    const bool checked = checking_s_ <= kShareOfChecks * (now() - start_);
    if (checked) return run_checked(order, order[random_.below(static_cast<uint32_t>(order.size()))]);
    return told([&] { return kernel_.run(calls_, order); });
  }
  void tell(Row& row) const {
    row.baseline = about_;
    row.error = furthest_.relative;
    row.allowed = furthest_.allowed;
  }
  int checks() const { return checks_; }
  bool against_ours() const { return calls_.definition_is_slow(); }

 private:
  // Its errors, with the row that they belong to.
  template <typename Body>
  auto told(const Body& body) -> decltype(body()) {
    try {
      return body();
    } catch (const Error& error) {
      fail(error.kind(), "{} ({} {} {})", error.what(), case_.fn, case_.shape(),
           xf::name_of(case_.target.dtype));
    }
  }

  std::vector<size_t> shuffled() {
    std::vector<size_t> order(calls_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[random_.below(static_cast<uint32_t>(i + 1))]);
    return order;
  }

  double run_checked(const std::vector<size_t>& order, size_t checked) {
    const double begun = now();
    const Expected expected = calls_.expected(checked);  // before an input is written over
    checking_s_ += now() - begun;
    return told([&] {
      const double seconds = kernel_.run(calls_, order);
      const double start = now();
      compare(checked, expected);
      checking_s_ += now() - start;
      return seconds;
    });
  }

  void compare(size_t i, const Expected& expected) {
    const std::string damage = calls_.damage(i);
    if (!damage.empty()) refuse("{}", damage);
    const std::vector<Output>& outputs = calls_.call(i).outputs;
    for (size_t k = 0; k < outputs.size(); ++k) {
      const Deviation here = deviation(case_, outputs[k], expected[k]);
      if (!(here.of_allowed() <= 1)) refuse_output(calls_.call(i), k, here, expected[k]);
      if (here.of_allowed() >= furthest_.of_allowed()) furthest_ = here;
    }
    if (first_.empty()) first_ = expected;
    ++checks_;
  }

  [[noreturn]] void refuse_output(const Call& call, size_t k, const Deviation& here,
                                  const std::vector<double>& expected) {
    const Output& output = call.outputs[k];
    const std::string name = name_of(call, output.tensor), worst = worst_element(output.tensor, expected);
    if (!first_.empty() && deviation(case_, output, first_[k]).of_allowed() <= 1)
      refuse("{} is that of an earlier call: it keeps results, and its inputs have changed", name);
    const char* const later = checks_ > 0 ? ", though its first call was right" : "";
    if (!std::isfinite(here.relative)) refuse("{} is wrong{}: {}", name, later, worst);
    refuse("{} is wrong{}: {}; error {:.3g}, {:.3g} times what is allowed", name, later, worst, here.relative,
           here.of_allowed());
  }
  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
    fail(ErrorKind::failure, "{}: refused: {}", about_, fmt::format(format, std::forward<Args>(args)...));
  }

  const Case& case_;
  KernelProcess& kernel_;
  SharedCalls calls_;
  std::string about_;
  Expected first_;
  Deviation furthest_;  // of all checks
  int checks_ = 0;
  double checking_s_ = 0, start_ = now();
  PhiloxSequence random_{static_cast<uint64_t>(1e9 * now()),
                         0};  // which calls are checked is not to be foreseen
};

// As many as fit into kSecondsOfTurns, by the time that the first pair took.
int turns_for(const TimerOptions& options, double seconds_of_pair) {
  if (options.samples > 0) return options.samples;
  return std::clamp(static_cast<int>(kSecondsOfTurns / seconds_of_pair), kFewestTurns, kKernelTurns);
}

}  // namespace

std::vector<Case> cases_for_kernel(const Request& request, const Scope& scope) {
  if (!find_signature(request.fn)) {
    std::vector<std::string> names;
    for (const Signature& signature : signatures()) names.push_back(signature.fn);
    fail(ErrorKind::usage, "--kernel: --fn is to be the function that it computes{}; one of {}",
         request.fn.empty() ? "" : ", not '" + request.fn + "'" + tools::did_you_mean(request.fn, names),
         fmt::join(names, ", "));
  }
  if (scope.target.device.type == DeviceType::cuda)
    fail(ErrorKind::usage, "--kernel: kernels from elsewhere run on the CPU; leave out --device");
  if (request.fn == "adam" && scope.target.dtype == DType::bf16)
    fail(ErrorKind::usage, "--kernel: adam's parameters are f32 or f64; leave out --dtype bf16");
  return is_sweep(request.shape) ? free_cases(scope, request.fn, sweep_from(request.shape))
                                 : free_cases(scope, request.fn);
}

void check_kernel(const Case& c, const Scope& scope, KernelProcess& kernel, Row& row) {
  const Case fewer = with_fewer_rows(scope, c);
  Judge judge(fewer, kernel, 0);
  judge.check();
  judge.tell(row);
  if (fewer.shape() != c.shape()) row.add_note("checked at " + fewer.shape());
}

void judge(const Case& c, const Scope& scope, const TimerOptions& options, KernelProcess& kernel, Row& row) {
  const int64_t wanted = options.cold ? 2 * cache_bytes(c.target.device) : 0;
  const Case fewer = with_fewer_rows(scope, c);
  if (fewer.shape() != c.shape()) Judge(fewer, kernel, 0).check();
  Judge judge(c, kernel, wanted);
  judge.check();
  if (kernel.untimed().empty()) {
    const double start = now();
    judge.our_turn(), judge.their_turn();
    row.set_turns(take_turns(
        turns_for(options, now() - start), [&] { return judge.our_turn(); },
        [&] { return judge.their_turn(); }));
  } else {
    row.add_note("no time: " + kernel.untimed());
  }
  judge.tell(row);
  row.add_note(fmt::format("{} of its calls checked", judge.checks()));
  if (judge.against_ours())
    row.add_note(fmt::format("against the definition at {}, here against ours", fewer.shape()));
}

}  // namespace xf::bench
