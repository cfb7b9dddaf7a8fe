#include "tools/console/progress.h"

#include <cmath>
#include <cstdlib>
#include <string>

#include "tests/support/catch.h"

namespace xf::tools {
namespace {

const Progress kExample{.epoch = 3,
                        .update = 1250,
                        .last_update = 8000,
                        .loss = 2.413,
                        .plain_loss = std::log(11.17),
                        .learn_rate = 4.9e-3,
                        .gradient_norm = 0.82,
                        .tokens_per_second = 182344,
                        .seconds = 130,
                        .seconds_left = 700};

// What a display writes to a stream that is a file.
template <typename Use>
std::string written(const Terminal& terminal, Use use) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file);
  {
    ProgressDisplay display(file, terminal);
    use(display);
  }
  std::string text(4096, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

// Terminal columns: bytes that do not continue a UTF-8 sequence.
int columns(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

TEST_CASE("Progress: the line is the one that the guide shows", "[unit]") {
  CHECK(progress_line(kExample) ==
        "ep 3 · up 1,250/8,000 · loss 2.413 · ppl 11.2 · "
        "lr 4.9e-03 · gnorm 0.82 · 182k tok/s · 00:02:10 · eta 00:11:40");
}

TEST_CASE("Progress: numbers are short and grouped", "[unit]") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(-1234) == "-1,234");
  CHECK(short_count(999) == "999");
  CHECK(short_count(9940) == "9.9k");
  CHECK(short_count(999999) == "1.0M");
  CHECK(clock_time(3600 * 100 + 61) == "100:01:01");
  CHECK(counted(1, "pair") == "1 pair");
  CHECK(counted(1014, "pair") == "1,014 pairs");
  CHECK(rough_time(0) == "1 s");
  CHECK(rough_time(40) == "40 s");
  CHECK(rough_time(57 * 60) == "57 min");
  CHECK(rough_time(200 * 60) == "3 h 20 min");
  CHECK(rough_time(60 * 3600) == "2.5 days");
}

TEST_CASE("Progress: the bar fits the terminal and keeps update, loss and the time left longest", "[unit]") {
  for (const int width : {30, 50, 81, 100, 120, 160}) {
    INFO(width);
    CHECK(columns(progress_bar(kExample, width)) < width);
    CHECK(progress_bar(kExample, width).find("up 1,250/8,000") != std::string::npos);
  }
  CHECK(progress_bar(kExample, 81).find("eta") != std::string::npos);
  CHECK(progress_bar(kExample, 160).find(progress_line(kExample)) != std::string::npos);
}

TEST_CASE("Progress: on a pipe there are plain lines, without colour, without carriage return", "[unit]") {
  const std::string text = written({}, [](ProgressDisplay& display) {
    display.tick(kExample);
    display.report(kExample);
    display.message("saved");
  });
  CHECK(text == progress_line(kExample) + "\nsaved\n");
}

TEST_CASE("Progress: on a terminal a message stays above the bar, and the bar goes at the end", "[unit]") {
  const std::string text =
      written({.redraws = true, .colors = true, .columns = 120}, [](ProgressDisplay& display) {
        display.report(kExample);
        display.message("saved");
      });
  const std::string bar = progress_bar(kExample, 120), erase = "\r\x1b[K";
  CHECK(text == erase + bar + erase + "saved\n" + bar + erase);
}

TEST_CASE("Progress: what goes on is said on a terminal alone, and goes when something else comes",
          "[unit]") {
  const auto use = [](ProgressDisplay& display) { display.activity("validating"); };
  CHECK(written({}, use).empty());
  const Terminal terminal{.redraws = true, .colors = false, .columns = 80};
  const std::string erase = "\r\x1b[K";
  CHECK(written(terminal, use) == erase + "validating" + erase);
  const auto say = [&](ProgressDisplay& display) {
    use(display);
    display.message("valid");
    display.message("saved");
  };
  CHECK(written(terminal, say) == erase + "validating" + erase + "valid\nsaved\n");
}

TEST_CASE("Terminal: a dumb one is not redrawn, NO_COLOR takes colours away, COLUMNS sets the width",
          "[unit]") {
  setenv("CLICOLOR_FORCE", "1", 1);
  setenv("COLUMNS", "57", 1);
  unsetenv("NO_COLOR");
  std::FILE* file = std::tmpfile();
  CHECK_FALSE(detect_terminal(file).redraws);
  CHECK(detect_terminal(file).colors);
  CHECK(detect_terminal(file).columns == 57);
  setenv("NO_COLOR", "1", 1);
  CHECK_FALSE(detect_terminal(file).colors);
  std::fclose(file);
  unsetenv("NO_COLOR");
  unsetenv("CLICOLOR_FORCE");
  unsetenv("COLUMNS");
}

}  // namespace
}  // namespace xf::tools
