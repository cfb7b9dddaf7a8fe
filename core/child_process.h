// Work in a process of its own: a library's that cannot be interrupted.
#pragma once

#include <functional>
#include <string>

namespace xf {

// What `work` returns, computed in a child process, which has all memory as it is now and changes
// nothing here. `waiting` is called every 50 ms meanwhile. An Error of the work is thrown here.
// Error resources if the child cannot start or dies. Throws Stopped, with the child gone, when a
// stop is asked for.
// REQUIRES: `work` takes no lock that another thread may hold now, other than the allocator's.
std::string run_in_child(const std::function<std::string()>& work, const std::function<void()>& waiting);

}  // namespace xf
