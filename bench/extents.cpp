#include "bench/extents.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "tools/console/nearest_name.h"

namespace xf::bench {

namespace {

constexpr int64_t kLargest = int64_t{1} << 40;
constexpr size_t kMostShapes = 1000;  // more are a mistake in a step

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

int64_t number_from(const std::string& text, const std::string& part) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > kLargest)
    fail(ErrorKind::usage, "--shape: '{}' in '{}' is no size; sizes are whole numbers from 1", text, part);
  return value;
}

// "1:65536:*2"
std::vector<int64_t> range_from(const std::string& part) {
  const std::vector<std::string> words = split(part, ':');
  const bool steps = words.size() == 3 && (words[2].starts_with('*') || words[2].starts_with('+'));
  if (!steps)
    fail(ErrorKind::usage, "--shape: '{}' is no range; write FROM:TO:*FACTOR or FROM:TO:+STEP", part);
  const int64_t from = number_from(words[0], part), to = number_from(words[1], part);
  const int64_t step = number_from(words[2].substr(1), part);
  const bool multiplies = words[2][0] == '*';
  if (multiplies && step == 1) fail(ErrorKind::usage, "--shape: '{}' would never end", part);
  if (from > to) fail(ErrorKind::usage, "--shape: '{}' ends before it begins", part);
  std::vector<int64_t> sizes;
  for (int64_t size = from; size <= to && sizes.size() <= kMostShapes;
       size = multiplies ? size * step : size + step)
    sizes.push_back(size);
  return sizes;
}

void begin_size(const std::string& name, Sweep& sweep) {
  for (const auto& [other, unused] : sweep.sizes) {
    if (other == name) fail(ErrorKind::usage, "--shape: {0} twice; write {0}=4,5 for several sizes", name);
  }
  sweep.sizes.push_back({name, {}});
}

}  // namespace

int64_t size_of(const Extents& extents, const std::string& name) {
  for (const auto& [key, size] : extents) {
    if (key == name) return size;
  }
  fail(ErrorKind::failure, "extents: there is no {}", name);
}

bool is_sweep(const std::string& text) { return text.find('=') != std::string::npos; }

Sweep sweep_from(const std::string& text) {
  Sweep sweep;
  const size_t space = text.find(' ');
  if (space != std::string::npos) sweep.variant = text.substr(space + 1);
  for (const std::string& part : split(text.substr(0, space), ',')) {
    const size_t equals = part.find('=');
    if (equals != std::string::npos) begin_size(part.substr(0, equals), sweep);
    if (sweep.sizes.empty() || sweep.sizes.back().first.empty())
      fail(ErrorKind::usage, "--shape: '{}' has no name; write NAME=SIZE", part);
    const std::string value = equals == std::string::npos ? part : part.substr(equals + 1);
    std::vector<int64_t>& sizes = sweep.sizes.back().second;
    if (value.find(':') == std::string::npos) {
      sizes.push_back(number_from(value, part));
    } else {
      for (const int64_t size : range_from(value)) sizes.push_back(size);
    }
  }
  return sweep;
}

std::vector<Extents> Sweep::combinations(const std::vector<std::string>& names,
                                         const std::string& what) const {
  for (const auto& [name, unused] : sizes) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    fail(ErrorKind::usage, "--shape: {} has no size {}{}; its sizes are {}", what, name,
         tools::did_you_mean(name, names), fmt::join(names, ", "));
  }
  std::vector<Extents> all{{}};
  for (const std::string& name : names) {
    const auto given =
        std::find_if(sizes.begin(), sizes.end(), [&](const auto& named) { return named.first == name; });
    if (given == sizes.end())
      fail(ErrorKind::usage, "--shape: {} needs {} too; its sizes are {}", what, name,
           fmt::join(names, ", "));
    std::vector<Extents> longer;
    for (const Extents& begun : all) {
      for (const int64_t size : given->second) {
        longer.push_back(begun);
        longer.back().emplace_back(name, size);
      }
    }
    if (longer.size() > kMostShapes)
      fail(ErrorKind::usage, "--shape: more than {} shapes of {}; take larger steps", kMostShapes, what);
    all = std::move(longer);
  }
  return all;
}

}  // namespace xf::bench
