// Names of earlier versions: still read, as today's, and told.
#include "tools/config/former_names.h"

#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tools/config/command_line.h"
#include "tools/config/config_file.h"
#include "tools/config/stored_metrics.h"
#include "tools/setup/read_training_options.h"

using namespace xf::tools;
using xf::tests::error_of;

namespace {

using Lines = std::vector<std::string>;

struct Renamed : Configuration {
  Renamed() : Configuration("xformer-train") {}

  double width = 1;
  std::string colour = "red";
  std::vector<std::string> shapes;
};

void list_options(Renamed& o, OptionList& add) {
  add(o.width, "width X", {formerly("breadth thickness")}, "of a line");
  add(o.colour, "colour", {one_of("red|green"), formerly_values("vermilion=red")}, "of a line");
  add(o.shapes, "shapes", {one_of("circle|square"), any_number, formerly_values("disc=circle box=square")},
      "to draw");
}

// What is set, and what is told.
struct Read {
  Renamed options;
  Lines told;
};

Read take(const OptionList& list, const GivenOptions& given) {
  Read read;
  OptionList own = options_of(read.options);
  own.apply(given, OptionList::Origin::user);
  for (const GivenOption& one : given)
    read.told.insert(read.told.end(), one.renamed.begin(), one.renamed.end());
  static_cast<void>(list);
  return read;
}

Read from_command_line(const Lines& words) {
  Renamed options;
  const OptionList list = options_of(options);
  return take(list, parse_command_line(list, words));
}

Read from_file(const std::string& text) {
  Renamed options;
  const OptionList list = options_of(options);
  return take(list, parse_config(list, text, "c.toml"));
}

}  // namespace

TEST_CASE("Former names: an option's is read on a command line, and told", "[unit]") {
  for (const Lines& words : {Lines{"--breadth", "2.5"}, Lines{"--breadth=2.5"}}) {
    const Read read = from_command_line(words);
    CHECK(read.options.width == 2.5);
    CHECK(read.options.is_given("width"));
    CHECK(read.told == Lines{"--breadth is now called --width"});
  }
  CHECK(from_command_line({"--thickness", "3"}).told == Lines{"--thickness is now called --width"});
  CHECK(from_command_line({"--width", "3"}).told.empty());
  CHECK_THAT(error_of([] { from_command_line({"--breadth"}); }),
             Catch::StartsWith("2: --width (given as --breadth) lacks a value"));
  CHECK_THAT(error_of([] { from_command_line({"--braedth", "3"}); }), Catch::Contains("'--breadth'?"));
}

TEST_CASE("Former names: an option's is read in a file, and told with its line", "[unit]") {
  const Read read = from_file("colour = \"green\"\nbreadth = 2.5\n");
  CHECK(read.options.width == 2.5);
  CHECK(read.told == Lines{"c.toml:2: key 'breadth' is now called 'width'"});
  CHECK_THAT(error_of([] { from_file("width = 1\nbreadth = 2\n"); }),
             Catch::Contains("c.toml:2: 'breadth' is now called 'width', and is given twice"));
}

TEST_CASE("Former names: words are read as today's, one by one", "[unit]") {
  const Read read = from_command_line({"--colour", "vermilion", "--shapes", "box", "disc"});
  CHECK(read.options.colour == "red");
  CHECK(read.options.shapes == Lines{"square", "circle"});
  CHECK(read.told == Lines{"--colour: vermilion is now called red", "--shapes: box is now called square",
                           "--shapes: disc is now called circle"});
  CHECK_THAT(error_of([] {
               from_command_line({"--shapes", "circle", "disc"});
             }),
             Catch::Contains("--shapes: circle is named twice"));
  CHECK(from_file("colour = \"vermilion\"\n").told ==
        Lines{"c.toml:1: key 'colour': vermilion is now called red"});
}

TEST_CASE("Former names: no page and no dump has them", "[unit]") {
  Renamed options;
  OptionList list = options_of(options);
  list.apply(parse_command_line(list, {"--breadth", "2.5", "--colour", "vermilion"}),
             OptionList::Origin::user);
  for (const std::string& page : {help_text(list, true), list.to_toml()}) {
    CHECK(page.find("breadth") == std::string::npos);
    CHECK(page.find("vermilion") == std::string::npos);
  }
}

TEST_CASE("Former names: none is an option's name or alias of today, in any program", "[unit]") {
  for (const std::string_view program : all_programs()) {
    const OptionList list = default_options(program);
    for (const Option& option : list) {
      for (const std::string& name : split(option.former_names, ' ')) CHECK(list.find(name) == nullptr);
      for (const std::string& pair : split(option.former_values, ' ')) {
        const std::vector<std::string> today = values_of(option);
        const std::string now = pair.substr(pair.find('=') + 1), before = pair.substr(0, pair.find('='));
        INFO(option.name << " " << pair);
        CHECK((today.empty() || std::ranges::find(today, now) != today.end()));
        CHECK(std::ranges::find(today, before) == today.end());
      }
    }
  }
}

TEST_CASE("Former names: a run of an earlier version has today's", "[unit]") {
  const TrainingOptions options = training_options_from_toml(
      "task = \"seed002\"\nlearn-rate-of = [\"bias=0.1\"]\nvalid-metrics = [\"compat-bleu\"]\nlog-format = \"seed\"\n",
      "training.toml");
  CHECK(options.task == "tutorials/seq2seq");
  CHECK(options.optimizer.lr_multiplier == Lines{"bias=0.1"});
  CHECK(options.validation.valid_metrics == Lines{"tutorial-bleu"});
  CHECK(options.logging.log_format == "tutorial");
}

// A run of any version names it so.
TEST_CASE("Stored metrics: files keep the name that a metric had first", "[unit]") {
  CHECK(stored_metric("tutorial-bleu") == "compat-bleu");
  CHECK(metric_stored_as("compat-bleu") == "tutorial-bleu");
  for (const char* const other : {"bleu", "ce-mean-words", ""}) {
    CHECK(stored_metric(other) == other);
    CHECK(metric_stored_as(other) == other);
  }
}
