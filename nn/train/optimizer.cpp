#include "nn/train/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "core/side_stream.h"

namespace xf::nn {

Optimizer::Optimizer(const ParameterStore& store, float clip_norm, int64_t step, Collective& shards)
    : store_(store),
      shards_(shards),
      clip_norm_(clip_norm),
      norm_squared_(Tensor::zeros({1}, DType::f64, store.device())),
      steps_(
          Tensor::zeros({static_cast<int64_t>(store.rate_spans().size()), step}, DType::f32, store.device())),
      step_upload_(store.device(), steps_.bytes()) {}

Tensor Optimizer::own(const Tensor& flat) const {
  const Tensor trained = store_.trained(flat);
  if (shards_.size() == 1 || !flat.defined()) return trained;
  const auto [begin, end] = shards_.own_piece(trained.numel());
  return trained.slice_rows(begin, end);
}

std::vector<Optimizer::Part> Optimizer::parts() const {
  const auto& spans = store_.rate_spans();
  if (spans.empty()) return {};
  const auto [own_begin, own_end] = shards_.own_piece(spans.back().end);
  std::vector<Part> parts;
  for (size_t i = 0; i < spans.size(); ++i) {
    const int64_t begin = std::max(spans[i].begin, own_begin), end = std::min(spans[i].end, own_end);
    const auto row = static_cast<int64_t>(i);
    if (begin < end)
      parts.push_back(
          {begin - own_begin, end - own_begin, steps_.slice_rows(row, row + 1).reshape({steps_.width()})});
  }
  return parts;
}

Tensor Optimizer::own_masters() const {
  return store_.keeps_piece() ? store_.masters() : own(store_.masters());
}

Tensor Optimizer::zero_moment() const {
  return Tensor::zeros(own_masters().shape(), store_.masters().dtype(), store_.device());
}

Tensor Optimizer::whole(const Tensor& piece) const {
  const Tensor trained = store_.trained(store_.gradients());
  if (shards_.size() == 1 || piece.numel() != own(trained).numel()) return piece.to(Device::cpu());
  const Tensor all = Tensor::zeros(trained.shape(), piece.dtype());
  own(all).copy_from(piece);
  shards_.all_gather(all);
  return all;
}

TensorMap Optimizer::whole_state() const {
  TensorMap all;
  for (const auto& [name, moment] : state()) all[name] = whole(moment);
  return all;
}

void Optimizer::measure() {
  const Tensor& gradients = store_.gradients();
  const int64_t trained = store_.trained(gradients).numel();
  if (trained < gradients.numel()) gradients.slice_rows(trained, gradients.numel()).fill_zero();
  kernels::sum_of_squares(own(gradients), norm_squared_);
  shards_.sum(norm_squared_);
}

void Optimizer::bring_together() const {
  if (shards_.size() == 1) return;
  store_.gradients().fill_zero();
  shards_.all_gather(store_.trained(store_.values()));
  if (store_.dtype() == DType::bf16 && !store_.keeps_piece())
    shards_.all_gather(store_.trained(store_.masters()));
}

void Optimizer::send(std::span<const float> step) {
  auto* row = static_cast<float*>(step_upload_.buffer());
  for (const ParameterStore::RateSpan& span : store_.rate_spans()) {
    std::ranges::copy(step, row);
    row[0] *= span.rate;
    row += step.size();
  }
  step_upload_.send(steps_.raw());
}

int64_t Optimizer::bytes() const {
  int64_t total = 0;
  for (const auto& [name, moment] : state()) total += moment.bytes();
  return total;
}

namespace {

// What differs from update to update, as kernels/adam.h has it.
std::array<float, 4> adam_step(const kernels::AdamOptions& options, int64_t update, double learning_rate,
                               int64_t tokens) {
  const auto t = static_cast<double>(update);
  return {static_cast<float>(learning_rate), static_cast<float>(1 - std::pow(double{options.beta1}, t)),
          static_cast<float>(1 - std::pow(double{options.beta2}, t)),
          static_cast<float>(1.0 / static_cast<double>(tokens))};
}

}  // namespace

Adam::Adam(const ParameterStore& store, const kernels::AdamOptions& options, float clip_norm,
           Collective& shards)
    : Optimizer(store, clip_norm, 4, shards), options_(options), m_(zero_moment()), v_(zero_moment()) {}

void Adam::prepare(int64_t update, double learning_rate, int64_t tokens) {
  send(adam_step(options_, update, learning_rate, tokens));
}

void Adam::apply() {
  measure();
  const Tensor p = own_masters(), g = own(store_.gradients()), copy = own(rounded());
  for (const Part& part : parts())
    kernels::adam(options_, part.step, clip_norm_, norm_squared_, part.of(p), part.of(m_), part.of(v_),
                  part.of(g), part.of(copy));
  bring_together();
}

namespace {

// Elements of Muon's workspace: 16 MiB of f32 hold 64 matrices [128, 128] and one [1024, 1024],
// with their products.
constexpr int64_t kMuonWorkspace = 1 << 22;

using MatrixShape = std::pair<int64_t, int64_t>;

// Those that lie in begin..end-1 of the flat arrays.
std::map<MatrixShape, std::vector<int32_t>> matrices_by_shape(const ParameterStore& store, int64_t begin,
                                                              int64_t end) {
  std::map<MatrixShape, std::vector<int32_t>> found;
  for (const Parameter& parameter : store.parameters()) {
    if (parameter.matrices == 0 || parameter.begin < begin || parameter.begin >= end) continue;
    const int64_t rows = parameter.shape[0] / parameter.matrices, columns = parameter.shape[1];
    auto& begins = found[{rows, columns}];
    for (int64_t i = 0; i < parameter.matrices; ++i)
      begins.push_back(static_cast<int32_t>(parameter.begin + i * rows * columns));
  }
  return found;
}

// begin, end of what lies before, between and behind the matrices in begin..end-1.
std::vector<std::pair<int64_t, int64_t>> outside_matrices(const ParameterStore& store, int64_t begin,
                                                          int64_t end) {
  std::map<int64_t, int64_t>
      matrices;  // begin, end; parameters of one rate keep their order, but not those of several
  for (const Parameter& parameter : store.parameters()) {
    if (parameter.matrices > 0 && parameter.begin >= begin && parameter.begin < end)
      matrices[parameter.begin] = parameter.begin + parameter.shape.numel();
  }
  std::vector<std::pair<int64_t, int64_t>> found;
  for (const auto& [matrix_begin, matrix_end] : matrices) {
    if (matrix_begin > begin) found.push_back({begin, matrix_begin});
    begin = matrix_end;
  }
  if (end > begin) found.push_back({begin, end});
  return found;
}

}  // namespace

Muon::Muon(const ParameterStore& store, const MuonAndAdamOptions& options, float clip_norm)
    : Optimizer(store, clip_norm, 4, Collective::alone()),
      options_(options),
      m_(zero_moment()),
      v_(zero_moment()) {
  if (store.masters().numel() > std::numeric_limits<int32_t>::max())
    fail(ErrorKind::usage, "muon: at most 2^31 parameters, got {}", store.masters().numel());
  for (const Part& part : parts()) {
    for (const auto& [shape, begins] : matrices_by_shape(store, part.begin, part.end)) {
      const auto& [rows, columns] = shape;
      const int64_t one = kernels::muon_workspace(rows, columns),
                    all = static_cast<int64_t>(begins.size()) * one;
      matrices_.push_back({{Tensor::from(begins).to(store.device()), rows, columns},
                           part.step,
                           std::max(one, std::min(all, kMuonWorkspace))});
    }
    for (const auto& [begin, end] : outside_matrices(store, part.begin, part.end))
      rest_.push_back({begin, end, part.step});
  }
  if (matrices_.empty())
    fail(ErrorKind::usage, "muon: this model's layers do not say which parameters are matrices; use adam");
  std::ranges::stable_sort(matrices_, std::ranges::greater(), &Matrices::elements);
  for (size_t i = 0; i < std::min(matrices_.size(), workspaces_.size()); ++i)
    workspaces_[i] = Tensor::empty({matrices_[i].elements}, m_.dtype(), store.device());
}

void Muon::prepare(int64_t update, double learning_rate, int64_t tokens) {
  send(adam_step(options_.rest, update, learning_rate, tokens));
}

void Muon::apply_to(const Matrices& matrices, const Tensor& workspace) {
  kernels::muon(options_.matrices, matrices.step, clip_norm_, norm_squared_, matrices.places,
                own(store_.masters()), m_, own(store_.gradients()), own(rounded()), workspace);
}

// Each shape's matrices are too few for a whole GPU: those of the largest share it with the others.
void Muon::apply() {
  const Tensor p = own(store_.masters()), g = own(store_.gradients()), copy = own(rounded());
  measure();
  run_on_side_stream(p.device(), {}, [&] {
    for (size_t i = 1; i < matrices_.size(); ++i) apply_to(matrices_[i], workspaces_[1]);
  });
  apply_to(matrices_.front(), workspaces_[0]);
  for (const Part& part : rest_)
    kernels::adam(options_.rest, part.step, clip_norm_, norm_squared_, part.of(p), part.of(m_), part.of(v_),
                  part.of(g), part.of(copy));
  join_side_stream(p.device());
}

Sgd::Sgd(const ParameterStore& store, const kernels::SgdOptions& options, float clip_norm, Collective& shards)
    : Optimizer(store, clip_norm, 2, shards), options_(options), m_(zero_moment()) {}

void Sgd::prepare(int64_t, double learning_rate, int64_t tokens) {
  send(std::array{static_cast<float>(learning_rate), static_cast<float>(1.0 / static_cast<double>(tokens))});
}

void Sgd::apply() {
  measure();
  const Tensor p = own_masters(), g = own(store_.gradients()), copy = own(rounded());
  for (const Part& part : parts())
    kernels::sgd(options_, part.step, clip_norm_, norm_squared_, part.of(p), part.of(m_), part.of(g),
                 part.of(copy));
  bring_together();
}

std::unique_ptr<Optimizer> make_optimizer(const ParameterStore& store, const OptimizerOptions& options,
                                          float clip_norm, Collective& shards) {
  if (const auto* sgd = std::get_if<kernels::SgdOptions>(&options))
    return std::make_unique<Sgd>(store, *sgd, clip_norm, shards);
  if (const auto* muon = std::get_if<MuonAndAdamOptions>(&options)) {
    if (shards.size() > 1)
      fail(ErrorKind::usage, "shard-optimizer: muon needs whole matrices; leave it out, or use adamw");
    return std::make_unique<Muon>(store, *muon, clip_norm);
  }
  return std::make_unique<Adam>(store, std::get<kernels::AdamOptions>(options), clip_norm, shards);
}

}  // namespace xf::nn
