// oneDNN's primitives in place of ours: its matmul with bias, its softmax and its layer
// normalisation.
#include "bench/ops/ops.h"
#include "bench/peers.h"
#include "kernels/cpu/onednn.h"

namespace xf::bench {

namespace {

using dnnl::memory;
namespace onednn = kernels::onednn;

// Created once: the primitive, its memory, and the tensors that own it.
struct Primitive {
  dnnl::primitive primitive;
  std::unordered_map<int, memory> arguments;
  std::vector<Tensor> tensors;

  void run() const {
    static dnnl::stream stream(engine());
    primitive.execute(stream, arguments);
    stream.wait();
  }
  static dnnl::engine& engine() {
    static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    return cpu;
  }
  // A tensor as an argument, in the layout of `description`.
  void add(int name, const memory::desc& description, const Tensor& tensor) {
    arguments.insert({name, memory(description, engine(), tensor.raw())});
    tensors.push_back(tensor);
  }
};

Call call_of(const Primitive& primitive) {
  return {[primitive] { primitive.run(); }, {}, {}};
}

// Row-major [rows, columns]; or its transpose, read as [rows, columns].
memory::desc matrix(int64_t rows, int64_t columns, bool transposed = false) {
  return {
      {rows, columns}, memory::data_type::f32, transposed ? memory::dims{1, rows} : memory::dims{columns, 1}};
}

Call product_call(Inputs& in, int64_t M, int64_t N, int64_t K, bool transpose_a, bool transpose_b,
                  bool bias) {
  const auto a = matrix(M, K, transpose_a), b = matrix(K, N, transpose_b), c = matrix(M, N),
             row = matrix(1, N);
  const auto description = bias ? onednn::describe<dnnl::matmul>(Primitive::engine(), {}, a, b, row, c)
                                : onednn::describe<dnnl::matmul>(Primitive::engine(), {}, a, b, c);
  Primitive p{dnnl::matmul(description), {}, {}};
  p.add(DNNL_ARG_SRC, a, in.random({M, K}));
  p.add(DNNL_ARG_WEIGHTS, b, in.random({K, N}));
  p.add(DNNL_ARG_DST, c, in.random({M, N}));
  if (bias) p.add(DNNL_ARG_BIAS, row, in.random({N}));
  return call_of(p);
}

Call softmax_call(Inputs& in, int64_t rows, int64_t width) {
  const auto values = matrix(rows, width);
  const auto description =
      onednn::describe<onednn::SoftmaxForward>(Primitive::engine(), {}, dnnl::prop_kind::forward_inference,
                                               dnnl::algorithm::softmax_accurate, values, values, 1);
  Primitive p{onednn::SoftmaxForward(description), {}, {}};
  p.add(DNNL_ARG_SRC, values, in.random({rows, width}));
  p.add(DNNL_ARG_DST, values, in.random({rows, width}));
  return call_of(p);
}

Call layer_norm_call(Inputs& in, int64_t N, int64_t D) {
  const auto values = matrix(N, D);
  const memory::desc column({N}, memory::data_type::f32, memory::dims{1}),
      row({D}, memory::data_type::f32, memory::dims{1});
  const auto description = onednn::describe_layer_norm(
      Primitive::engine(), dnnl::prop_kind::forward_training, values, column, kEps,
      dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift);
  Primitive p{onednn::LayerNormForward(description), {}, {}};
  p.add(DNNL_ARG_SRC, values, in.random({N, D}));
  p.add(DNNL_ARG_DST, values, in.random({N, D}));
  p.add(DNNL_ARG_MEAN, column, in.random({N}));
  p.add(DNNL_ARG_VARIANCE, column, in.random({N}));
  p.add(DNNL_ARG_SCALE, row, in.random({D}));
  p.add(DNNL_ARG_SHIFT, row, in.random({D}));
  return call_of(p);
}

}  // namespace

Case onednn_case(const Case& c) {
  Case theirs = c;
  theirs.make = nullptr;
  if (c.target.device.type != DeviceType::cpu || c.target.dtype != DType::f32) return theirs;
  const std::vector<int64_t> d = c.dims;
  if (c.fn == "matmul") {
    const bool a = c.variant == "TN", b = c.variant == "NT";
    theirs.make = [=](Inputs& in) { return product_call(in, d[0], d[1], d[2], a, b, false); };
  } else if (c.fn == "linear_forward") {
    theirs.make = [=](Inputs& in) { return product_call(in, d[0], d[2], d[1], false, true, true); };
  } else if (c.fn == "linear_backward_input") {
    theirs.make = [=](Inputs& in) { return product_call(in, d[0], d[1], d[2], false, false, false); };
  } else if (c.fn == "softmax_forward" && c.variant.empty()) {
    theirs.make = [=](Inputs& in) { return softmax_call(in, d[0] * d[1] * d[2], d[3]); };
  } else if (c.fn == "layer_norm_forward") {
    theirs.make = [=](Inputs& in) { return layer_norm_call(in, d[0], d[1]); };
  }
  return theirs;
}

}  // namespace xf::bench
