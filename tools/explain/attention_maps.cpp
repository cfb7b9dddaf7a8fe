#include "tools/explain/attention_maps.h"
#include "tools/config/program_options.h"
#include "tools/setup/compute_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/error.h"
#include "core/number_text.h"
#include "core/parallel.h"
#include "nn/evaluation.h"
#include "tools/explain/word_rows.h"
#include "tools/setup/model_config.h"

namespace xf::tools::explain {

namespace {

struct PartOfModel {
  const char *part, *name, *stack, *block;
};
constexpr PartOfModel kParts[] = {
    {"encoder", "encoder self-attention", "encoder", "self_attention"},
    {"self", "decoder self-attention", "decoder", "self_attention"},
    {"cross", "cross-attention", "decoder", "cross_attention"},
};

// The heads of p [1, H, Sq, Sk].
void add_heads(AttentionMaps& maps, const std::string& part, int64_t layer, const Tensor& p,
               const std::vector<std::string>& queries, const std::vector<std::string>& keys) {
  const std::vector<double> values = nn::read_values(p);
  const auto cells = static_cast<int64_t>(queries.size() * keys.size());
  for (int64_t head = 0; head < p.dim(1); ++head) {
    const auto first = values.begin() + head * cells;
    maps.maps.push_back({part, layer, head, {queries, keys, {first, first + cells}}, true, {}});
  }
}

// Empty: all.
std::set<int64_t> numbers(const char* option, const std::string& text) {
  std::set<int64_t> chosen;
  if (text == "all") return chosen;
  for (const std::string& word : split_all(text, ',')) {
    const auto number = number_in<int64_t>(word);
    if (!number || *number < 0)
      fail(ErrorKind::usage, "--{}: '{}' is neither all nor numbers from 0, as 0,2", option, text);
    chosen.insert(*number);
  }
  return chosen;
}

void check_numbers(const char* option, const std::set<int64_t>& chosen, const std::set<int64_t>& there) {
  for (const int64_t number : chosen) {
    if (!there.contains(number))
      fail(ErrorKind::usage, "--{0}: there is no {0} {1}; the last one is {2}", option, number,
           *there.rbegin());
  }
}

double mean(double sum, size_t count) { return count == 0 ? 0 : sum / static_cast<double>(count); }

}  // namespace

AttentionMaps attention_maps(const TracedSentence& sentence) {
  AttentionMaps maps{sentence.source, sentence.target_in, sentence.target_out, sentence.translation, {}};
  for (const auto& [part, name, stack, block] : kParts) {
    const bool encoder = stack == std::string_view("encoder"), cross = part == std::string_view("cross");
    for (int64_t layer = 0;; ++layer) {
      const std::string path = fmt::format("{}.layers.{}.{}", stack, layer, block);
      const auto seen = std::ranges::find_if(sentence.values, [&](const SeenValue& value) {
        return value.block == path && value.symbol == "p";
      });
      if (seen == sentence.values.end()) break;
      add_heads(maps, part, layer, seen->value,
                encoder ? maps.source
                : cross ? maps.target_out
                        : maps.target_in,
                encoder || cross ? maps.source : maps.target_in);
    }
  }
  return maps;
}

std::vector<TitledMatrix> mean_cross_attention(const AttentionMaps& maps) {
  std::vector<TitledMatrix> means;
  std::vector<double> heads;
  for (const AttentionMap& map : maps.maps) {
    if (map.part != "cross") continue;
    if (map.head == 0) {
      means.push_back({fmt::format("layer {}", map.layer), map.matrix});
      heads.push_back(1);
      continue;
    }
    heads.back() += 1;
    std::vector<double>& sums = means.back().matrix.values;
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += map.matrix.values[i];
  }
  for (size_t i = 0; i < means.size(); ++i) {
    for (double& value : means[i].matrix.values) value /= heads[i];
  }
  return means;
}

std::string part_name(const std::string& part) {
  return std::ranges::find(kParts, part, &PartOfModel::part)->name;
}

std::string layer_name(const AttentionMap& map) {
  return fmt::format("{}, layer {}", part_name(map.part), map.layer);
}

namespace {

// "encoder" or "encoder, self, cross"
std::string parts_of(const AttentionMaps& maps) {
  std::vector<std::string> parts;
  for (const AttentionMap& map : maps.maps) {
    if (parts.empty() || parts.back() != map.part) parts.push_back(map.part);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void choose(AttentionMaps& maps, const std::string& part, const std::string& layers,
            const std::string& heads) {
  const std::set<int64_t> of_layers = numbers("layer", layers), of_heads = numbers("head", heads);
  std::set<int64_t> all_layers, all_heads;
  for (AttentionMap& map : maps.maps) {
    if (part == "all" || part == map.part) {
      all_layers.insert(map.layer);
      all_heads.insert(map.head);
    } else {
      map.chosen = false;
    }
    if (!of_layers.empty() && !of_layers.contains(map.layer)) map.chosen = false;
    if (!of_heads.empty() && !of_heads.contains(map.head)) map.chosen = false;
  }
  if (all_layers.empty()) {
    fail(ErrorKind::usage, "--part {}: the model has no such attention; it has {}", part, parts_of(maps));
  }
  check_numbers("layer", of_layers, all_layers);
  check_numbers("head", of_heads, all_heads);
}

void set_focus(AttentionMaps& maps, const std::string& word) {
  bool found = false;
  for (AttentionMap& map : maps.maps) {
    map.focus = word_rows(map.matrix.rows, word);
    map.chosen = map.chosen && !map.focus.empty();
    found = found || map.chosen;
  }
  if (!found) {
    fail(ErrorKind::usage, "--focus: no row for '{}' in the selected maps; {}", word,
         maps.translates() ? fmt::format("the source is {}, the translation {}", fmt::join(maps.source, " "),
                                         fmt::join(maps.target_out, " "))
                           : fmt::format("the text is {}", fmt::join(maps.text(), " ")));
  }
}

AttentionSummary summary_of(const TokenMatrix& matrix) {
  AttentionSummary summary;
  const size_t rows = matrix.rows.size(), columns = matrix.columns.size();
  size_t same = 0, next = 0;
  double highest = 0;
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      const double p = matrix.at(i, j);
      if (p > 0) summary.entropy -= p * std::log(p);
      if (p < 1 && p > highest) {
        highest = p;
        summary.strongest_row = i;
        summary.strongest_column = j;
      }
    }
    summary.first += matrix.at(i, 0);
    summary.last += matrix.at(i, columns - 1);
    if (i < columns) summary.same += matrix.at(i, i), ++same;
    if (i > 0 && i <= columns) summary.previous += matrix.at(i, i - 1);
    if (i + 1 < columns) summary.next += matrix.at(i, i + 1), ++next;
  }
  summary.entropy = mean(summary.entropy, rows);
  summary.first = mean(summary.first, rows);
  summary.last = mean(summary.last, rows);
  summary.same = mean(summary.same, same);
  summary.previous = mean(summary.previous, std::min(rows - 1, columns));
  summary.next = mean(summary.next, next);
  return summary;
}

std::vector<size_t> strongest(const TokenMatrix& matrix, size_t row, size_t count) {
  std::vector<size_t> order(matrix.columns.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t j) { return matrix.at(row, j); });
  order.resize(std::min(order.size(), count));
  return order;
}

namespace {

// Of a translation model a sentence and its translation, of a language model or a classifier a
// text.
TracedSentence traced(const AttentionOptions& options) {
  const std::string given = fmt::format("{}", fmt::join(options.sentence, " "));
  const std::string text =
      given.empty() ? "The animal didn't cross the street because it was too tired" : given;
  const std::string& folder = options.model;
  const nn::ModelType type = read_model_files(folder, DType::f32).model->model->config().type;
  if (type == nn::ModelType::translation) {
    ModelTranslator model(translation_options(folder, options.compute));
    return trace_sentence(model, text, options.target);
  }
  if (!options.target.empty())
    fail(ErrorKind::usage, "--target: {} does not translate; give its text alone", folder);
  const Device device = set_up_device(options.compute);
  set_thread_count(static_cast<int>(options.compute.cpu_threads));
  Arena arena(device);
  return trace_text(*load_model(folder, device, DType::f32), arena, text);
}

}  // namespace

std::string attention(const AttentionOptions& options) {
  options_of(options).require("model");
  AttentionMaps maps = attention_maps(traced(options));
  choose(maps, options.part, options.layer, options.head);
  if (!options.focus.empty()) set_focus(maps, options.focus);
  const std::string& format = options.format;
  if (format == "json") return to_json(maps);
  if (format == "svg") return to_svg(maps);
  return format == "html" ? to_html(maps) : to_text(maps);
}

}  // namespace xf::tools::explain
