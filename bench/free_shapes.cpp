#include "bench/free_shapes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "bench/catalogue.h"
#include "bench/model_sizes.h"
#include "bench/ops/ops.h"
#include "core/error.h"

namespace xf::bench {

namespace {

using Sizes = std::vector<int64_t>;

struct FreeShape {
  std::vector<std::string> names;
  std::vector<std::string> rows;  // of them those that only repeat the work
  void (*at)(const Scope&, const Extents&, std::vector<Case>& rows);
  std::vector<Sizes> (*of_model)(const ModelSizes&);
};

// [N, D] of a norm.
std::vector<Sizes> tokens_by_width(const ModelSizes& m) { return {{m.tokens(), m.dim}}; }
std::vector<Sizes> tokens_by_feed_forward(const ModelSizes& m) { return {{m.tokens(), m.feed_forward}}; }
// The projections to q, k, v and back, and both of the feed-forward layer: N, K, M.
std::vector<Sizes> projections(const ModelSizes& m) {
  const int64_t T = m.tokens(), queries = m.heads * m.head_dim, keys = m.key_heads * m.head_dim;
  return {{T, m.dim, queries + 2 * keys},
          {T, queries, m.dim},
          {T, m.dim, m.feed_forward},
          {T, m.feed_forward, m.dim}};
}

const std::vector<FreeShape>& free_shapes() {
  static const std::vector<FreeShape> all = {
      {{"M", "N", "K"},
       {"M"},
       matmul_at,
       [](const ModelSizes& m) {
         return std::vector<Sizes>{{m.tokens(), m.feed_forward, m.dim}};
       }},
      {{"N", "K", "M"}, {"N"}, linear_at, projections},
      {{"N", "F"}, {"N"}, activation_at, tokens_by_feed_forward},
      {{"N", "F"}, {"N"}, gated_activation_at, tokens_by_feed_forward},
      {{"B", "S", "H", "Dh"},
       {"B", "S"},
       attention_at,
       [](const ModelSizes& m) {
         return std::vector<Sizes>{{m.sentences, m.length, m.heads, m.head_dim}};
       }},
      {{"B", "S", "Hk", "G", "Dh"},
       {"B", "S"},
       grouped_attention_at,
       [](const ModelSizes& m) {
         return std::vector<Sizes>{{m.sentences, m.length, m.key_heads, m.heads / m.key_heads, m.head_dim}};
       }},
      {{"B", "S", "H", "P"},
       {"B", "S"},
       rotary_at,
       [](const ModelSizes& m) {
         return std::vector<Sizes>{{m.sentences, m.length, m.heads, m.head_dim / 2},
                                   {m.sentences, m.length, m.key_heads, m.head_dim / 2}};
       }},  // of queries, of keys
      {{"N", "D"},
       {"N"},
       softmax_at,
       [](const ModelSizes& m) {
         return std::vector<Sizes>{{m.tokens(), m.length}};
       }},  // of one head
      {{"N", "D"}, {"N"}, layer_norm_at, tokens_by_width},
      {{"N", "D"}, {"N"}, rms_norm_at, tokens_by_width},
      {{"N", "V"},
       {"N"},
       cross_entropy_at,
       [](const ModelSizes& m) {
         constexpr int64_t kChunk = 512;  // of rows whose logits exist at a time
                                          // (kernels/cross_entropy.h)
         return std::vector<Sizes>{{std::min(m.tokens(), kChunk), m.vocabulary}};
       }},
      {{"P"}, {}, adam_at, [](const ModelSizes& m) {
         return std::vector<Sizes>{{2 * m.dim * m.feed_forward}};  // of a feed-forward layer
       }}};
  return all;
}

Extents named(const std::vector<std::string>& names, const Sizes& sizes) {
  Extents extents;
  for (size_t i = 0; i < names.size(); ++i) extents.emplace_back(names[i], sizes[i]);
  return extents;
}

std::vector<Case> cases_at(const FreeShape& shape, const Scope& scope, const Extents& extents) {
  std::vector<Case> cases;
  shape.at(scope, extents, cases);
  for (Case& c : cases) c.extents = extents;
  return cases;
}

std::vector<std::string> functions_of(const FreeShape& shape) {
  std::vector<std::string> names;
  const Scope scope = scope_of("tiny", {Device::cpu(), DType::f32});
  for (const Case& c : cases_at(shape, scope, named(shape.names, Sizes(shape.names.size(), 1)))) {
    if (std::find(names.begin(), names.end(), c.fn) == names.end()) names.push_back(c.fn);
  }
  return names;
}

// All ones, and sizes below and above what a register, a warp or a block holds, each in each place.
std::vector<Extents> odd_extents(const FreeShape& shape) {
  const Sizes odd = {1, 7, 33, 127, 130};
  std::vector<Extents> all{named(shape.names, Sizes(shape.names.size(), 1))};
  for (size_t first = 0; first < odd.size(); ++first) {
    Sizes sizes;
    for (size_t i = 0; i < shape.names.size(); ++i) sizes.push_back(odd[(first + i) % odd.size()]);
    all.push_back(named(shape.names, sizes));
  }
  return all;
}

std::vector<Extents> extents_of(const FreeShape& shape, const Scope& scope) {
  if (scope.odd()) return odd_extents(shape);
  std::vector<Extents> all;
  for (const Sizes& sizes : shape.of_model(model_sizes(scope.preset)))
    all.push_back(named(shape.names, sizes));
  return all;
}

// The shapes of which a function is chosen, each with what to call it in a message.
std::vector<std::pair<const FreeShape*, std::string>> chosen_shapes(const std::string& pattern) {
  std::vector<std::pair<const FreeShape*, std::string>> chosen_ones;
  std::vector<std::string> all;
  for (const FreeShape& shape : free_shapes()) {
    const std::vector<std::string> names = functions_of(shape);
    all.insert(all.end(), names.begin(), names.end());
    const auto first = std::find_if(names.begin(), names.end(),
                                    [&](const std::string& name) { return chosen(pattern, name); });
    if (first != names.end()) chosen_ones.emplace_back(&shape, *first);
  }
  check_pattern(pattern, function_names(), "--fn");
  if (chosen_ones.empty())
    fail(ErrorKind::usage, "--fn {}: its shapes are not free to choose; those of these are: {}", pattern,
         fmt::join(all, ", "));
  return chosen_ones;
}

bool has_words(const std::string& variant, const std::string& words) {
  return words.empty() || (" " + variant + " ").find(" " + words + " ") != std::string::npos;
}

const FreeShape& shape_of(const std::string& fn) {
  for (const FreeShape& shape : free_shapes()) {
    const std::vector<std::string> names = functions_of(shape);
    if (std::find(names.begin(), names.end(), fn) != names.end()) return shape;
  }
  fail(ErrorKind::failure, "{} has no free shapes", fn);
}

}  // namespace

std::vector<std::string> free_functions() {
  std::vector<std::string> all;
  for (const FreeShape& shape : free_shapes()) {
    for (const std::string& name : functions_of(shape)) all.push_back(name);
  }
  return all;
}

const std::vector<std::string>& sizes_of(const std::string& fn) { return shape_of(fn).names; }

std::vector<Case> free_cases(const Scope& scope, const std::string& pattern, const Sweep& sweep) {
  std::vector<Case> cases;
  std::vector<std::string> variants;
  for (const auto& [shape, what] : chosen_shapes(pattern)) {
    for (const Extents& extents : sweep.combinations(shape->names, what)) {
      for (Case& c : cases_at(*shape, scope, extents)) {
        if (!chosen(pattern, c.fn)) continue;
        variants.push_back(c.variant);
        if (has_words(c.variant, sweep.variant)) cases.push_back(std::move(c));
      }
    }
  }
  if (cases.empty())
    fail(ErrorKind::usage, "--shape: no row of {} is a '{}'; there are: {}", pattern, sweep.variant,
         fmt::join(std::set<std::string>(variants.begin(), variants.end()), ", "));
  return cases;
}

std::vector<Case> free_cases(const Scope& scope, const std::string& pattern) {
  std::vector<Case> cases;
  for (const auto& [shape, unused] : chosen_shapes(pattern)) {
    for (const Extents& extents : extents_of(*shape, scope)) {
      for (Case& c : cases_at(*shape, scope, extents)) {
        if (chosen(pattern, c.fn)) cases.push_back(std::move(c));
      }
    }
  }
  return cases;
}

Case with_fewer_rows(const Scope& scope, const Case& c) {
  constexpr int64_t kRows = 130;  // past a block of them
  const FreeShape& shape = shape_of(c.fn);
  Extents fewer = c.extents;
  for (auto& [name, size] : fewer) {
    if (std::find(shape.rows.begin(), shape.rows.end(), name) != shape.rows.end())
      size = std::min(size, kRows);
  }
  for (Case& smaller : cases_at(shape, scope, fewer)) {
    if (smaller.fn == c.fn && smaller.variant == c.variant) return smaller;
  }
  fail(ErrorKind::failure, "{} {} has no smaller shape", c.fn, c.shape());
}

}  // namespace xf::bench
