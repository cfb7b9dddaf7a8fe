// Another program, spoken to by lines: a peer's script, or one of our own programs. No shell reads
// its command. It gets SIGTERM when this one ends; our OpenMP threads end before it starts.
#pragma once

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace xf::bench {

// Ends our OpenMP threads, which would spin beside another program: for ever, with
// OMP_WAIT_POLICY=active. They are back with the next parallel loop.
void end_own_threads();

// The path of another program of this project, which lies beside the running one. Error usage where
// it does not.
std::string program_beside_this(const std::string& name);

class Process {
 public:
  static constexpr double kNoLimit = 0;
  // `environment` is added to ours. Error failure where the program cannot be started.
  explicit Process(const std::vector<std::string>& command,
                   const std::map<std::string, std::string>& environment = {});
  ~Process();  // closes its input and waits for it
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // What messages call it, instead of the program's name.
  void set_name(const std::string& name) { called_ = name; }
  void write_line(const std::string& line);
  // The next line of its standard output; Error failure, with the last line it wrote to standard
  // error and the signal that ended it, at the end. One that has not begun to answer after
  // `limit_s` seconds is killed: Error failure, too.
  std::string read_line(double limit_s = kNoLimit);
  // The next line as seconds; Error failure as above, or with the line where it is no time.
  double read_seconds(double limit_s = kNoLimit);
  void close_input();
  // Waits for the end, and gives what is left of its standard output; Error failure, as above, for
  // any exit code but 0.
  std::string finish();
  // All that it wrote to standard error, after finish().
  std::string messages() const;
  double peak_bytes() const { return peak_bytes_; }  // of resident memory, after finish()

 private:
  [[noreturn]] void fail_with_message();
  int wait();
  std::string name_, called_;            // called_: in messages
  int pid_ = 0, code_ = 0, signal_ = 0;  // once it has ended, its exit code, and the signal if one
                                         // did it
  std::FILE* input_ = nullptr;
  std::FILE* output_ = nullptr;
  std::FILE* errors_ = nullptr;
  double peak_bytes_ = 0;
};

// The first line that a program prints; "" where it cannot be started, or fails.
std::string first_line_of(const std::vector<std::string>& command,
                          const std::map<std::string, std::string>& environment = {});

}  // namespace xf::bench
