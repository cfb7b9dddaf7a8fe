// What a program was built from and finds at run time: what a bug report needs first.
#pragma once

#include <string>

namespace xf::tools {

// "xformer-train 0.2.0"
std::string version_line(const std::string& program);
std::string version();

// The instructions for which oneDNN generates products: what the processor has, at most
// $ONEDNN_MAX_CPU_ISA.
std::string product_instructions();

// "GNU 12.2.0, Release, kernels avx512, oneDNN for AVX-512": what numbers and speed may depend on.
std::string build_line();

// Compiler, flags, libraries with their versions, threads, devices; absent optional parts are named
// too. Ends in a newline.
std::string build_info();

}  // namespace xf::tools
