#include "tools/curves.h"

#include <filesystem>

#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

TEST_CASE("Curves: lines that are cut or somebody else's are passed over", "[unit]") {
  const xf::tests::TemporaryFolder run;
  const std::string good = R"({"event":"valid","update":4,"metric":"bleu","score":12.5})";
  std::string lines;
  for (const char* bad :
       {R"({"event":"train"})", R"({"event":7})", R"({"event":"train","update":"x","loss":1})",
        R"({"event":"valid","score":null})", R"({"event":"tr)", "[1]", "7", ""}) {
    lines += std::string(bad) + "\n";
  }
  run.write("metrics.jsonl", lines + good + "\n");
  xf::tools::write_curves(run / "");
  CHECK(std::filesystem::exists(run / "loss.svg"));
  CHECK(std::filesystem::exists(run / "bleu.svg"));
}
