#include "tools/foreign_names.h"

#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tools/config_file.h"
#include "tools/options.h"

using namespace xf::tools;
using xf::tests::error_of;

namespace {

std::string answer_to(const std::string& option) {
  const std::vector<const char*> words{"xformer-train", option.c_str()};
  return error_of([&] { parse_options(Program::train, static_cast<int>(words.size()), words.data()); });
}

}  // namespace

TEST_CASE("Foreign names: what other toolkits call an option leads to ours", "[unit]") {
  CHECK_THAT(answer_to("--lr=0.1"), Catch::Contains("unknown option '--lr'; did you mean '--learn-rate'?"));
  CHECK_THAT(answer_to("--epochs=5"), Catch::Contains("did you mean '--after'?"));
  CHECK_THAT(answer_to("--patience=5"), Catch::Contains("did you mean '--early-stopping'?"));
  CHECK_THAT(answer_to("--batch-size=64"), Catch::Contains("did you mean '--mini-batch-words'?"));
  CHECK_THAT(answer_to("--hidden_size=64"), Catch::Contains("did you mean '--dim-emb'?"));
  CHECK_THAT(answer_to("--activation_fn=swish"),
             Catch::Contains("did you mean '--transformer-ffn-activation'?"));
  CHECK_THAT(answer_to("--encoder-learned-pos"),
             Catch::Contains("did you mean '--transformer-train-positions'?"));
  CHECK_THAT(error_of([] { parse_config(Program::train, "learning_rate = 0.1", "x.toml"); }),
             Catch::Contains("unknown key 'learning_rate'; did you mean 'learn-rate'?"));
}

TEST_CASE("Foreign names: a mistyped name still leads to the nearest, and not to one that a program lacks",
          "[unit]") {
  CHECK_THAT(answer_to("--lern-rate=0.1"), Catch::Contains("did you mean '--learn-rate'?"));
  CHECK(native_name("no such name").empty());
  CHECK(suggestion("lr", {"beam-size"}).empty());
}

TEST_CASE("Foreign names: each leads to an option that there is", "[unit]") {
  for (const char* name :
       {"lr", "epochs", "patience", "batch-size", "hidden-size", "ff_size", "num_heads", "num_layers",
        "dropout", "warmup", "scheduling", "model_dir", "random_seed", "voc_file"}) {
    INFO(name);
    CHECK(find_option(Program::train, native_name(name)) != nullptr);
  }
  for (const char* name : {"prefix_size", "use_target_prefix", "sampling", "sampling_topk",
                           "random_sampling_topp", "report_align"}) {
    INFO(name);
    CHECK(find_option(Program::translate, native_name(name)) != nullptr);
  }
}
