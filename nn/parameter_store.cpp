#include "nn/parameter_store.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/dist/collective.h"

namespace xf::nn {

namespace {

// Parameters start on cache lines.
constexpr int64_t kAlignment = 16;

int64_t padded(int64_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

template <typename T>
void draw(const Init& init, PhiloxSequence& random, const Tensor& tensor) {
  T* p = tensor.data<T>();
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    switch (init.kind) {
      case Init::Kind::zeros: p[i] = 0; break;
      case Init::Kind::ones: p[i] = 1; break;
      case Init::Kind::uniform: p[i] = static_cast<T>((2 * random.uniform() - 1) * init.scale); break;
      case Init::Kind::normal: {
        // Box, Muller 1958; 1 - u keeps the logarithm finite.
        const float radius = std::sqrt(-2 * std::log(1 - random.uniform()));
        p[i] =
            static_cast<T>(init.scale * radius * std::cos(2 * std::numbers::pi_v<float> * random.uniform()));
        break;
      }
    }
  }
}

}  // namespace

Init Init::xavier(int64_t fan_in, int64_t fan_out) {
  return {Kind::uniform, std::sqrt(6.0f / static_cast<float>(fan_in + fan_out))};
}

const Parameter& ParameterStore::add(std::string name, Shape shape, Init init) {
  XF_CHECK(!values_.defined(), "parameter store: {} comes after the parameters were allocated", name);
  XF_CHECK(!names_.contains(name), "parameter store: two parameters are called {}", name);
  parameters_.push_back(
      {.name = std::move(name), .shape = shape, .init = init, .value = {}, .master = {}, .gradient = {}});
  names_.insert(parameters_.back().name);
  return parameters_.back();
}

void ParameterStore::mark_matmul_weight(const Parameter& parameter, int64_t matrices) {
  ours(parameter).is_matmul_weight = true;
  ours(parameter).matrices = matrices;
}

void ParameterStore::mark_embedding_table(const Parameter& parameter) {
  ours(parameter).is_embedding_table = true;
}

void ParameterStore::set_rate(const Parameter& parameter, float rate) {
  XF_CHECK(!values_.defined(), "parameter store: the rate of {} comes after the parameters were allocated",
           parameter.name);
  ours(parameter).rate = rate;
}

Parameter& ParameterStore::ours(const Parameter& parameter) {
  // Mostly the one that was added last.
  const auto found = std::find_if(parameters_.rbegin(), parameters_.rend(),
                                  [&](const Parameter& other) { return &other == &parameter; });
  XF_CHECK(found != parameters_.rend(), "parameter store: {} belongs to another store", parameter.name);
  return *found;
}

void ParameterStore::allocate(Device device, Gradients gradients) {
  allocate(device, gradients, Collective::alone());
}

void ParameterStore::allocate(Device device, Gradients gradients, const Collective& ranks) {
  allocate(device, gradients, ranks, [](const Parameter&) { return true; });
}

void ParameterStore::allocate_quantized() {
  if (dtype_ != DType::f32)
    fail(ErrorKind::usage, "an int8 model is float32 in its other tensors, and this one is {}",
         name_of(dtype_));
  allocate(Device::cpu(), Gradients::no, Collective::alone(),
           [](const Parameter& parameter) { return !parameter.is_quantizable(); });
  for (Parameter& parameter : parameters_) {
    if (!parameter.is_quantizable()) continue;
    parameter.quantized = kernels::quantized_weights(parameter.shape[0], parameter.shape[1]);
  }
}

void ParameterStore::allocate(Device device, Gradients gradients, const Collective& ranks,
                              bool (*chosen)(const Parameter&)) {
  int64_t total = 0;
  for (const Parameter& parameter : parameters_)
    total += chosen(parameter) ? padded(parameter.shape.numel()) : 0;
  const DType exact = accumulator_of(dtype_);
  const bool rounds = dtype_ != exact;
  const bool splits =
      rounds && std::ranges::all_of(parameters_, [](const Parameter& p) { return p.rate > 0; });
  const auto [piece_begin, piece_end] = splits ? ranks.own_piece(total) : Collective::Piece{0, total};
  piece_begin_ = piece_begin;
  masters_ = Tensor::zeros({piece_end - piece_begin}, exact, device);
  values_ = rounds ? Tensor::zeros({total}, dtype_, device) : masters_;
  if (gradients == Gradients::yes) gradients_ = Tensor::zeros({total}, exact, device);
  std::vector<Parameter*> in_order;
  for (Parameter& parameter : parameters_) {
    if (chosen(parameter)) in_order.push_back(&parameter);
  }
  std::ranges::stable_sort(in_order, std::ranges::greater(), [](const Parameter* p) { return p->rate; });
  int64_t begin = 0;
  rate_spans_.clear();
  for (Parameter* parameter : in_order) {
    const int64_t end = begin + padded(parameter->shape.numel());
    const auto part_of = [&](const Tensor& all) {
      return all.slice_rows(begin, begin + parameter->shape.numel()).reshape(parameter->shape);
    };
    parameter->begin = begin;
    parameter->value = part_of(values_);
    if (!keeps_piece()) parameter->master = part_of(masters_);
    if (gradients_.defined()) parameter->gradient = part_of(gradients_);
    if (parameter->rate > 0 && (rate_spans_.empty() || rate_spans_.back().rate != parameter->rate))
      rate_spans_.push_back({begin, begin, parameter->rate});
    if (parameter->rate > 0) rate_spans_.back().end = end;
    begin = end;
  }
}

Tensor ParameterStore::trained(const Tensor& flat) const {
  const int64_t end = rate_spans_.empty() ? 0 : rate_spans_.back().end;
  return !flat.defined() || flat.numel() == end ? flat : flat.slice_rows(0, end);
}

void ParameterStore::initialise(uint64_t seed) {
  uint64_t stream = 0;
  for (Parameter& parameter : parameters_) {
    PhiloxSequence random(seed, stream++);
    const Tensor drawn = Tensor::empty(parameter.shape, masters_.dtype());
    if (drawn.dtype() == DType::f64) {
      draw<double>(parameter.init, random, drawn);
    } else {
      draw<float>(parameter.init, random, drawn);
    }
    set(parameter, drawn);
  }
}

void ParameterStore::round_masters() const {
  if (dtype_ != DType::bf16 || device().type == DeviceType::meta) return;
  values_.slice_rows(piece_begin_, piece_begin_ + masters_.numel()).copy_from(masters_.to_bf16());
}

void ParameterStore::set(const Parameter& parameter, const Tensor& value, int64_t at) const {
  const Tensor flat = value.reshape({value.numel()});
  const int64_t first = parameter.begin + at, last = first + flat.numel();
  if (dtype_ == DType::bf16 && device().type != DeviceType::meta)
    values_.slice_rows(first, last).copy_from(flat.to_bf16());
  const int64_t begin = std::max(first, piece_begin_), end = std::min(last, piece_begin_ + masters_.numel());
  if (begin >= end) return;
  masters_.slice_rows(begin - piece_begin_, end - piece_begin_)
      .copy_from(flat.slice_rows(begin - first, end - first));
}

const Parameter& ParameterStore::find(const std::string& name) const {
  for (const Parameter& parameter : parameters_) {
    if (parameter.name == name) return parameter;
  }
  fail(ErrorKind::failure, "parameter store: no parameter is called {}", name);
}

int64_t ParameterStore::count() const {
  int64_t total = 0;
  for (const Parameter& parameter : parameters_) total += parameter.shape.numel();
  return total;
}

}  // namespace xf::nn
