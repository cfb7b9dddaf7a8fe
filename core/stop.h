// Stopping on request. A signal sets a flag and nothing else; long work calls check_stop() between
// its pieces (updates, validation batches, files) and unwinds by exception, so that the training
// loop can save first.
#pragma once

#include <csignal>
#include <exception>

namespace xf {

// Not an error: somebody asked. A program that ends with it exits with 128 + signal (143 SIGTERM,
// 130 SIGINT, 129 SIGHUP, 152 SIGXCPU).
class Stopped : public std::exception {
 public:
  explicit Stopped(int signal) : signal_(signal) {}
  int signal() const { return signal_; }
  const char* what() const noexcept override { return "stopped by a signal"; }

 private:
  int signal_;
};

// What a request to stop does before the program says otherwise.
enum class OnStop {
  note,  // sets the flag
  end,   // ends the process at once, with the same exit code: nothing was written yet that could be
         // lost
};

// SIGTERM, SIGINT, SIGHUP (the terminal is gone) and SIGXCPU (the time is up) ask for a stop,
// SIGUSR1 for a save; a second SIGTERM or SIGINT ends the process at once (std::quick_exit). A
// signal that the process was started to ignore (nohup) stays ignored.
// The signals are blocked in the calling thread, and so in all that it starts later, and taken by a
// thread of their own: oneDNN's generated matrix kernels use the stack pointer as a general
// register, so a handler that ran on a computing thread would write its frame over whatever that
// register points at. Call it once, before the first parallel work.
void watch_signals(OnStop first = OnStop::note);

// From here on a stop is noted. To be called before the first thing is written.
void note_stops();

// Throws Stopped if a stop was asked for.
void check_stop();
// The signal that asked for a stop; 0: none has.
int stop_asked();
// As if this signal had come, unless one has: another process of the same work got it, or whoever
// calls the library wants it to end.
void ask_stop(int signal);
// From here on no stop was asked for: where a process goes on after one. While nothing runs that
// looks for it.
void forget_stop();
// Whether SIGUSR1 came since the last call.
bool take_save_request();

// While one lives, a stop ends a system call that waits, as on a pipe or a terminal, with EINTR.
// For the thread that called watch_signals(), and around nothing but such calls: a signal's frame
// must not meet a computation.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  sigset_t before_;
};

}  // namespace xf
