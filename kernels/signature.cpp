#include "kernels/signature.h"

namespace xf::kernels {

namespace {

constexpr int64_t kUnknown = -1;

// One call: the sizes and the type that the arguments so far have given, which the next ones must
// keep to.
class Call {
 public:
  Call(const Signature& signature, const Tensor* const* tensors, std::initializer_list<KnownSize> known)
      : signature_(signature), tensors_(tensors) {
    sizes_.fill(kUnknown);
    for (const auto& [name, value] : known) {
      for (size_t i = 0; i < signature.sizes().size(); ++i) {
        if (signature.sizes()[i] == name) sizes_[i] = value;
      }
    }
    find_value_type();
  }

  void check(size_t i) {
    const Argument& argument = signature_.arguments()[i];
    if (!tensors_[i] || (argument.optional && !tensors_[i]->defined())) return;
    const Tensor& tensor = *tensors_[i];
    if (!tensor.defined()) fail("{}: {} is missing", signature_.op(), argument.name);
    if (!has_shape(argument, tensor)) refuse_shape(argument, tensor);
    check_type(argument, tensor);
    if (!argument.strided && !tensor.contiguous())
      fail("{}: {} must be contiguous, got rows {} apart of width {}", signature_.op(), argument.name,
           tensor.row_stride(), tensor.width());
    check_device(argument, tensor);
  }

 private:
  template <typename... Args>
  [[noreturn]] static void fail(fmt::format_string<Args...> format, Args&&... args) {
    xf::fail(ErrorKind::failure, format, std::forward<Args>(args)...);
  }

  // The type that the op computes in is that of the first argument that has it, wherever it stands.
  void find_value_type() {
    for (size_t i = 0; i < signature_.arguments().size(); ++i) {
      const Argument& argument = signature_.arguments()[i];
      if (argument.element != Element::value || !tensors_[i] || !tensors_[i]->defined()) continue;
      value_type_ = tensors_[i]->dtype(), value_name_ = argument.name;
      return;
    }
  }
  void check_type(const Argument& argument, const Tensor& tensor) {
    const DType type = tensor.dtype();
    switch (argument.element) {
      case Element::value:
        if (type != value_type_)
          fail("{}: {} must be {}, as {} is, got {}", signature_.op(), argument.name, name_of(value_type_),
               value_name_, name_of(type));
        return;
      case Element::value_or_sum: return type == value_type_ ? void() : expect(argument, type, sums());
      case Element::sum: return expect(argument, type, sums());
      case Element::id: return expect(argument, type, DType::i32);
      case Element::f32: return expect(argument, type, DType::f32);
      case Element::f64: return expect(argument, type, DType::f64);
      case Element::bf16: return expect(argument, type, DType::bf16);
      case Element::i8: return expect(argument, type, DType::i8);
    }
  }
  DType sums() const { return accumulator_of(value_type_); }
  void expect(const Argument& argument, DType type, DType expected) const {
    if (type != expected)
      fail("{}: {} must be {}, got {}", signature_.op(), argument.name, name_of(expected), name_of(type));
  }

  bool has_shape(const Argument& argument, const Tensor& tensor) {
    const Tensor* const like = argument.like < 0 ? nullptr : tensors_[argument.like];
    if (like && like->defined()) return tensor.shape() == like->shape();
    if (argument.flat) return fits(argument.extents[0], tensor.numel());
    if (argument.rank == 2)
      return fits(argument.extents[0], tensor.rows()) && fits(argument.extents[1], tensor.width());
    bool all = tensor.rank() == argument.rank;
    for (int axis = 0; all && axis < argument.rank; ++axis)
      all = fits(argument.extents[axis], tensor.dim(axis));
    return all;
  }
  // Sizes that are unknown become what makes it fit.
  bool fits(const Extent& extent, int64_t length) {
    int64_t* unknown = nullptr;
    const int64_t known = product_of(extent, unknown);
    if (!unknown) return length == known;
    if (known == 0 || length % known != 0) return length == known;
    *unknown = length / known;
    return true;
  }
  // Of the factors that are known.
  int64_t product_of(const Extent& extent, int64_t*& unknown) {
    int64_t product = extent.factor;
    for (const int8_t size : extent.sizes) {
      if (size < 0) continue;
      if (sizes_[size] == kUnknown) {
        unknown = &sizes_[size];
      } else {
        product *= sizes_[size];
      }
    }
    return product;
  }

  [[noreturn]] void refuse_shape(const Argument& argument, const Tensor& tensor) {
    std::string expected;
    for (int axis = 0; axis < argument.rank; ++axis)
      expected += (axis ? ", " : "") + text_of(argument.extents[axis]);
    const Tensor* const like = argument.like < 0 ? nullptr : tensors_[argument.like];
    fail("{}: {} must be {}, got {}", signature_.op(), argument.name,
         like && like->defined() ? like->shape().to_string() : "[" + expected + "]",
         tensor.shape().to_string());
  }
  // A number, or where a size is unknown "2 N".
  std::string text_of(const Extent& extent) {
    int64_t* unknown = nullptr;
    const int64_t known = product_of(extent, unknown);
    if (!unknown) return std::to_string(known);
    const std::string_view name = signature_.sizes()[static_cast<size_t>(unknown - sizes_.data())];
    return known == 1 ? std::string(name) : fmt::format("{} {}", known, name);
  }

  void check_device(const Argument& argument, const Tensor& tensor) {
    if (!first_) {
      first_ = &tensor, first_name_ = argument.name;
    } else if (tensor.device() != first_->device()) {
      fail("{}: {} must be on {}, as {} is, got {}", signature_.op(), argument.name,
           name_of(first_->device()), first_name_, name_of(tensor.device()));
    }
  }

  const Signature& signature_;
  const Tensor* const* tensors_;
  std::array<int64_t, Signature::kMostSizes> sizes_;
  DType value_type_ = DType::f32;
  const Tensor* first_ = nullptr;  // whose device the others have
  std::string_view value_name_, first_name_;
};

}  // namespace

void check_arguments(const Signature& signature, std::initializer_list<const Tensor*> tensors,
                     std::initializer_list<KnownSize> known) {
  XF_CHECK(tensors.size() == signature.arguments().size(),
           "{}: its line in kernels/signature.h has {} arguments, got {}", signature.name(),
           signature.arguments().size(), tensors.size());
  Call call(signature, tensors.begin(), known);
  for (size_t i = 0; i < tensors.size(); ++i) call.check(i);
}

}  // namespace xf::kernels
