// Whether a kernel from elsewhere is right, and how fast beside ours.
#pragma once

#include "bench/external/kernel_process.h"
#include "bench/row.h"
#include "bench/runner.h"

namespace xf::bench {

// The functions of a request for --kernel, at its shapes. Error usage, with the nearest name, where
// no kernel from elsewhere can be that function.
std::vector<Case> cases_for_kernel(const Request& request, const Scope& scope);

// Checks the kernel at the case's shape with few rows, and writes its error into the row. Error
// failure where it is wrong, with how.
void check_kernel(const Case& c, const Scope& scope, KernelProcess& kernel, Row& row);

// Checks the kernel, then times it in turn with ours; what it takes the place of, its error and
// both times go into the row. Inputs change before every call of either. A call is chosen before
// each turn, and its outputs are compared with the definition afterwards: a kernel cannot know
// which calls count. Error failure where it is wrong, with how.
void judge(const Case& c, const Scope& scope, const TimerOptions& options, KernelProcess& kernel, Row& row);

}  // namespace xf::bench
