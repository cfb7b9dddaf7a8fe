// The thread that computes for Python. All calls of the engine run on it, one after the other:
//   - its signals are blocked, and those of the OpenMP threads that it starts. A handler of
//     Python's on a thread that computes would corrupt memory (core/stop.h); so it runs on Python's
//     own thread, which waits, and Ctrl-C is seen there;
//   - how many threads compute, and that denormals are zero, are settings of the thread
//     (core/parallel.h): those of the caller, and so of NumPy and torch, stay as they are;
//   - a model, and the one request to stop that a process has, need no more protection.
#pragma once

#include <functional>
#include <optional>

namespace xf::python {

// Once, as the module is imported. Work that still runs when Python ends is stopped, and waited
// for.
void begin();

// `work` on that thread, with the GIL given up until it has ended. Throws what it throws. Every 50
// ms Python's signal handlers get their turn; what one raises, as Ctrl-C raises KeyboardInterrupt,
// stops the work and is thrown instead.
void run(const std::function<void()>& work);

template <typename F>
auto compute(const F& f) {
  std::optional<decltype(f())> result;
  run([&] { result.emplace(f()); });
  return std::move(*result);
}

// Of run(), for kernels, with as many threads as set_threads() says. A model has its own number.
void run_kernel(const std::function<void()>& work);
// 0: as many as the process may use.
void set_threads(int threads);

// Stops the work of another thread of Python's, whose run() throws Stopped; nothing where none
// runs.
void stop();

}  // namespace xf::python
