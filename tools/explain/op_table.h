// What the tables of explained ops share (tools/explain/op.h).
#pragma once

#include <numeric>

#include "core/error.h"
#include "tools/explain/op.h"

namespace xf::tools::explain {

// Products and what looks things up: matmul, linear, attention, embedding.
std::vector<Op> product_ops();
// What works element by element: non-linearities, gates, dropout, rotary positions.
std::vector<Op> element_ops();
// What works row by row: softmax, norms, loss, choice; and optimisers.
std::vector<Op> row_ops();

// A rule on inputs that a kernel tells in words of its own, in the user's: "rotary: x must ...".
inline void demand(bool holds, const char* rule) {
  if (!holds) fail(ErrorKind::failure, "{}", rule);
}
// Optimisers have a gradient of x instead of one from above.
inline void demand_gradient_of_x(Tensors& t) {
  if (t["dy"].shape() == t["x"].shape()) return;
  fail(ErrorKind::failure, "optimiser: dy must be {}, as x is, got {}", t["x"].shape().to_string(),
       t["dy"].shape().to_string());
}

inline double* at(Tensors& t, const char* name) { return t.at(name).data<double>(); }
inline int32_t* ids(Tensors& t, const char* name) { return t.at(name).data<int32_t>(); }
// Input "causal", 0 or 1, if it is given.
inline bool is_causal(Tensors& t) {
  if (!t.contains("causal")) return false;
  demand(t["causal"].numel() == 1 && ids(t, "causal")[0] <= 1, "op: causal must be 0 or 1");
  return ids(t, "causal")[0] == 1;
}
// Input `name`, the numbers of rows of consecutive sentences; all of them one sentence if it is not
// given.
inline std::vector<int32_t> sentences(Tensors& t, const char* name, int64_t rows) {
  if (!t.contains(name)) return {static_cast<int32_t>(rows)};
  const std::vector<int32_t> lengths = t[name].to_vector<int32_t>();
  if (std::accumulate(lengths.begin(), lengths.end(), int64_t{0}) != rows)
    fail(ErrorKind::failure, "op: {} must add up to {}, the number of rows", name, rows);
  return lengths;
}
// Input "mask", ones and zeros for `rows` of keys, or for all of them alike; undefined if it is not
// given.
inline Tensor mask_of(Tensors& t, int64_t rows, int64_t keys) {
  if (!t.contains("mask")) return {};
  std::vector<int32_t> mask = t["mask"].to_vector<int32_t>();
  const auto all = static_cast<size_t>(rows * keys), row = static_cast<size_t>(keys);
  demand(mask.size() == all || mask.size() == row,
         "op: mask must have a number for each key, of each row or of all alike");
  while (mask.size() < all) mask.insert(mask.end(), mask.begin(), mask.begin() + static_cast<int64_t>(row));
  for (const int32_t attends : mask) demand(attends <= 1, "op: mask must be of 0 and 1");
  return Tensor::from(mask, {1, rows, keys});
}

inline Tensor like(const Tensor& x) { return Tensor::zeros(x.shape(), x.dtype()); }
inline Tensor zeros(Tensors& t, Shape shape) { return Tensor::zeros(shape, t.at("x").dtype()); }
// Dropout's factors where nothing is dropped.
inline Tensor ones(Shape shape) {
  return Tensor::from(std::vector<double>(static_cast<size_t>(shape.numel()), 1.0), shape);
}

}  // namespace xf::tools::explain
