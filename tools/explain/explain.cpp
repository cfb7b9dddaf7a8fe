#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/number_text.h"
#include "nn/evaluation.h"
#include "tools/config/option.h"
#include "tools/console/nearest_name.h"
#include "tools/explain/op_table.h"
#include "tools/explain/page.h"

namespace xf::tools::explain {

namespace {

using Values = std::vector<double>;

// "1,2;3,4": rows apart by ';'.
Tensor parse_matrix(const std::string& name, const std::string& text) {
  Values values;
  size_t width = 0;
  const auto rows = split_all(text, ';');
  for (const std::string& row : rows) {
    const auto words = split_all(row, ',');
    for (const std::string& word : words) {
      const auto value = number_in<double>(word);
      if (!value || std::isnan(*value))
        fail(ErrorKind::usage, "{}: '{}' is not a number; write rows as 1,2,3;4,-inf,6", name, word);
      values.push_back(*value);
    }
    if (width == 0) width = words.size();
    if (words.size() != width) {
      fail(ErrorKind::usage, "{}: rows of {} and of {} elements; all must be of one length", name, width,
           words.size());
    }
  }
  return Tensor::from(values, {static_cast<int64_t>(rows.size()), static_cast<int64_t>(width)});
}

Tensor parse_indices(const std::string& name, const std::string& text) {
  std::vector<int32_t> indices;
  for (const double value : parse_matrix(name, text).to_vector<double>()) {
    if (value != std::floor(value) || value < 0 || value > 1e9)
      fail(ErrorKind::usage, "{}: {} is not an id; ids are whole numbers from 0", name, value);
    indices.push_back(static_cast<int32_t>(value));
  }
  return Tensor::from(indices);
}

Tensor filled(Shape shape, double value) {
  return Tensor::from(Values(static_cast<size_t>(shape.numel()), value), shape);
}

// An example: numbers; "x": 1 and then zeros, shaped like x; "x[id]": the same with a row for each
// id; "x of 1"; "row of 1": a vector as wide as x.
Tensor example(const Input& input, const Tensors& inputs) {
  const std::string text = input.example;
  const auto number_behind = [&](const char* words) {
    return std::stod(text.substr(std::string(words).size()));
  };
  if (text.starts_with("row of ")) return filled({inputs.at("x").width()}, number_behind("row of "));
  if (text.starts_with("x of ")) return filled(inputs.at("x").shape(), number_behind("x of "));
  if (text == "x" || text == "x[id]") {
    const Tensor& x = inputs.at("x");
    const Tensor first = filled(text == "x" ? x.shape() : Shape{inputs.at("id").numel(), x.width()}, 0);
    first.data<double>()[0] = 1;
    return first;
  }
  return input.is_index ? parse_indices(input.name, text) : parse_matrix(input.name, text);
}

// A vector where the op wants one.
Tensor shaped(const Input& input, Tensor value) {
  const bool vector = std::string(input.example).starts_with("row of ") || input.name == std::string("bias");
  if (vector && !input.is_index && value.rows() == 1) return value.reshape({value.numel()});
  return value;
}

Tensors read_inputs(const Op& op, const std::map<std::string, std::string>& given) {
  Tensors inputs;
  for (const Input& input : op.inputs) {
    const auto found = given.find(input.name);
    if (found == given.end() && *input.example == '\0') continue;
    if (found == given.end()) {
      inputs[input.name] = shaped(input, example(input, inputs));
    } else {
      inputs[input.name] = shaped(input, input.is_index ? parse_indices(input.name, found->second)
                                                        : parse_matrix(input.name, found->second));
    }
  }
  for (const auto& [name, text] : given) {
    if (inputs.contains(name)) continue;  // those of the op, all that were given
    std::vector<std::string> names;
    for (const Input& input : op.inputs) names.emplace_back(input.name);
    fail(ErrorKind::usage, "xformer-explain op {}: no input is called '{}'{} (it has {})", op.name, name,
         did_you_mean(name, names), fmt::join(names, ", "));
  }
  return inputs;
}

Tensors copies(const Tensors& inputs, DType dtype) {
  Tensors result;
  for (const auto& [name, tensor] : inputs) {
    if (tensor.dtype() == DType::i32) {
      result[name] = tensor;
    } else if (dtype == DType::f64) {
      result[name] = Tensor::from(tensor.to_vector<double>(), tensor.shape());
    } else {
      const auto values = tensor.to_vector<double>();
      result[name] = Tensor::from(std::vector<float>(values.begin(), values.end()), tensor.shape());
    }
  }
  return result;
}

double difference(const Values& a, const Values& b) {
  double worst = 0, largest = 1e-3;
  for (size_t i = 0; i < a.size(); ++i) {
    const double apart = a[i] == b[i] ? 0 : std::abs(a[i] - b[i]);
    worst = std::isnan(apart) ? INFINITY : std::max(worst, apart);
    largest = std::max(largest, std::abs(b[i]));
  }
  return worst / largest;
}

// y and, of a residual stream, what it carries on; or the gradients of both.
Values joined(const Tensors& tensors, const char* of_y, const char* of_sum) {
  Values all = nn::read_values(tensors.at(of_y));
  if (!tensors.contains("dsum")) return all;
  const Values carried = nn::read_values(tensors.at(of_sum));
  all.insert(all.end(), carried.begin(), carried.end());
  return all;
}

// By the fast kernel, in the type of the inputs.
Values outputs(const Op& op, Tensors& inputs) {
  op.forward(inputs);
  return joined(inputs, "y", "sum");
}

// dL/doutput; a loss is its own sum.
Values weights_of(const Tensors& inputs) {
  if (inputs.contains("dy")) return joined(inputs, "dy", "dsum");
  return Values(static_cast<size_t>(inputs.at("y").numel()), 1.0);
}

constexpr double kShareOfNumber = 1e-9;  // of a step that f64 does not round away
constexpr double kVisible = 1e-6;        // the share of a move that its rounding may be

// (L(w + h) - L(w - h)) / 2h with L = sum of the outputs times their weights. Outputs are
// subtracted before they are summed: what an element does not change must not drown what it does.
struct Slope {
  double value;
  bool is_rounded;  // the outputs moved by hardly more than their own rounding, or not at all
};

constexpr double kNone =
    std::numeric_limits<double>::quiet_NaN();  // where an output is infinite: there is no slope

Slope central_difference(const Op& op, Tensors& inputs, double& element, double h) {
  if (std::isinf(element)) {  // no step leads away from it
    const Values there = outputs(op, inputs);
    return {std::ranges::all_of(there, [](double y) { return std::isfinite(y); }) ? 0 : kNone, false};
  }
  const double kept = element, upper = kept + h, lower = kept - h;
  element = upper;
  const Values above = outputs(op, inputs);
  element = lower;
  const Values below = outputs(op, inputs), weights = weights_of(inputs);
  element = kept;
  double sum = 0, moved = 0, rounding = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(above[i]) || !std::isfinite(below[i])) return {kNone, false};
    if (above[i] == below[i]) continue;
    sum += weights[i] * (above[i] - below[i]);
    moved += std::abs(above[i] - below[i]);
    rounding += std::numeric_limits<double>::epsilon() * std::abs(above[i]);
  }
  return {sum / (upper - lower), rounding >= kVisible * moved};
}

double visible_step(const Tensors& inputs) {
  double largest = 0;
  for (const auto& [name, tensor] : inputs) {
    if (tensor.dtype() == DType::i32) continue;
    for (const double value : nn::read_values(tensor)) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
  }
  return kShareOfNumber * largest;
}

// dL/dinput by the fast kernel in f64. Where large numbers round a short step away, a longer one is
// taken.
Tensor central_differences(const Op& op, const Tensors& inputs, const std::string& input) {
  constexpr double kStep = 1e-5;
  const double longer = visible_step(inputs);
  Tensors moved = copies(inputs, DType::f64);
  const Tensor& x = moved.at(input);
  Values numeric;
  for (int64_t i = 0; i < x.numel(); ++i) {
    double& element = x.data<double>()[i];
    const double step = std::max(kStep, kShareOfNumber * std::abs(element));
    Slope slope = central_difference(op, moved, element, step);
    if (slope.is_rounded && longer > step) slope = central_difference(op, moved, element, longer);
    numeric.push_back(slope.value);
  }
  return Tensor::from(numeric, x.shape());
}

// "x [1, 3], gamma [2]; by default: dy [1, 3]"
std::string shapes_of(const Op& op, const Tensors& inputs, const std::map<std::string, std::string>& given) {
  std::vector<std::string> named, examples;
  for (const Input& input : op.inputs) {
    if (!inputs.contains(input.name)) continue;
    (given.contains(input.name) ? named : examples)
        .push_back(fmt::format("{} {}", input.name, inputs.at(input.name).shape().to_string()));
  }
  return fmt::format("{}{}{}{}", fmt::join(named, ", "), named.empty() || examples.empty() ? "" : "; ",
                     examples.empty() ? "" : "by default: ", fmt::join(examples, ", "));
}

// Forward first: its checks tell shapes that do not fit, which are the user's.
Tensors run_fast(const Op& op, const Tensors& inputs, const std::map<std::string, std::string>& given) {
  Tensors fast = copies(inputs, DType::f32);
  try {
    op.forward(fast);
    const Shape& y = fast.at("y").shape();
    if (fast.contains("dy") && !(fast.at("dy").shape() == y)) {
      fail(ErrorKind::failure, "{}: dy must be {}, got {}", op.name, y.to_string(),
           fast.at("dy").shape().to_string());
    }
    for (const auto& [id, formula, results, gradient_of] : op.equations)
      if (gradient_of && !fast.contains(results[0])) fast[results[0]] = like(fast.at(gradient_of));
    op.backward(fast);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::failure) throw;
    const std::string what = error.what();  // begins with the kernel's name
    fail(ErrorKind::usage, "xformer-explain op {}: {} ({})", op.name, what.substr(what.find(": ") + 2),
         shapes_of(op, inputs, given));
  }
  return fast;
}

// no -0
std::string number(double value) { return fmt::format("{:.7g}", value == 0 ? 0.0 : value); }

std::string row_of(const Tensor& tensor, int64_t row) {
  const auto begin = static_cast<size_t>(row * tensor.width()),
             end = begin + static_cast<size_t>(tensor.width());
  std::string text;
  if (tensor.dtype() == DType::i32) {
    for (size_t i = begin; i < end; ++i) text += fmt::format("{:>14}", tensor.data<int32_t>()[i]);
  } else {
    for (size_t i = begin; i < end; ++i) text += fmt::format("{:>14}", number(tensor.data<double>()[i]));
  }
  return text;
}

std::string block(const std::string& name, const Tensor& tensor) {
  std::string text;
  for (int64_t row = 0; row < tensor.rows(); ++row) {
    text += fmt::format("  {:<8}{:<8}{}\n", row == 0 ? name : "", row == 0 ? tensor.shape().to_string() : "",
                        row_of(tensor, row));
  }
  return text;
}

// JSON has no infinite numbers: they are text, "-inf".
nlohmann::ordered_json json_of(const Tensor& tensor) {
  if (tensor.dtype() == DType::i32) return tensor.to_vector<int32_t>();
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const double value : tensor.to_vector<double>()) {
    if (std::isfinite(value)) {
      values.push_back(value);
    } else {
      values.push_back(number(value));
    }
  }
  return values;
}

// Between what was expected and what was found, but for slopes that there are not.
double difference_of_slopes(const Values& numeric, Values gradient) {
  for (size_t i = 0; i < gradient.size(); ++i) {
    if (std::isnan(numeric[i])) gradient[i] = 0;
  }
  Values slopes = numeric;
  std::ranges::replace_if(
      slopes, [](double slope) { return std::isnan(slope); }, 0.0);
  return difference(slopes, gradient);
}

nlohmann::ordered_json json_of(const Equation& equation, const Result& result) {
  nlohmann::ordered_json json = {{"id", equation.id},
                                 {"equation", equation.formula},
                                 {"name", result.name},
                                 {"shape", extents_of(result.value.shape())},
                                 {"value", json_of(result.value)},
                                 {"f32_error", result.f32}};
  if (!result.numeric.defined()) return json;
  json["central_differences"] = json_of(result.numeric);
  json["error"] = result.error;
  return json;
}

}  // namespace

const std::vector<Op>& ops() {
  static const std::vector<Op> all = [] {
    std::vector<Op> list;
    for (const auto& some : {product_ops, element_ops, row_ops}) {
      for (Op& op : some()) list.push_back(std::move(op));
    }
    return list;
  }();
  return all;
}

const Op& find_op(const std::string& name) {
  const auto found = std::ranges::find(ops(), name, &Op::name);
  if (found != ops().end()) return *found;
  std::vector<std::string> names;
  for (const Op& op : ops()) names.emplace_back(op.name);
  fail(ErrorKind::usage, "xformer-explain op: no op is called '{}'{} (one of {})", name,
       did_you_mean(name, names), fmt::join(names, ", "));
}

Explanation explain(const Op& op, const std::map<std::string, std::string>& given) {
  Explanation explanation{&op, read_inputs(op, given), {}};
  const Tensors fast = run_fast(op, explanation.inputs, given);
  Tensors exact = copies(explanation.inputs, DType::f64);
  for (const auto& [name, tensor] : fast)
    if (tensor.defined() && !exact.contains(name)) exact[name] = Tensor::zeros(tensor.shape(), DType::f64);
  op.plain(exact);
  for (const Equation& equation : op.equations) {
    ExplainedEquation explained{&equation, {}};
    for (const char* name : equation.results) {
      Result result{.name = name, .value = exact.at(name), .numeric = {}};
      const Values value = nn::read_values(result.value);
      result.f32 = difference(nn::read_values(fast.at(name)), value);
      if (equation.gradient_of) {
        result.numeric = central_differences(op, explanation.inputs, equation.gradient_of);
        result.error = difference_of_slopes(nn::read_values(result.numeric), value);
      }
      explained.results.push_back(std::move(result));
    }
    explanation.equations.push_back(std::move(explained));
  }
  return explanation;
}

std::string to_text(const Explanation& explanation) {
  const Op& op = *explanation.op;
  std::string text = fmt::format("{}   docs/derivations/{}\n\n", op.name, op.page);
  for (const Input& input : op.inputs) {
    if (explanation.inputs.contains(input.name)) text += block(input.name, explanation.inputs.at(input.name));
  }
  for (const auto& [equation, results] : explanation.equations) {
    text += fmt::format("\n({})  {}\n", equation->id, equation->formula);
    for (const Result& result : results) {
      text += block(result.name, result.value);
      if (result.numeric.defined()) {
        text += block("numeric", result.numeric) +
                fmt::format("{:18}central differences: off by {:.1g}\n", "", result.error);
      }
      text += fmt::format("{:18}the kernel in f32: off by {:.1g}\n", "", result.f32);
    }
  }
  return text;
}

std::string to_json(const Explanation& explanation) {
  const Op& op = *explanation.op;
  nlohmann::ordered_json inputs, equations;
  for (const Input& input : op.inputs) {
    if (!explanation.inputs.contains(input.name)) continue;
    const Tensor& tensor = explanation.inputs.at(input.name);
    inputs[input.name] = {{"shape", extents_of(tensor.shape())}, {"value", json_of(tensor)}};
  }
  for (const auto& [equation, results] : explanation.equations) {
    for (const Result& result : results) equations.push_back(json_of(*equation, result));
  }
  return json_page({{"op", op.name},
                    {"page", fmt::format("docs/derivations/{}", op.page)},
                    {"inputs", inputs},
                    {"equations", equations}});
}

}  // namespace xf::tools::explain
