#include "python/engine.h"

#include <nanobind/nanobind.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <thread>

#include "core/error.h"
#include "core/parallel.h"
#include "core/stop.h"

namespace nb = nanobind;

namespace xf::python {

namespace {

constexpr std::chrono::milliseconds kBetweenSignals{50};

class Engine {
 public:
  static Engine& instance();

  void run(const std::function<void()>& work);
  void stop();
  void end();

 private:
  struct Task {
    enum class State { waits, runs, ended };
    const std::function<void()>& work;
    State state = State::waits;
    std::exception_ptr error;
  };

  Engine();
  void take_tasks();
  void interrupt(Task& task);

  std::mutex mutex_;
  std::condition_variable wanted_, ended_;
  std::deque<Task*> tasks_;  // the first one runs
  bool is_open_ = true;
};

// Never destroyed: its thread ends with the process. A fork has no such thread, and begins with an
// engine of its own.
std::atomic<Engine*> the_engine = nullptr;
// Python's handlers run on its main thread alone.
std::atomic<unsigned long> main_thread = 0;

void begin_in_fork() {
  the_engine = nullptr;
  main_thread = PyThread_get_thread_ident();
}

Engine& Engine::instance() {
  if (Engine* engine = the_engine) return *engine;
  return *(the_engine = new Engine);  // one thread comes here at a time: it holds the GIL
}

// All but those that a fault of the thread's own raises.
sigset_t signals_of_others() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&signals, own);
  return signals;
}

Engine::Engine() {
  const sigset_t blocked = signals_of_others();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  std::thread([this] { take_tasks(); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Engine::take_tasks() {
  forget_stop();
  set_thread_count(0);
  std::unique_lock lock(mutex_);
  for (;;) {
    wanted_.wait(lock, [this] { return !tasks_.empty(); });
    Task& task = *tasks_.front();
    task.state = Task::State::runs;
    lock.unlock();
    try {
      task.work();
    } catch (...) {
      task.error = std::current_exception();
    }
    lock.lock();
    tasks_.pop_front();
    task.state = Task::State::ended;
    forget_stop();
    ended_.notify_all();
  }
}

void Engine::run(const std::function<void()>& work) {
  Task task{.work = work, .error = nullptr};
  std::optional<nb::python_error> raised;  // by a signal's handler
  const bool takes_signals = PyThread_get_thread_ident() == main_thread;
  {
    nb::gil_scoped_release release;
    std::unique_lock lock(mutex_);
    // Python ends. Had a daemon thread the GIL again, it would be ended in the middle of C++.
    const auto park_if_closed = [&] { ended_.wait(lock, [&] { return is_open_ || takes_signals; }); };
    park_if_closed();
    if (!is_open_) throw Stopped(SIGTERM);
    tasks_.push_back(&task);
    wanted_.notify_one();
    while (!ended_.wait_for(lock, kBetweenSignals, [&] { return task.state == Task::State::ended; })) {
      if (!takes_signals || raised) continue;
      lock.unlock();
      {
        nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) raised.emplace();
      }
      lock.lock();
      if (raised) interrupt(task);
    }
    park_if_closed();
  }
  if (raised) throw std::move(*raised);
  if (task.error) std::rethrow_exception(task.error);
}

// What has not begun never does.
void Engine::interrupt(Task& task) {
  if (task.state == Task::State::runs) ask_stop(SIGINT);
  if (task.state != Task::State::waits) return;
  std::erase(tasks_, &task);
  task.state = Task::State::ended;
}

void Engine::stop() {
  const std::scoped_lock lock(mutex_);
  if (!tasks_.empty() && tasks_.front()->state == Task::State::runs) ask_stop(SIGINT);
}

// Of all work, for good; returns when none runs.
void Engine::end() {
  std::unique_lock lock(mutex_);
  is_open_ = false;
  while (!tasks_.empty() && tasks_.back()->state == Task::State::waits) {
    tasks_.back()->error = std::make_exception_ptr(Stopped(SIGTERM));
    tasks_.back()->state = Task::State::ended;
    tasks_.pop_back();
  }
  if (!tasks_.empty()) ask_stop(SIGTERM);
  ended_.wait(lock, [this] { return tasks_.empty(); });
}

std::atomic<int> kernel_threads = 0;

}  // namespace

void run(const std::function<void()>& work) { Engine::instance().run(work); }

void run_kernel(const std::function<void()>& work) {
  run([&] {
    static const int all = default_threads();
    const int wanted = kernel_threads == 0 ? all : kernel_threads.load();
    if (thread_count() != wanted) set_thread_count(wanted);
    work();
  });
}

void set_threads(int threads) {
  if (threads < 0) fail(ErrorKind::usage, "set_threads: expected 0 or more, got {}", threads);
  kernel_threads = threads;
}

void stop() { Engine::instance().stop(); }

void begin() {
  main_thread =
      nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  pthread_atfork(nullptr, nullptr, begin_in_fork);
  const auto end = [] {
    const nb::gil_scoped_release release;  // who is stopped may want it
    if (Engine* engine = the_engine) engine->end();
  };
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(end));
}

}  // namespace xf::python
