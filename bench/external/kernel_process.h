// A kernel from elsewhere in a process of its own: what it does there, crash, hang or write over
// memory, ends that process and not the benchmark. It is spoken to by lines, whatever it is written
// in:
//   open {"fn", "dtype", "memory", "bytes", "sizes": {"N": 4088, ...}, "calls": [[{"name", "dtype",
//   "shape", "at", "use"}, ...], ...]}
//         maps the memory; a call's tensors lie `at` so many bytes from its beginning. Answers
//         {"ready": "what it is"}, with "untimed": why, where its times mean nothing
//   run {"calls": [3, 0, 2], "numbers": [{"eps": 1e-5}, ...]}
//         calls the kernel with the tensors of each, in that order. Answers {"seconds": of all but
//         the first together}
// Either may be answered by {"refused": "why"}.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/external/shared_calls.h"
#include "bench/process.h"

namespace xf::bench {

// The first word with which this program calls itself to be the process of a C kernel; the second
// is the library.
constexpr const char* kHostCommand = "host-kernel";

// FILE.so: a symbol of a shared library, called by this program (bench/external/kernel_host.h).
// FILE.py: a function of NumPy arrays or PyTorch tensors, called by bench/peers/xformer_kernel.py.
// Otherwise a command line for the shell that answers as above.
class KernelProcess {
 public:
  // `limit_s`: of one call. Error failure or usage where it cannot be started.
  KernelProcess(const std::string& kernel, double limit_s);

  // What it is: "mine.py, NumPy 2.2". Error failure with its reason where it refuses.
  std::string open(const SharedCalls& calls);
  // Why its times mean nothing; "" where they mean something.
  const std::string& untimed() const { return untimed_; }
  // Seconds of a call: the mean over all but the first, which warms up. Error failure where it
  // refuses, ends, does not answer in time, or not as above.
  double run(const SharedCalls& calls, const std::vector<size_t>& order);

 private:
  template <typename Read>
  auto ask(const std::string& line, double limit_s, const Read& read);
  std::string name_, untimed_;
  double limit_s_, slowest_s_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace xf::bench
