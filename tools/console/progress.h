// The line that says how training is going: redrawn in place on a terminal, a plain line each time
// on a pipe.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tools/console/terminal.h"

namespace xf::tools {

struct Progress {
  int64_t epoch = 0;  // from 1
  int64_t update = 0;
  int64_t last_update = 0;  // where training will stop at the latest; 0: not known
  double loss = 0;          // nats per target token, label smoothing included
  double plain_loss = 0;    // the same without; its exp is the perplexity
  double learn_rate = 0;
  double gradient_norm = 0;
  double tokens_per_second = 0;  // target tokens
  double seconds = 0;            // since the run began, earlier parts of a resumed run included
  double seconds_left = -1;      // negative: not known
};

// ep 3 · up 1,250/8,000 · loss 2.413 · ppl 11.2 · lr 4.9e-03 · gnorm 0.82 · 182k tok/s · 00:02:10 ·
// eta 00:11:40
std::string progress_line(const Progress& progress);

// The same behind a bar, with as many fields as the columns hold, the important ones longest.
std::string progress_bar(const Progress& progress, int columns);

std::string grouped(int64_t number);                            // 1,250
std::string counted(int64_t number, const std::string& thing);  // 1 pair, 1,250 pairs
std::string numbered_lines(std::vector<int64_t> numbers);       // line 3; lines 3, 7; the first of
                                                                // many
std::string short_count(double number);                         // 182k, 1.4M
std::string clock_time(double seconds);                         // 00:02:10
std::string rough_time(double seconds);                         // 40 s, 57 min, 3 h 20 min

class ProgressDisplay {
 public:
  ProgressDisplay(std::FILE* stream, const Terminal& terminal) : stream_(stream), terminal_(terminal) {}
  ~ProgressDisplay() { clear(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // Every update: redraws the bar at most ten times a second; nothing on a pipe.
  void tick(const Progress& progress);

  // Every --disp-freq: a line on a pipe; on a terminal the bar is redrawn.
  void report(const Progress& progress);

  // What goes on where no updates are made: in the bar's place until something else is said;
  // nothing on a pipe.
  void activity(const std::string& text);
  // The same where it changes often: drawn at most ten times a second.
  void tick(const std::string& activity);

  // A line that stays, above the bar if there is one. `text` without its newline; it is written as
  // data::printable_page() has it.
  void message(const std::string& text);

  // Takes the bar away (before something else writes, and at the end). A closed or full stream
  // never stops training.
  void clear();

 private:
  bool may_redraw() const;
  int columns() const { return columns_now(stream_, terminal_.columns); }
  void draw(const std::string& bar);
  void write(const std::string& text);

  std::FILE* stream_;
  Terminal terminal_;
  std::string bar_;           // what is on the terminal now, or would be if it were wide enough
  bool is_activity_ = false;  // which ends with the next line that stays
  double last_drawn_ = -1e9;  // seconds, on the steady clock
};

}  // namespace xf::tools
