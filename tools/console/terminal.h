// What a stream is: a terminal that can redraw and colour, or something that wants plain lines; and
// who waits at its other end.
#pragma once

#include <cstdio>
#include <string>

namespace xf::tools {

struct Terminal {
  bool redraws = false;  // a terminal, and TERM is not dumb: a line may be drawn over
  bool colors = false;   // redraws and NO_COLOR is not set, or CLICOLOR_FORCE is
  int columns = 80;
};

Terminal detect_terminal(std::FILE* stream);

// Whether `input` is "-" and the standard input a pipe or a terminal, whose other end may wait for
// the answer to each line.
bool somebody_waits(const std::string& input);

// Whether `input` is "-" and the standard input a terminal: each line is a person's, who can write
// it again.
bool is_typed(const std::string& input);

// $COLUMNS, or the width of the terminal, or 80.
int terminal_columns();

// Of `stream` now: a terminal may have been made narrower or wider since detect_terminal().
// `otherwise` where it is none.
int columns_now(std::FILE* stream, int otherwise);

}  // namespace xf::tools
