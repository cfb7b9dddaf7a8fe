// What a kernel from elsewhere receives, function by function: one table. The C header xformer_kernel.h, the lines that
// a kernel in another process is spoken to with (bench/external/kernel_process.h) and what --list says of a function are
// made of its rows.
#pragma once

#include <string>
#include <vector>

#include "core/dtype.h"

namespace xf::bench {

enum class Use {
  read,
  written,      // every element
  accumulated,  // added to what is there; it is zero
  updated,      // read, then written
};
enum class Element {
  value,
  sum,
  id
};  // in the type of --dtype; in that of its sums (f32, of f64 f64); in i32

struct Argument {
  std::string name;
  std::string shape;  // names of sizes, or numbers, or products of them: "N, 2 P"
  Use use = Use::read;
  Element element = Element::value;
};
struct Number {
  std::string name;
  bool whole = false;  // int64_t, not double
};

struct Signature {
  std::string fn;
  std::string says;  // the definition, in a line or two
  std::vector<Argument> arguments;
  std::vector<std::string> sizes;
  std::vector<Number> numbers;
};

const std::vector<Signature>& signatures();
// Null where no kernel from elsewhere can take its place.
const Signature* find_signature(const std::string& fn);

const char* name_of(Use use);
DType type_of(const Argument& argument, DType dtype);
// "x, gamma, beta, y, mean, rstd, N, D, eps"
std::string names_of(const Signature& signature);

// bench/external/xformer_kernel.h, as the table has it.
std::string c_header();

// The block of memory that a C kernel is called with (xf_NAME_args): a head of 16 bytes, then 8 for each pointer, size
// and number, in the order of the table.
constexpr int kKernelVersion = 1;

}  // namespace xf::bench
