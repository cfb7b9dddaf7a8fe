// What a kernel from elsewhere receives, function by function. Its arguments are the op's
// (kernels/signature.h), or where the call is simpler, those of a line of its own. The C header
// xformer_kernel.h, and the lines that a kernel in another process is spoken to with
// (bench/external/kernel_process.h), are made of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "kernels/signature.h"

namespace xf::bench {

using kernels::Argument;
using kernels::Use;

struct Number {
  std::string name;
  bool whole = false;  // int64_t, not double
};

// Its sizes are those of its free shapes: sizes_of(fn) (bench/free_shapes.h).
struct Signature {
  std::string fn;
  std::string says;  // the definition, in a line or two
  std::vector<Number> numbers = {};
  std::span<const Argument> arguments = {};
};

const std::vector<Signature>& signatures();
// Null where no kernel from elsewhere can take its place.
const Signature* find_signature(const std::string& fn);

const char* name_of(Use use);
DType type_of(const Argument& argument, DType dtype);

// bench/external/xformer_kernel.h, as the table has it.
std::string c_header();

// The block of memory that a C kernel is called with (xf_NAME_args): a head of 16 bytes, then 8 for
// each pointer, size and number, in the order of the table.
constexpr int kKernelVersion = 1;

}  // namespace xf::bench
