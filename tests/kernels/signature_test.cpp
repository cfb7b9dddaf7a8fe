#include "kernels/signature.h"

#include <functional>
#include <map>
#include <set>

#include "core/error.h"
#include "kernels/activation.h"
#include "kernels/adam.h"
#include "kernels/attention.h"
#include "kernels/cross_entropy.h"
#include "kernels/dropout.h"
#include "kernels/elementwise.h"
#include "kernels/embedding.h"
#include "kernels/gated_activation.h"
#include "kernels/layer_norm.h"
#include "kernels/linear.h"
#include "kernels/matmul.h"
#include "kernels/muon.h"
#include "kernels/quantized_linear.h"
#include "kernels/r_drop.h"
#include "kernels/residual_norm.h"
#include "kernels/rms_norm.h"
#include "kernels/rotary.h"
#include "kernels/sgd.h"
#include "kernels/softmax.h"
#include "kernels/sort.h"
#include "kernels/top_k.h"
#include "tests/support/catch.h"

namespace xf::kernels {
namespace {

using Catch::Contains;
using Tensors = std::vector<Tensor>;

constexpr Activation kRelu = Activation::relu, kGelu = Activation::gelu;
constexpr Accumulate kNo = Accumulate::no;
constexpr int64_t kHeads = 2;

Dropout dropout_of(const Tensor& counter) { return {.counter = counter}; }
AttentionShape shape_for(const Tensor& lse) {
  return {.heads = kHeads, .max_keys = lse.defined() ? kShortKeys + 1 : 0};
}
QuantizedWeights weights_of(const Tensor& quads, int64_t M, int64_t K) {
  return {.quads = quads,
          .scales = Tensor::zeros({16}, DType::f32),
          .offsets = Tensor::zeros({16}, DType::i32),
          .M = M,
          .K = K};
}

// How a function of the table is called with its arguments in their order.
struct Called {
  std::function<void(const Tensors&)> with;
  std::map<std::string_view, int64_t> sizes = {};  // that cannot be any number
  std::set<std::string_view> known = {};           // sizes that the function knows without a tensor
};

const std::map<std::string_view, Called>& calls() {
  static const std::map<std::string_view, Called> all = {
      {"matmul",
       {[](const Tensors& t) { matmul(t[0], Transpose::no, t[1], Transpose::no, kNo, t[2]); },
        {{"Ra", 3}, {"Ca", 4}, {"Rb", 4}, {"Cb", 5}, {"M", 3}, {"N", 5}},
        {"M", "N"}}},
      {"linear_forward", {[](const Tensors& t) { linear_forward(t[0], t[1], t[2], t[3]); }}},
      {"linear_backward_input", {[](const Tensors& t) { linear_backward_input(t[0], t[1], kNo, t[2]); }}},
      {"linear_backward_weight",
       {[](const Tensors& t) { linear_backward_weight(t[0], t[1], kNo, t[2], t[3]); }}},
      {"linear_activation_forward", {[](const Tensors& t) {
         linear_activation_forward(t[0], t[1], t[2], t[4].defined() ? kGelu : kRelu, dropout_of(t[3]), t[4],
                                   t[5]);
       }}},
      {"linear_activation_backward_input", {[](const Tensors& t) {
         linear_activation_backward_input(t[0], t[1], t[2], t[3], kRelu, dropout_of(t[4]), t[5], t[6]);
       }}},
      {"round_weights", {[](const Tensors& t) { round_weights(t[0], t[1], t[2]); }}},
      {"pack_weights",
       {[](const Tensors& t) { pack_weights(t[0], t[1], weights_of(t[2], 3, 4)); },
        {{"M", 3}, {"K", 4}, {"S", 1}, {"Q", kStrip}},
        {"M", "K"}}},
      {"quantized_linear_forward",
       {[](const Tensors& t) {
          const QuantizedWeights w = weights_of(t[1], 3, 4);
          if (t[3].defined()) return quantized_linear_forward(t[0], w, t[2], Relu::no, t[3]);
          quantized_linear_args(t[0], w, t[2], Relu::no, t[3]);
        },
        {{"M", 3}, {"K", 4}, {"S", 1}, {"Q", kStrip}},
        {"M", "K"}}},
      {"bias_activation_forward",
       {[](const Tensors& t) { bias_activation_forward(t[0], t[1], kRelu, dropout_of(t[2]), t[3]); }}},
      {"bias_activation_backward", {[](const Tensors& t) {
         bias_activation_backward(t[0], t[1], t[2], kRelu, dropout_of(t[3]), t[4], t[5]);
       }}},
      {"gated_activation_forward",
       {[](const Tensors& t) { gated_activation_forward(t[0], t[1], kRelu, t[2]); }}},
      {"gated_activation_backward",
       {[](const Tensors& t) { gated_activation_backward(t[0], t[1], t[2], kRelu, t[3], t[4]); }}},
      {"rotary_forward", {[](const Tensors& t) { rotary_forward(t[0], t[1], t[2], t[3]); }, {{"Dh", 4}}}},
      {"rotary_backward", {[](const Tensors& t) { rotary_backward(t[0], t[1], t[2], t[3]); }, {{"Dh", 4}}}},
      {"rotary_table", {[](const Tensors& t) { rotary_table(10000, t[0]); }, {{"Dh", 4}}}},
      {"attention_forward",
       {[](const Tensors& t) {
          attention_forward(t[0], t[1], t[2], t[3], t[4], shape_for(t[7]), dropout_of(t[5]), t[6], t[7]);
        },
        {{"H", kHeads}, {"Hk", 1}},
        {"H"}}},
      {"attention_backward",
       {[](const Tensors& t) {
          attention_backward(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], shape_for(t[5]),
                             dropout_of(t[8]), t[9], t[10], t[11]);
        },
        {{"H", kHeads}, {"Hk", 1}},
        {"H"}}},
      {"attention_weights",
       {[](const Tensors& t) { attention_weights(t[0], t[1], t[2], t[3], shape_for({}), t[4]); },
        {{"H", kHeads}, {"Hk", 1}, {"B+1", 3}, {"B", 2}},
        {"H", "B"}}},
      {"attention_step",
       {[](const Tensors& t) { attention_step(t[0], t[1], t[2], t[3], t[4], kHeads, 1, t[5]); },
        {{"H", kHeads}, {"Hk", 1}},
        {"H"}}},
      {"softmax_forward", {[](const Tensors& t) {
         softmax_forward(t[0], {t[1], false, t[2]}, t[3]);
       }}},
      {"softmax_backward", {[](const Tensors& t) { softmax_backward(t[0], t[1], t[2]); }}},
      {"layer_norm_forward",
       {[](const Tensors& t) { layer_norm_forward(t[0], t[1], t[2], 1, t[3], t[4], t[5]); }}},
      {"layer_norm_backward",
       {[](const Tensors& t) { layer_norm_backward(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7]); }}},
      {"rms_norm_forward", {[](const Tensors& t) { rms_norm_forward(t[0], t[1], 1, t[2], t[3]); }}},
      {"rms_norm_backward",
       {[](const Tensors& t) { rms_norm_backward(t[0], t[1], t[2], t[3], t[4], t[5]); }}},
      {"residual_norm_forward", {[](const Tensors& t) {
         residual_norm_forward(t[0], t[1], dropout_of(t[2]), t[3], t[4], 1, t[5], t[6], t[7], t[8]);
       }}},
      {"residual_norm_backward", {[](const Tensors& t) {
         residual_norm_backward(t[0], t[1], t[2], t[3], t[4], t[5], dropout_of(t[6]), t[7], t[8], t[9],
                                t[10]);
       }}},
      {"embedding_forward",
       {[](const Tensors& t) { embedding_forward(t[0], t[1], t[2], t[3], 1, dropout_of(t[4]), t[5]); }}},
      {"quantized_embedding_forward",
       {[](const Tensors& t) {
          quantized_embedding_forward(t[0], t[1], weights_of(t[2], 3, 4), t[3], 1, t[4]);
        },
        {{"D", 4}, {"S", 1}, {"Q", kStrip}},
        {"D"}}},
      {"embedding_backward",
       {[](const Tensors& t) { embedding_backward(t[0], t[1], t[2], 1, dropout_of(t[3]), t[4]); }}},
      {"sinusoid_positions",
       {[](const Tensors& t) { sinusoid_positions(PositionLayout::split, t[0]); }, {{"D", 4}}}},
      {"cross_entropy", {[](const Tensors& t) { cross_entropy(t[0], t[1], {}, t[2], t[3]); }}},
      {"projection_cross_entropy",
       {[](const Tensors& t) {
          projection_cross_entropy(t[0], t[1], t[2], t[3], {}, t[4], t[5], {t[6], t[7], t[8]}, {t[9], t[10]});
        },
        {{"N", 3}, {"R", 3}, {"V", 5}, {"L", 5}, {"Vp", 5}},
        {"R", "L", "Vp"}}},
      {"r_drop", {[](const Tensors& t) { r_drop(t[0], t[1], t[2], {}, t[3], t[4], t[5]); }}},
      {"log_softmax_top_k",
       {[](const Tensors& t) { log_softmax_top_k(t[0], t[1], Normalise::yes, t[2], t[3]); },
        {{"V", 9}, {"M", 1}, {"K", 2}}}},
      {"projection_top_k",
       {[](const Tensors& t) { projection_top_k(t[0], t[1], t[2], t[3], Normalise::yes, t[4], t[5], t[6]); },
        {{"N", 3}, {"R", 3}, {"V", 9}, {"M", 1}, {"K", 2}},
        {"R"}}},
      {"sum_of_squares", {[](const Tensors& t) { sum_of_squares(t[0], t[1]); }}},
      {"adam", {[](const Tensors& t) { adam({}, t[0], 0, t[1], t[2], t[3], t[4], t[5], t[6]); }}},
      {"sgd", {[](const Tensors& t) { sgd({}, t[0], 0, t[1], t[2], t[3], t[4], t[5]); }}},
      {"muon",
       {[](const Tensors& t) {
          muon({}, t[0], 0, t[1], {t[2], 2, 3}, t[3], t[4], t[5], t[6], t[7]);
        },
        {{"B", 1}, {"P", 6}, {"W", muon_workspace(2, 3)}}}},
      {"dropout", {[](const Tensors& t) { dropout(t[0], dropout_of(t[1]), t[2]); }}},
      {"add_in_place", {[](const Tensors& t) { add_in_place(t[0], t[1]); }}},
      {"add_bias", {[](const Tensors& t) { add_bias(t[0], t[1]); }}},
      {"sum_rows", {[](const Tensors& t) { sum_rows(t[0], t[1]); }}},
      {"scale", {[](const Tensors& t) { scale(t[0], t[1], t[2]); }}},
      {"move_towards", {[](const Tensors& t) { move_towards(t[0], t[1], t[2]); }}},
      {"masked_fill", {[](const Tensors& t) { masked_fill(t[0], t[1], 0, t[2]); }}},
      {"gather_rows", {[](const Tensors& t) { gather_rows(t[0], t[1], t[2]); }}},
      {"copy", {[](const Tensors& t) { copy(t[0], t[1]); }}},
      {"sort", {[](const Tensors& t) { sort(t[0], t[1], t[2]); }}},
  };
  return all;
}

DType type_of(Element element) {
  switch (element) {
    case Element::id: return DType::i32;
    case Element::f64: return DType::f64;
    case Element::bf16: return DType::bf16;
    case Element::i8: return DType::i8;
    default: return DType::f32;
  }
}

// An op of the table with arguments that it takes, and what it says of others.
class Trial {
 public:
  explicit Trial(const Signature& signature) : signature_(signature), called_(calls().at(signature.name())) {
    for (const Argument& argument : signature.arguments())
      good_.push_back(Tensor::zeros(shape_of(argument), type_of(argument.element)));
  }

  Shape shape_of(const Argument& argument) const {
    std::vector<int64_t> lengths;
    for (int axis = 0; axis < argument.rank; ++axis) {
      const Extent& extent = argument.extents[axis];
      lengths.push_back(extent.factor);
      for (const int8_t size : extent.sizes)
        if (size >= 0) lengths.back() *= value_of(size);
    }
    return Shape::of(lengths);
  }
  void run(const Tensors& tensors) const { called_.with(tensors); }
  const Tensors& good() const { return good_; }

  // What it says with another tensor in the place of one; "" where it takes that.
  std::string told(size_t i, const Tensor& other) const {
    Tensors tensors = good_;
    tensors[i] = other;
    try {
      called_.with(tensors);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  // Whether every size of the extent is one that comes before the argument, or after it.
  bool comes_before(size_t i, const Extent& extent) const {
    for (const int8_t size : extent.sizes)
      if (size >= 0 && !called_.known.contains(signature_.sizes()[size]) && !mentioned(size, 0, i))
        return false;
    return true;
  }
  bool comes_after(size_t i, const Extent& extent) const {
    for (const int8_t size : extent.sizes)
      if (size >= 0 && mentioned(size, i + 1, signature_.arguments().size())) return true;
    return false;
  }

 private:
  int64_t value_of(int8_t size) const {
    const auto found = called_.sizes.find(signature_.sizes()[size]);
    return found == called_.sizes.end() ? 3 + size : found->second;
  }
  bool mentioned(int8_t size, size_t begin, size_t end) const {
    for (size_t i = begin; i < end; ++i)
      for (const Extent& extent : signature_.arguments()[i].extents)
        if (std::ranges::count(extent.sizes, size) > 0) return true;
    return false;
  }
  const Signature& signature_;
  const Called& called_;
  Tensors good_;
};

// Runs body(signature, trial, i) for each argument of each op.
template <typename Body>
void for_each_argument(const Body& body) {
  for (const Signature& signature : kSignatures) {
    const Trial trial(signature);
    for (size_t i = 0; i < signature.arguments().size(); ++i) {
      INFO(signature.name() << ": " << signature.arguments()[i].name);
      body(signature, trial, i);
    }
  }
}
std::string about(const Signature& signature, const Argument& argument) {
  return std::string(signature.op()) + ": " + std::string(argument.name) + " ";
}

TEST_CASE("Signature: every op takes what its line says, rows apart where it says so, optional ones or none",
          "[unit]") {
  CHECK(calls().size() == std::size(kSignatures));
  for (const Signature& signature : kSignatures) {
    INFO(signature.name());
    REQUIRE(calls().contains(signature.name()));
    const Trial trial(signature);
    CHECK_NOTHROW(trial.run(trial.good()));
    Tensors apart = trial.good(), fewer = trial.good();
    for (size_t i = 0; i < apart.size(); ++i) {
      const Argument& argument = signature.arguments()[i];
      const int64_t rows = apart[i].rows(), width = apart[i].width();
      if (argument.strided && argument.rank == 2)
        apart[i] = Tensor::zeros({rows, width + 8}, apart[i].dtype()).slice_columns(0, width);
      if (argument.optional) fewer[i] = Tensor();
    }
    CHECK_NOTHROW(trial.run(apart));
    CHECK_NOTHROW(trial.run(fewer));
  }
}

TEST_CASE("Signature: every op refuses an argument of another shape, and names it", "[unit]") {
  for_each_argument([](const Signature& signature, const Trial& trial, size_t i) {
    const Argument& argument = signature.arguments()[i];
    for (int axis = 0; axis < argument.rank; ++axis) {
      Shape longer = trial.shape_of(argument);
      longer.set(axis, longer[axis] + 1);
      const std::string told = trial.told(i, Tensor::zeros(longer, trial.good()[i].dtype()));
      INFO(axis);
      if (argument.like >= 0 || trial.comes_before(i, argument.extents[axis])) {
        CHECK_THAT(told, Catch::StartsWith(about(signature, argument) + "must be [") || Contains("heads"));
      } else if (trial.comes_after(i, argument.extents[axis])) {
        CHECK_FALSE(told.empty());
      }
    }
  });
}

TEST_CASE("Signature: every op refuses an argument of another type, and names it", "[unit]") {
  for_each_argument([](const Signature& signature, const Trial& trial, size_t i) {
    const std::span<const Argument> all = signature.arguments();
    const DType type = trial.good()[i].dtype(), other = type == DType::f32 ? DType::f64 : DType::f32;
    const std::string told = trial.told(i, Tensor::zeros(trial.good()[i].shape(), other));
    const auto follows_type = [](const Argument& a) {
      return a.element == Element::value || a.element == Element::sum || a.element == Element::value_or_sum;
    };
    const auto first = std::ranges::find(all, Element::value, &Argument::element);
    if (&all[i] != std::to_address(first)) {
      CHECK_THAT(told, Catch::StartsWith(about(signature, all[i]) + "must be ") && Contains(", got "));
    } else if (std::ranges::count_if(all, follows_type) > 1) {  // the others have to be as this one
                                                                // is
      CHECK_FALSE(told.empty());
    }
  });
}

TEST_CASE("Signature: every op refuses an argument on another device, and names it", "[unit]") {
  for_each_argument([](const Signature& signature, const Trial& trial, size_t i) {
    const Tensor& here = trial.good()[i];
    const std::string told = trial.told(i, Tensor::empty(here.shape(), here.dtype(), Device::meta()));
    if (i > 0) {
      CHECK_THAT(told, Catch::StartsWith(about(signature, signature.arguments()[i]) + "must be on cpu, as "));
    } else if (trial.good().size() > 1) {
      CHECK_THAT(told, Contains("must be on meta, as "));
    }
  });
}

TEST_CASE("Signature: every op refuses rows that lie apart where its line does not allow it, and names them",
          "[unit]") {
  for_each_argument([](const Signature& signature, const Trial& trial, size_t i) {
    const Tensor& good = trial.good()[i];
    if (signature.arguments()[i].strided || good.rank() != 2 || good.rows() == 1) return;
    const Tensor apart =
        Tensor::zeros({good.rows(), good.width() + 1}, good.dtype()).slice_columns(0, good.width());
    CHECK_THAT(trial.told(i, apart),
               Catch::StartsWith(about(signature, signature.arguments()[i]) + "must be contiguous"));
  });
}

TEST_CASE("Signature: every op refuses to go without an argument that is not optional", "[unit]") {
  for_each_argument([](const Signature& signature, const Trial& trial, size_t i) {
    if (!signature.arguments()[i].optional) CHECK_FALSE(trial.told(i, Tensor()).empty());
  });
}

TEST_CASE("Signature: messages say what an argument must be, and why", "[unit]") {
  const Trial norm(signature_of("layer_norm_forward"));
  CHECK(norm.told(1, Tensor::zeros({3}, DType::f32)) == "layer_norm: gamma must be [4], got [3]");
  CHECK(norm.told(3, Tensor::zeros({3, 8}, DType::f32)) == "layer_norm: y must be [3, 4], got [3, 8]");
  CHECK(norm.told(1, Tensor::zeros({4}, DType::f64)) == "layer_norm: gamma must be f32, as x is, got f64");
  CHECK(norm.told(4, Tensor::zeros({3}, DType::f64)) == "layer_norm: mean must be f32, got f64");
  CHECK(norm.told(1, Tensor::empty({4}, DType::f32, Device::meta())) ==
        "layer_norm: gamma must be on cpu, as x is, got meta");
  CHECK(norm.told(0, Tensor::zeros({3, 8}, DType::f32).slice_columns(0, 4)) ==
        "layer_norm: x must be contiguous, got rows 8 apart of width 4");
  CHECK(norm.told(1, Tensor()) == "layer_norm: gamma is missing");
  CHECK(Trial(signature_of("softmax_forward")).told(0, Tensor::zeros({3, 4}, DType::f32)) ==
        "softmax: s must be [B, H, Sq, Sk], got [3, 4]");
  CHECK(Trial(signature_of("embedding_forward")).told(3, Tensor::zeros({7, 6}, DType::f32)) ==
        "embedding: position_table must be [7, 5], got [7, 6]");
  const auto bf16 = [](Shape shape) { return Tensor::zeros(shape, DType::bf16); };
  CHECK_THROWS_WITH(rms_norm_forward(bf16({2, 4}), bf16({4}), 1, bf16({2, 4}), bf16({2})),
                    "rms_norm: rstd must be f32, got bf16");
  const Tensor x = Tensor::zeros({2, 4}, DType::f32);
  CHECK_THROWS_WITH(check_arguments(signature_of("copy"), {&x}),
                    Contains("copy: its line") && Contains("2 arguments, got 1"));
}

TEST_CASE("Signature: sums may stand before what they are sums of", "[unit]") {
  static constexpr Signature kLine{"foo_backward", "sum dy [N], x [N, D] -> dx [N, D]"};
  const auto zeros = [](Shape shape, DType type) { return Tensor::zeros(shape, type); };
  const Tensor dy = zeros({2}, DType::f32), x = zeros({2, 3}, DType::bf16), wide = zeros({2, 3}, DType::f64);
  CHECK_NOTHROW(check_arguments(kLine, {&dy, &x, &x}));
  CHECK_THROWS_WITH(check_arguments(kLine, {&dy, &wide, &wide}), "foo_backward: dy must be f64, got f32");
}

TEST_CASE("Signature: a line is read as it is written", "[unit]") {
  static constexpr Signature kLine{
      "foo_forward", "x [N, 2 D] strided, id rows [M] flat optional -> y [N, 2 D], sum norm [3] accumulated"};
  CHECK(kLine.op() == "foo");
  CHECK(std::vector(kLine.sizes().begin(), kLine.sizes().end()) ==
        std::vector<std::string_view>{"N", "D", "M"});
  const auto [x, rows, y, norm] =
      std::array{kLine.arguments()[0], kLine.arguments()[1], kLine.arguments()[2], kLine.arguments()[3]};
  CHECK((x.name == "x" && x.shape == "N, 2 D" && x.use == Use::read && x.element == Element::value &&
         x.strided));
  CHECK((x.rank == 2 && x.extents[1].factor == 2 && x.extents[1].sizes == std::array<int8_t, 2>{1, -1}));
  CHECK((rows.element == Element::id && rows.flat && rows.optional && !rows.strided && rows.like == -1));
  CHECK((y.use == Use::written && y.like == 0));
  CHECK((norm.element == Element::sum && norm.use == Use::accumulated && norm.extents[0].factor == 3));
}

}  // namespace
}  // namespace xf::kernels
