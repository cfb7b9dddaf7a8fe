#include "tools/config/foreign_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/tools/parsed_options.h"
#include "tools/config/command_line.h"
#include "tools/config/config_file.h"

using namespace xf::tools;
using xf::tests::error_of;

namespace {

std::string answer_of(std::string_view program, const std::vector<std::string>& words) {
  return error_of([&] { xf::tests::parse_any(program, words); });
}

std::string answer_to(const std::string& option) { return answer_of("xformer-train", {option.c_str()}); }

// What stands between ` in a cell of the guide's table, without dashes and what follows the name:
// "--norm post\|pre" is norm, "fairseq-preprocess --testpref" testpref.
std::vector<std::string> names_in(const std::string& cell) {
  std::vector<std::string> names;
  for (size_t begin = cell.find('`'); begin != std::string::npos;) {
    const size_t end = cell.find('`', begin + 1);
    std::string code = cell.substr(begin + 1, end - begin - 1);
    if (const size_t dashes = code.find("--"); dashes != std::string::npos) code = code.substr(dashes + 2);
    if (!code.starts_with('-')) names.push_back(code.substr(0, code.find_first_of(" :")));
    begin = cell.find('`', end + 1);
  }
  return names;
}

// Of the table in docs/guide/option_names.md: names of other toolkits, each with ours in its rows.
std::map<std::string, std::set<std::string>> guide_table() {
  std::ifstream guide(xf::tests::source_folder() + "/docs/guide/option_names.md");
  std::map<std::string, std::set<std::string>> table;
  std::string line;
  while (std::getline(guide, line) && !line.starts_with("| Here | joeynmt |")) {
  }
  while (std::getline(guide, line) && line.starts_with('|')) {
    if (line.starts_with("|---")) continue;
    const size_t border = line.find(" | ");
    const std::vector<std::string> ours = names_in(line.substr(0, border));
    for (const std::string& theirs : names_in(line.substr(border)))
      table[theirs].insert(ours.begin(), ours.end());
  }
  return table;
}

}  // namespace

TEST_CASE("Foreign names: what other toolkits call an option leads to ours", "[unit]") {
  CHECK_THAT(answer_to("--lr=0.1"), Catch::Contains("unknown option '--lr'; did you mean '--learn-rate'?"));
  CHECK_THAT(answer_to("--epochs=5"), Catch::Contains("did you mean '--after'?"));
  CHECK_THAT(answer_to("--patience=5"), Catch::Contains("did you mean '--early-stopping'?"));
  CHECK_THAT(answer_to("--batch-size=64"), Catch::Contains("did you mean '--mini-batch'?"));
  CHECK_THAT(answer_to("--hidden_size=64"), Catch::Contains("did you mean '--dim-emb'?"));
  CHECK_THAT(answer_to("--activation_fn=swish"),
             Catch::Contains("did you mean '--transformer-ffn-activation'?"));
  CHECK_THAT(answer_to("--encoder-learned-pos"),
             Catch::Contains("did you mean '--transformer-train-positions'?"));
  CHECK_THAT(
      error_of([] { parse_config(default_options("xformer-train"), "learning_rate = 0.1", "x.toml"); }),
      Catch::Contains("unknown key 'learning_rate'; did you mean 'learn-rate'?"));
}

TEST_CASE("Foreign names: every name in the guide's table is an option here or leads to its row's",
          "[unit]") {
  const auto table = guide_table();
  CHECK(table.size() > 80);
  for (const auto& [theirs, ours] : table) {
    INFO(theirs);
    std::string dashed = theirs;
    std::ranges::replace(dashed, '_', '-');
    if (default_options("xformer-train").find(dashed) || default_options("xformer-translate").find(dashed))
      continue;
    bool leads = false;
    for (const std::string_view program : {"xformer-train", "xformer-translate"}) {
      const std::string hint = suggestion(theirs, default_options(program).names());
      for (const std::string& name : ours) leads = leads || hint == "; did you mean '" + name + "'?";
    }
    CHECK(leads);
  }
}

TEST_CASE("Foreign names: each program has its own", "[unit]") {
  CHECK_THAT(answer_of("xformer-translate", {"--length_penalty=1"}), Catch::Contains("'--normalize'"));
  CHECK_THAT(answer_of("xformer-translate", {"--num_hypotheses=5"}), Catch::Contains("'--n-best'"));
  CHECK_THAT(answer_of("xformer-translate", {"--tgt=a"}), Catch::Contains("'--teacher-forced'"));
  CHECK_THAT(answer_of("xformer-translate", {"--src=a"}), Catch::Contains("'--input'"));
  CHECK_THAT(answer_of("xformer-generate", {"--num-samples=5"}), Catch::Contains("'--samples'"));
  CHECK_THAT(answer_of("xformer-generate", {"--prompt=a"}), Catch::Contains("'--input'"));
  for (const auto& [theirs, ours] : {std::pair{"--after-epochs", "--after"},
                                     {"--after-batches", "--after"},
                                     {"--max-sentences", "--mini-batch"},
                                     {"--save-interval", "--save-freq"},
                                     {"--best-checkpoint-metric", "--valid-metrics"},
                                     {"--tgt", "--train-sets"}}) {
    CHECK_THAT(answer_to(theirs), Catch::EndsWith(fmt::format("did you mean '{}'?", ours)));
  }
}

TEST_CASE("Foreign names: a switch is told how it is put off", "[unit]") {
  CHECK(answer_to("--no-joint-vocab") ==
        "2: unknown option '--no-joint-vocab'; switches take =false: --joint-vocab=false");
  CHECK(answer_of("xformer-train", {"--joint-vocab", "false"}) ==
        "2: unexpected argument 'false'; switches take =false: --joint-vocab=false");
  CHECK(answer_of("xformer-translate", {"--n-best", "true"}) ==
        "2: unexpected argument 'true'; switches take =false: --n-best=true");
}

TEST_CASE("Foreign names: a mistyped name still leads to the nearest, and not to one that a program lacks",
          "[unit]") {
  CHECK_THAT(answer_to("--lern-rate=0.1"), Catch::Contains("did you mean '--learn-rate'?"));
  CHECK(native_names("no such name").empty());
  CHECK(suggestion("lr", {"beam-size"}).empty());
}

TEST_CASE("Foreign names: each leads to an option that there is", "[unit]") {
  for (const char* name :
       {"lr", "epochs", "patience", "batch-size", "hidden-size", "ff_size", "num_heads", "num_layers",
        "dropout", "warmup", "scheduling", "model_dir", "random_seed", "voc_file"}) {
    INFO(name);
    CHECK(default_options("xformer-train").find(native_names(name).front()) != nullptr);
  }
  for (const char* name : {"prefix_size", "use_target_prefix", "sampling", "sampling_topk",
                           "random_sampling_topp", "report_align"}) {
    INFO(name);
    CHECK(default_options("xformer-translate").find(native_names(name).front()) != nullptr);
  }
}
