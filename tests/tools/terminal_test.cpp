// What is drawn on a terminal, a pseudo-terminal whose other end is read, while its width changes.
#include "tools/console/terminal.h"

#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "data/display_text.h"
#include "tests/support/catch.h"
#include "tools/config/option.h"
#include "tools/console/output_file.h"
#include "tools/console/progress.h"

namespace xf::tools {
namespace {

class PseudoTerminal {
 public:
  explicit PseudoTerminal(unsigned short columns) {
    int slave = -1;
    REQUIRE(openpty(&master_, &slave, nullptr, nullptr, nullptr) == 0);
    stream_ = fdopen(slave, "w");
    resize(columns);
  }
  ~PseudoTerminal() {
    std::fclose(stream_);
    close(master_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  void resize(unsigned short columns) {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    REQUIRE(ioctl(master_, TIOCSWINSZ, &size) == 0);
  }
  std::FILE* stream() const { return stream_; }
  // What has been written since. The kernel hands it over in its own time, so the end is marked and
  // waited for.
  std::string read_all() const {
    const std::string end = "\x03";
    std::fputs(end.c_str(), stream_);
    std::fflush(stream_);
    std::string text;
    while (!text.ends_with(end)) {
      char bytes[1024];
      const ssize_t got = read(master_, bytes, sizeof bytes);
      REQUIRE(got > 0);
      text.append(bytes, static_cast<size_t>(got));
    }
    text.pop_back();
    return text;
  }

 private:
  int master_ = -1;
  std::FILE* stream_ = nullptr;
};

// The widest of the texts that were drawn over one another.
int widest(const std::string& drawn) {
  int columns = 0;
  for (const std::string& line : split(drawn, '\r')) {
    const std::string text = line.starts_with("\x1b[K") ? line.substr(3) : line;
    columns = std::max(columns, data::display_width(text.substr(0, text.find('\n'))));
  }
  return columns;
}

const Progress kProgress{.epoch = 3, .update = 1250, .last_update = 8000, .loss = 2.4, .plain_loss = 2.4};
const Terminal kTerminal{.redraws = true, .colors = false, .columns = 120};

}  // namespace

TEST_CASE("Terminal: a bar fits the width that the terminal has when it is drawn", "[unit]") {
  unsetenv("COLUMNS");
  PseudoTerminal terminal(120);
  ProgressDisplay display(terminal.stream(), kTerminal);
  display.report(kProgress);
  CHECK(widest(terminal.read_all()) > 90);
  for (const unsigned short columns : std::initializer_list<unsigned short>{90, 40, 12, 2}) {
    terminal.resize(columns);
    display.report(kProgress);
    CHECK(widest(terminal.read_all()) < columns);
    display.activity("validating at update 1,250 on 1,014 sentences ...");
    CHECK(widest(terminal.read_all()) < columns);
    display.report(kProgress);
    display.message("saved");
    const std::string drawn = terminal.read_all();
    CHECK(widest(drawn) < std::max<int>(columns, 6));
    CHECK(std::count(drawn.begin(), drawn.end(), '\n') == 1);  // the message's own
  }
  terminal.resize(200);
  display.report(kProgress);
  CHECK(widest(terminal.read_all()) > 90);
}

TEST_CASE("Terminal: $COLUMNS makes a line shorter, never longer than the terminal", "[unit]") {
  PseudoTerminal terminal(60);
  setenv("COLUMNS", "100", 1);
  CHECK(columns_now(terminal.stream(), 80) == 60);
  setenv("COLUMNS", "30", 1);
  CHECK(columns_now(terminal.stream(), 80) == 30);
  unsetenv("COLUMNS");
}

TEST_CASE("Terminal: wide and combined characters are counted as they are shown", "[unit]") {
  unsetenv("COLUMNS");
  PseudoTerminal terminal(24);
  ProgressDisplay display(terminal.stream(), kTerminal);
  for (const char* text :
       {"reading 漢字かな漢字かな漢字かな ...", "reading e\u0301e\u0301e\u0301 क्षि क्षि क्षि क्षि क्षि"}) {
    display.activity(text);
    const int columns = widest(terminal.read_all());
    CHECK(columns < 24);
    CHECK(columns >= 22);
  }
}

TEST_CASE("Terminal: names and texts cannot steer it", "[unit]") {
  PseudoTerminal terminal(120);
  ProgressDisplay display(terminal.stream(), kTerminal);
  display.activity("reading a\x1b[31m\x07\u009b2J\u202eb");
  CHECK_THAT(terminal.read_all(), Catch::Contains("a\\x1b[31m\\x07\\u009b2J\\u202eb"));
  display.message("  1 translation a\x1b]0;title\x07");
  CHECK_THAT(terminal.read_all(), Catch::Contains("a\\x1b]0;title\\x07"));
}

}  // namespace xf::tools
