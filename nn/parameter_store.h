// What a model is made of, in the order its layers ask for it: named parameters and dropout sites.
//
// All parameters lie in one flat array, their gradients in a second one of the same layout, so that
// the optimiser, the gradient norm and a zeroing are each one pass over memory. Those that learn at
// one rate lie together, and behind all others those that are frozen (nn/train/learning_rates.h),
// which have no moments. Layers keep `const Parameter&`; the tensors behind it are bound by
// allocate(), once the model is complete.
//
// A bf16 model computes in rounded copies (`value`) of f32 masters: an update smaller than 2^-8 of
// a parameter would vanish otherwise. Masters are what is initialised, trained, averaged and saved;
// their gradients are f32 too. Of several ranks each may keep a piece of the masters alone
// (--shard-optimizer). A model that is used and no longer trained may have its matrices in eight
// bits, which is most of it: weights that products read, and tables of embeddings
// (kernels/quantized_linear.h).
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/philox.h"
#include "core/tensor.h"
#include "kernels/quantized_linear.h"

namespace xf {
class Collective;
}

namespace xf::nn {

// How a parameter starts.
struct Init {
  enum class Kind { zeros, ones, uniform, normal } kind = Kind::zeros;
  float scale = 0;  // uniform: the bound; normal: the standard deviation

  static Init zeros() { return {}; }
  static Init ones() { return {Kind::ones, 1}; }
  static Init normal(float deviation) { return {Kind::normal, deviation}; }
  static Init uniform(float bound) { return {Kind::uniform, bound}; }
  // Glorot, Bengio 2010: uniform in +-sqrt(6 / (fan_in + fan_out)). The fans are those of one
  // projection, also inside a fused matrix.
  static Init xavier(int64_t fan_in, int64_t fan_out);
};

struct Parameter {
  std::string name;
  Shape shape;
  Init init;
  // Undefined before allocate(); gradient undefined after allocate(.., Gradients::no); master where
  // a piece of all masters is kept; all three where it is in eight bits.
  Tensor value;                     // what the layers read
  Tensor master;                    // what is trained: the same memory as value, f32 of its own in
                                    // a
                                    // bf16 model
  Tensor gradient;                  // of the master's dtype
  bool is_matmul_weight = false;    // whether products with activations read it, as [out, in]
  bool is_embedding_table = false;  // whether an embedding reads rows of it
  // How many matrices of a hidden layer lie in it, one under the other as those of a fused
  // projection; 0: none, it is a vector, or its rows are pieces'.
  int64_t matrices = 0;
  float rate = 1;                            // times the learning rate; 0: it stays as it is
  int64_t begin = 0;                         // its first element's place in the flat arrays, after
                                             // allocate()
  kernels::QuantizedWeights quantized = {};  // in place of a value, after allocate_quantized()

  // Whether a model in eight bits has it in eight.
  bool is_quantizable() const { return is_matmul_weight || is_embedding_table; }
};

class ParameterStore {
 public:
  explicit ParameterStore(DType dtype = DType::f32) : dtype_(dtype) {}
  ParameterStore(const ParameterStore&) = delete;
  ParameterStore& operator=(const ParameterStore&) = delete;

  const Parameter& add(std::string name, Shape shape, Init init);
  // Products with activations read it; of a hidden layer: as so many matrices.
  void mark_matmul_weight(const Parameter& parameter, int64_t matrices = 0);
  // An embedding reads rows of it.
  void mark_embedding_table(const Parameter& parameter);
  // Before allocate(): it learns at so many times the learning rate.
  void set_rate(const Parameter& parameter, float rate);
  // A number for a place that drops elements; no two places share one.
  uint32_t new_dropout_site() { return sites_++; }

  enum class Gradients { no, yes };
  // Binds every parameter to zeroed memory on the device. Of `ranks` that move a piece of the
  // parameters each, this one keeps its piece of the masters of a bf16 model, unless some
  // parameters are frozen.
  void allocate(Device device, Gradients gradients);
  void allocate(Device device, Gradients gradients, const Collective& ranks);
  // The same on the CPU, without gradients, for a model in eight bits. Error usage where it is not
  // one of f32.
  void allocate_quantized();
  // The initial values: parameter i draws from stream i of the seed, whatever else the model holds.
  void initialise(uint64_t seed);

  const std::deque<Parameter>& parameters() const { return parameters_; }
  const Parameter& find(const std::string& name) const;
  int64_t count() const;  // elements of all parameters, without the flat arrays' padding
  DType dtype() const { return dtype_; }
  Device device() const { return values_.device(); }
  const Tensor& values() const { return values_; }  // [P], flat
  const Tensor& masters() const {
    return masters_;
  }  // [P], flat; or the piece of them that is
     // kept
  bool keeps_piece() const { return masters_.defined() && masters_.numel() < values_.numel(); }
  const Tensor& gradients() const { return gradients_; }  // [P], flat
  // The part of a flat array that is trained: all of it, or what lies before the frozen parameters.
  // Undefined of undefined.
  Tensor trained(const Tensor& flat) const;
  // Parts of it, one after the other, that learn at `rate` times the learning rate each.
  struct RateSpan {
    int64_t begin = 0, end = 0;
    float rate = 1;
  };
  const std::vector<RateSpan>& rate_spans() const { return rate_spans_; }
  // values = masters, rounded to nearest even; after whatever else than the optimiser wrote the
  // masters. Of a piece: its values.
  void round_masters() const;
  // A parameter's master, from its element `at`, becomes `value`, and so do its values, rounded; of
  // a piece, what lies in it.
  void set(const Parameter& parameter, const Tensor& value, int64_t at = 0) const;

 private:
  Parameter& ours(const Parameter& parameter);
  // Memory for those that are chosen, and their places in it.
  void allocate(Device device, Gradients gradients, const Collective& ranks,
                bool (*chosen)(const Parameter&));

  DType dtype_;
  std::deque<Parameter> parameters_;  // stable addresses
  std::unordered_set<std::string_view> names_;
  uint32_t sites_ = 0;
  Tensor values_, masters_, gradients_;
  int64_t piece_begin_ = 0;           // of the masters that are kept
  std::vector<RateSpan> rate_spans_;  // none are of frozen ones
};

}  // namespace xf::nn
