#include "core/stop.h"

#include <signal.h>
#include <unistd.h>

namespace xf {

namespace {

volatile sig_atomic_t stop_signal = 0;
volatile sig_atomic_t save_wanted = 0;

void on_stop(int signal) {
  if (stop_signal != 0) _exit(128 + signal);
  stop_signal = signal;
}

void on_save(int) { save_wanted = 1; }

void install(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;  // reads and writes under way go on
  sigaction(signal, &action, nullptr);
}

}  // namespace

void install_signal_handlers() {
  install(SIGTERM, on_stop);
  install(SIGINT, on_stop);
  install(SIGUSR1, on_save);
}

void check_stop() {
  if (stop_signal != 0) throw Stopped(stop_signal);
}

bool stop_requested() { return stop_signal != 0; }

bool take_save_request() {
  const bool wanted = save_wanted != 0;
  save_wanted = 0;
  return wanted;
}

}  // namespace xf
