#include "nn/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

namespace xf::nn {

Optimizer::Optimizer(const Registry& registry, float clip_norm, int64_t step, Collective& shards)
    : registry_(registry),
      shards_(shards),
      clip_norm_(clip_norm),
      norm_squared_(Tensor::zeros({1}, DType::f64, registry.device())),
      step_(Tensor::zeros({step}, DType::f32, registry.device())),
      step_upload_(registry.device(), step_.bytes()) {
  XF_CHECK(
      shards.size() == 1 || registry.dtype() != DType::bf16 || registry.keeps_piece(),
      "optimizer: {} ranks move a piece of the parameters each, and this one's registry keeps all masters",
      shards.size());
}

Tensor Optimizer::own(const Tensor& flat) const {
  if (shards_.size() == 1 || !flat.defined()) return flat;
  const auto [begin, end] = shards_.own_piece(flat.numel());
  return flat.slice_rows(begin, end);
}

Tensor Optimizer::own_masters() const {
  return registry_.keeps_piece() ? registry_.masters() : own(registry_.masters());
}

Tensor Optimizer::zero_moment() const {
  return Tensor::zeros(own_masters().shape(), registry_.masters().dtype(), registry_.device());
}

Tensor Optimizer::whole(const Tensor& piece) const {
  if (piece.numel() == registry_.gradients().numel()) return piece.to(Device::cpu());
  const Tensor all = Tensor::zeros(registry_.gradients().shape(), piece.dtype());
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
  kernels::sum_of_squares(own(registry_.gradients()), norm_squared_);
  shards_.sum(norm_squared_);
}

void Optimizer::bring_together() const {
  if (shards_.size() == 1) return;
  registry_.gradients().fill_zero();
  shards_.all_gather(registry_.values());
}

void Optimizer::send(std::span<const float> step) {
  std::memcpy(step_upload_.buffer(), step.data(), step.size_bytes());
  step_upload_.send(step_.raw());
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

Adam::Adam(const Registry& registry, const kernels::AdamOptions& options, float clip_norm, Collective& shards)
    : Optimizer(registry, clip_norm, 4, shards), options_(options), m_(zero_moment()), v_(zero_moment()) {}

void Adam::prepare(int64_t update, double learning_rate, int64_t tokens) {
  send(adam_step(options_, update, learning_rate, tokens));
}

void Adam::apply() {
  measure();
  kernels::adam(options_, step_, clip_norm_, norm_squared_, own_masters(), m_, v_, own(registry_.gradients()),
                own(rounded()));
  bring_together();
}

namespace {

// Elements of Muon's workspace: 16 MiB of f32 hold 64 matrices [128, 128] and one [1024, 1024], with their products.
constexpr int64_t kMuonWorkspace = 1 << 22;

using MatrixShape = std::pair<int64_t, int64_t>;

std::map<MatrixShape, std::vector<int32_t>> matrices_by_shape(const Registry& registry) {
  if (registry.masters().numel() > std::numeric_limits<int32_t>::max())
    fail(ErrorKind::usage, "muon: at most 2^31 parameters, got {}", registry.masters().numel());
  std::map<MatrixShape, std::vector<int32_t>> found;
  for (const Parameter& parameter : registry.parameters()) {
    if (parameter.matrices == 0) continue;
    const int64_t rows = parameter.shape[0] / parameter.matrices, columns = parameter.shape[1];
    auto& begins = found[{rows, columns}];
    for (int64_t i = 0; i < parameter.matrices; ++i)
      begins.push_back(static_cast<int32_t>(parameter.begin + i * rows * columns));
  }
  if (found.empty())
    fail(ErrorKind::usage, "muon: this model's layers do not say which parameters are matrices; use adam");
  return found;
}

// begin, end of what lies before, between and behind the matrices in the flat arrays.
std::vector<std::pair<int64_t, int64_t>> outside_matrices(const Registry& registry) {
  std::vector<std::pair<int64_t, int64_t>> found;
  int64_t begin = 0;
  const auto end_at = [&](int64_t end) {
    if (end > begin) found.push_back({begin, end});
  };
  for (const Parameter& parameter : registry.parameters()) {
    if (parameter.matrices == 0) continue;
    end_at(parameter.begin);
    begin = parameter.begin + parameter.shape.numel();
  }
  end_at(registry.masters().numel());
  return found;
}

}  // namespace

Muon::Muon(const Registry& registry, const MuonOptions& options, float clip_norm)
    : Optimizer(registry, clip_norm, 4, Collective::alone()),
      options_(options),
      m_(zero_moment()),
      v_(zero_moment()),
      rest_(outside_matrices(registry)) {
  int64_t largest = 0, wanted = 0;
  for (const auto& [shape, begins] : matrices_by_shape(registry)) {
    const auto& [rows, columns] = shape;
    const int64_t one = kernels::muon_workspace(rows, columns);
    largest = std::max(largest, one);
    wanted = std::max(wanted, static_cast<int64_t>(begins.size()) * one);
    matrices_.push_back({Tensor::from(begins).to(registry.device()), rows, columns});
  }
  workspace_ =
      Tensor::empty({std::max(largest, std::min(wanted, kMuonWorkspace))}, m_.dtype(), registry.device());
}

void Muon::prepare(int64_t update, double learning_rate, int64_t tokens) {
  send(adam_step(options_.rest, update, learning_rate, tokens));
}

void Muon::apply() {
  const Tensor &p = registry_.masters(), &g = registry_.gradients(), copy = rounded();
  measure();
  for (const kernels::MatrixPlaces& places : matrices_)
    kernels::muon(options_.matrices, step_, clip_norm_, norm_squared_, places, p, m_, g, copy, workspace_);
  for (const auto& [begin, end] : rest_) {
    kernels::adam(options_.rest, step_, clip_norm_, norm_squared_, p.slice_rows(begin, end),
                  m_.slice_rows(begin, end), v_.slice_rows(begin, end), g.slice_rows(begin, end),
                  copy.defined() ? copy.slice_rows(begin, end) : Tensor());
  }
}

Sgd::Sgd(const Registry& registry, const kernels::SgdOptions& options, float clip_norm, Collective& shards)
    : Optimizer(registry, clip_norm, 2, shards), options_(options), m_(zero_moment()) {}

void Sgd::prepare(int64_t, double learning_rate, int64_t tokens) {
  send(std::array{static_cast<float>(learning_rate), static_cast<float>(1.0 / static_cast<double>(tokens))});
}

void Sgd::apply() {
  measure();
  kernels::sgd(options_, step_, clip_norm_, norm_squared_, own_masters(), m_, own(registry_.gradients()),
               own(rounded()));
  bring_together();
}

std::unique_ptr<Optimizer> make_optimizer(const Registry& registry, const OptimizerOptions& options,
                                          float clip_norm, Collective& shards) {
  if (const auto* sgd = std::get_if<kernels::SgdOptions>(&options))
    return std::make_unique<Sgd>(registry, *sgd, clip_norm, shards);
  if (const auto* muon = std::get_if<MuonOptions>(&options)) {
    if (shards.size() > 1)
      fail(ErrorKind::usage, "shard-optimizer: muon needs whole matrices; leave it out, or use adamw");
    return std::make_unique<Muon>(registry, *muon, clip_norm);
  }
  return std::make_unique<Adam>(registry, std::get<kernels::AdamOptions>(options), clip_norm, shards);
}

}  // namespace xf::nn
