#include "tools/explain/gradient_check.h"
#include "tools/config/program_options.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/philox.h"
#include "kernels/adam.h"
#include "nn/evaluation.h"
#include "tools/explain/page.h"

namespace xf::tools::explain {

namespace {

using Values = std::vector<double>;

double norm(const Tensor& tensor) {
  const Tensor sum = Tensor::zeros({1}, DType::f64);
  kernels::sum_of_squares(tensor.reshape({tensor.numel()}), sum);
  return std::sqrt(sum.data<double>()[0]);
}

bool smaller(double a, double b) { return std::abs(a) < std::abs(b); }

// The largest gradient's and others, none of them twice: as many as there are, at most.
std::vector<int64_t> sampled(const Values& gradient, int64_t samples, PhiloxSequence& random) {
  std::vector<int64_t> elements{std::ranges::max_element(gradient, smaller) - gradient.begin()};
  while (std::ssize(elements) < std::min(samples, std::ssize(gradient))) {
    const int64_t drawn = random.below(static_cast<uint32_t>(gradient.size()));
    if (std::ranges::find(elements, drawn) == elements.end()) elements.push_back(drawn);
  }
  return elements;
}

void demand_check(const GradientsOptions& options) {
  for (const char* name : {"samples", "seed"}) {
    if (options.is_given(name))
      fail(ErrorKind::usage, "{}: has no effect without check; give that, or leave this out", name);
  }
}

// (L(w + h) - L(w - h)) / 2h, relative to `scale`. ReLU has a kink; where a step crosses one, a
// step a tenth as long seldom does, so the shorter one is asked where the first is not close.
double error_of_element(const TrainingPair& exact, double& element, double gradient, double scale) {
  double error = INFINITY;
  for (const double h : {1e-5, 1e-6}) {
    const double kept = element;
    element = kept + h;
    const double above = exact.loss();
    element = kept - h;
    const double numeric = (above - exact.loss()) / (2 * h);
    element = kept;
    error = std::min(error, std::abs(numeric - gradient) / scale);
    if (error <= kWorstF64) break;
  }
  return error;
}

}  // namespace

GradientReport measure_gradients(const TrainingPair& pair, double loss) {
  GradientReport report{pair.title(), loss, false, {}};
  for (const nn::Parameter& parameter : pair.store().parameters()) {
    ParameterGradient measured;
    measured.name = parameter.name;
    measured.shape = parameter.shape;
    measured.value_norm = norm(parameter.value);
    measured.norm = norm(parameter.gradient);
    measured.root_mean_square = measured.norm / std::sqrt(static_cast<double>(parameter.shape.numel()));
    measured.largest = std::abs(std::ranges::max(nn::read_values(parameter.gradient), smaller));
    report.parameters.push_back(measured);
  }
  return report;
}

void check_gradients(const TrainingPair& exact, const TrainingPair& fast, int64_t samples, uint64_t seed,
                     GradientReport& report) {
  report.checked = true;
  const double floor =
      kGradientFloor * std::ranges::max(report.parameters, {}, &ParameterGradient::largest).largest;
  for (size_t p = 0; p < report.parameters.size(); ++p) {
    ParameterGradient& checked = report.parameters[p];
    const nn::Parameter& parameter = exact.store().parameters()[p];
    const Values gradient = nn::read_values(parameter.gradient),
                 rounded = nn::read_values(fast.store().parameters()[p].gradient);
    const double scale = std::max(checked.largest, floor);
    PhiloxSequence random(seed, p);
    for (const int64_t i : sampled(gradient, samples, random)) {
      double& element = parameter.value.data<double>()[i];
      const double error = error_of_element(exact, element, gradient[static_cast<size_t>(i)], scale);
      checked.f64 = std::isfinite(error) ? std::max(checked.f64, error) : INFINITY;
      ++checked.compared;
    }
    for (size_t i = 0; i < gradient.size(); ++i) {
      const double error = std::abs(rounded[i] - gradient[i]) / scale;
      checked.f32 = std::isfinite(error) ? std::max(checked.f32, error) : INFINITY;
    }
  }
}

GradientReport gradients(const GradientsOptions& options) {
  if (!options.check) {
    demand_check(options);
    const TrainingPair pair = training_pair(options, DType::f32);
    const double loss = pair.accumulate();
    return measure_gradients(pair, loss);
  }
  const TrainingPair exact = training_pair(options, DType::f64), fast = training_pair(options, DType::f32);
  fast.accumulate();
  const double loss = exact.accumulate();
  GradientReport report = measure_gradients(exact, loss);
  check_gradients(exact, fast, options.samples, static_cast<uint64_t>(options.seed), report);
  return report;
}

void demand_good(const GradientReport& report) {
  const auto excess = [](const ParameterGradient& parameter) {
    return std::max(parameter.f64 / kWorstF64, parameter.f32 / kWorstF32);
  };
  const ParameterGradient worst = std::ranges::max(report.parameters, {}, excess);
  if (worst.good()) return;
  fail(ErrorKind::failure,
       "the gradient of {} is off: in f64 by {:.2g} from central differences (at most {:g}), "
       "in f32 by {:.2g} from f64 (at most {:g})",
       worst.name, worst.f64, kWorstF64, worst.f32, kWorstF32);
}

std::string to_text(const GradientReport& report) {
  std::string text = fmt::format("{}\nloss {:.6g} (sum over the target tokens), without dropout\n\n",
                                 report.title, report.loss);
  size_t width = 9;
  for (const auto& parameter : report.parameters) width = std::max(width, parameter.name.size());
  text += fmt::format("{:<{}}  {:<12}{:>10}{:>12}{:>12}{:>12}", "parameter", width, "shape", "|value|",
                      "|gradient|", "rms", "largest");
  if (report.checked) text += fmt::format("{:>10}{:>11}{:>11}", "elements", "f64 off", "f32 off");
  for (const auto& parameter : report.parameters) {
    text += fmt::format("\n{:<{}}  {:<12}{:>10.4g}{:>12.4g}{:>12.3g}{:>12.3g}", parameter.name, width,
                        parameter.shape.to_string(), parameter.value_norm, parameter.norm,
                        parameter.root_mean_square, parameter.largest);
    if (report.checked)
      text += fmt::format("{:>10}{:>11.1e}{:>11.1e}", parameter.compared, parameter.f64, parameter.f32);
  }
  if (!report.checked) return text + "\n";
  const auto worst = [&](double ParameterGradient::*error) {
    return std::ranges::max(report.parameters, {}, error);
  };
  const ParameterGradient exact = worst(&ParameterGradient::f64), fast = worst(&ParameterGradient::f32);
  return text +
         fmt::format(
             "\n\nf64 against central differences, worst {:.1e} ({}), at most {:g}\n"
             "f32 against f64, worst {:.1e} ({}), at most {:g}\n"
             "Errors are relative to the parameter's largest gradient element, "
             "at least {:g} of the model's largest:\n"
             "a gradient that is zero in exact arithmetic, as the key's bias has, is rounding alone.\n",
             exact.f64, exact.name, kWorstF64, fast.f32, fast.name, kWorstF32, kGradientFloor);
}

std::string to_json(const GradientReport& report) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const auto& parameter : report.parameters) {
    nlohmann::ordered_json object = {{"name", parameter.name},
                                     {"shape", extents_of(parameter.shape)},
                                     {"value_norm", parameter.value_norm},
                                     {"gradient_norm", parameter.norm},
                                     {"gradient_rms", parameter.root_mean_square},
                                     {"gradient_largest", parameter.largest}};
    if (report.checked) {
      object["compared"] = parameter.compared;
      object["f64_error"] = parameter.f64;
      object["f32_error"] = parameter.f32;
      object["good"] = parameter.good();
    }
    parameters.push_back(std::move(object));
  }
  const nlohmann::ordered_json json = {
      {"model", report.title}, {"loss", report.loss}, {"parameters", parameters}};
  return json_page(json);
}

}  // namespace xf::tools::explain
