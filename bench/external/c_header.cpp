// The tables of signatures as a header for C and C++.
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "bench/external/signature.h"
#include "bench/free_shapes.h"

namespace xf::bench {

namespace {

constexpr const char* kTop =
    R"c(// A kernel of your own for `xformer-bench --kernel mine.so --fn NAME`: a function called NAME that takes a pointer to
// struct xf_NAME_args and returns 0, or another number if it cannot do what is asked. docs/your_kernel.md
//
// Made of the tables in kernels/signature.h and bench/external/signature.cpp by `xformer-bench --kernel-header`.
// Matrices are row-major without gaps, and lie in memory of the CPU. "values" are of type dtype, "sums" of type
// sum_dtype, "ids" int32_t. An output is "written" (it holds NaN before), "accumulated" (added to; it holds zeros before)
// or "updated" (read, then written). Members are never removed or moved within a version: what is new comes last.
#ifndef XFORMER_KERNEL_H
#define XFORMER_KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XF_KERNEL_VERSION 1

enum xf_dtype { XF_F32 = 0, XF_F64 = 1, XF_BF16 = 2 };  // bf16: the upper half of an f32, in a uint16_t
enum xf_activation { XF_RELU = 0, XF_GELU = 1, XF_SWISH = 2 };

struct xf_kernel_call {
  int32_t version;    // XF_KERNEL_VERSION of the caller
  int32_t dtype;      // enum xf_dtype, of values
  int32_t sum_dtype;  // of sums: XF_F64 where dtype is, else XF_F32
  int32_t threads;    // how many may be used; OMP_NUM_THREADS says the same
};
)c";

constexpr const char* kBottom = R"c(
#ifdef __cplusplus
}
#endif

#endif  // XFORMER_KERNEL_H
)c";

// `text` as comment lines of at most 118 characters.
std::string comment(const std::string& text) {
  constexpr size_t kWidth = 118;
  std::istringstream words(text);
  std::string lines, line = "//";
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > kWidth) {
      lines += line + "\n";
      line = "//";
    }
    line += " " + word;
  }
  return lines + line + "\n";
}

const char* plural(kernels::Element element) {
  using enum kernels::Element;
  return element == id ? "ids" : element == sum ? "sums" : "values";
}

std::string member(const Argument& argument, size_t width) {
  const std::string declaration =
      fmt::format("{}void* {};", argument.use == Use::read ? "const " : "", argument.name);
  return fmt::format("  {:{}}  // [{}] {}, {}\n", declaration, width, argument.shape,
                     plural(argument.element), name_of(argument.use));
}

size_t width_of(std::span<const Argument> arguments) {
  size_t width = 0;
  for (const Argument& argument : arguments)
    width = std::max(
        width, argument.name.size() + std::string(argument.use == Use::read ? "const " : "").size() + 7);
  return width;
}

std::string text_of(const Signature& signature) {
  std::string text = "\n" + comment(fmt::format("{}: {}", signature.fn, signature.says));
  text += fmt::format("struct xf_{}_args {{\n  struct xf_kernel_call call;\n", signature.fn);
  const size_t width = width_of(signature.arguments);
  for (const Argument& argument : signature.arguments) text += member(argument, width);
  text += fmt::format("  int64_t {};\n", fmt::join(sizes_of(signature.fn), ", "));
  for (const Number& number : signature.numbers)
    text += fmt::format("  {} {};\n", number.whole ? "int64_t" : "double", number.name);
  return text + fmt::format("}};\nint {}(const struct xf_{}_args* args);\n", signature.fn, signature.fn);
}

}  // namespace

std::string c_header() {
  std::string text = kTop;
  for (const Signature& signature : signatures()) text += text_of(signature);
  return text + kBottom;
}

}  // namespace xf::bench
