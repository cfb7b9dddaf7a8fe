#include "tools/app/inherited_options.h"
#include "tools/config/training_options.h"
#include "tools/setup/compute_device.h"

#include <cmath>
#include <filesystem>
#include <set>

#include "kernels/matmul.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/tools/parsed_options.h"
#include "tools/config/command_line.h"
#include "tools/config/config_file.h"
#include "tools/setup/model_config.h"
#include "tools/setup/read_training_options.h"

namespace xf::tools {
namespace {

using tests::error_of;
using tests::TemporaryFolder;

TrainingOptions train(const std::vector<std::string>& words) { return xf::tests::parsed_training(words); }

std::string toml_of(const std::vector<std::string>& words) {
  const TrainingOptions options = train(words);
  return options_of(options).to_toml();
}

// Of every program.
std::vector<Option> all_options() {
  std::vector<Option> all;
  for (const std::string_view program : all_programs())
    for (const Option& option : default_options(program)) all.push_back(option);
  return all;
}

template <typename T>
bool holds(const Option& option) {
  return std::holds_alternative<T*>(option.field) ||
         std::holds_alternative<std::optional<T>*>(option.field) ||
         std::holds_alternative<std::vector<T>*>(option.field);
}

std::string train_error(const std::vector<std::string>& words) {
  return error_of([&] { train(words); });
}

TEST_CASE("Options: without arguments the values are the table's and those of transformer-tiny", "[unit]") {
  const TrainingOptions options = train({});
  CHECK(options.saving.keep_last == 10);  // training_options.h
  CHECK(options.model.dim_emb == 128);    // presets/transformer-tiny.toml
  CHECK(options.model.tied_embeddings_all);
  CHECK(options.optimizer.optimizer_params == std::vector<double>{0.9, 0.98, 1e-8});
  CHECK(options.validation.valid_freq == TrainingLength{1, TrainingLength::Unit::epochs});
  CHECK(options.data.train_sets.empty());
  CHECK_FALSE(options.is_given("dim-emb"));
}

TEST_CASE("Options: every preset sets every value that the table leaves to the task", "[unit]") {
  for (const Preset& preset : presets()) {
    if (!preset.text) continue;  // a tutorial's, in a build without them
    const TrainingOptions any;
    const OptionList list = options_of(any);
    const GivenOptions given = options_of_preset(list, preset.name);
    for (const Option& option : list) {
      INFO(preset.name << " " << option.name);
      CHECK((find_given(given, option.name) != nullptr || !option.is_by_task));
    }
  }
}

TEST_CASE("Options: a preset that extends another has its values once, but for those that it gives",
          "[unit]") {
  const TrainingOptions any;
  const GivenOptions options =
      options_of_preset(options_of(any), "multi30k");  // extends multi30k-fast, transformer-tiny
  const auto value = [&](const char* name) {
    std::string words;
    for (const GivenOption& option : options)
      if (option.name == name) words += option.words.front() + ";";
    return words;
  };
  CHECK(value("bidirectional") == "70;");
  CHECK(value("optimizer") == "muon;");
  CHECK(value("dim-emb") == "128;");
  CHECK(value("extends").empty());
}

TEST_CASE(
    "Options: the command line goes before the file, the file before the task, the task before the table",
    "[unit]") {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("c.toml", "task = \"transformer-base\"\nenc-depth = 3\nmin-freq = 7\nseed = 5\n");
  const TrainingOptions options = train({"-c", path.c_str(), "--seed", "9"});
  CHECK(options.numerics.seed == 9);      // all but the task set it
  CHECK(options.model.enc_depth == 3);    // file and task
  CHECK(options.text.min_freq == 7);      // file and table
  CHECK(options.model.dec_depth == 6);    // the task, named in the file
  CHECK(options.text.max_length == 100);  // the table
  CHECK(options.is_given("enc-depth"));
  CHECK_FALSE(options.is_given("dec-depth"));
  CHECK(train({"-c", path.c_str(), "--task", "transformer-tiny"}).model.dec_depth == 4);
}

TEST_CASE("Options: an unknown option or key names the nearest one, and a file's line", "[unit]") {
  CHECK(train_error({"--lern-rate", "1"}) == "2: unknown option '--lern-rate'; did you mean '--learn-rate'?");
  CHECK(train_error({"--lern-rate=1"}) == "2: unknown option '--lern-rate'; did you mean '--learn-rate'?");
  CHECK(train_error({"--xyzzyxyzzy"}) == "2: unknown option '--xyzzyxyzzy'; see xformer-train --help");
  CHECK(train_error({"stray"}) == "2: unexpected argument 'stray'; see xformer-train --help");
  CHECK(train_error({"--task", "transformer-tyni"})
            .starts_with("2: unknown task 'transformer-tyni'; did you mean 'transformer-tiny'?"));
  CHECK(error_of([] { training_options_from_toml("dim-emb = 64\n\nlern-rate = 1\n", "config.toml"); }) ==
        "2: config.toml:3: unknown key 'lern-rate'; did you mean 'learn-rate'?");
}

TEST_CASE("Options: a wrong type, range, choice or number of values is refused by name", "[unit]") {
  CHECK(train_error({"--dim-emb", "big"}) == "2: --dim-emb: 'big' is not a whole number (as 8000 or 8K)");
  CHECK(train_error({"--dim-emb", "1.5"}).starts_with("2: --dim-emb: '1.5' is not a whole number"));
  CHECK(train_error({"--learn-rate=nan"}) == "2: --learn-rate: 'nan' is not a number");
  CHECK(train_error({"--transformer-dropout", "1"}) ==
        "2: --transformer-dropout: 1 is out of range; it must be from 0 to 0.99");
  CHECK(train_error({"--norm", "pots"}) ==
        "2: --norm: unknown value 'pots'; did you mean 'post'? (one of post, pre)");
  CHECK(train_error({"-t", "one"}) ==
        "2: train-sets: type translation reads SRC TRG, got 1 file; "
        "--tsv reads lines of two texts with a tab between them");
  CHECK(train_error({"-t", "one", "two", "three"}) ==
        "2: train-sets: type translation reads SRC TRG, got 3 files");
  CHECK(train_error({"--tsv", "--valid-sets", "one", "two"}) ==
        "2: valid-sets: type translation reads one file of SOURCE TAB TARGET lines, got 2 files");
  CHECK(error_of([] {
          xf::tests::parse_any("xformer-vocab train", {"--character-coverage", "0.9"});
        }) == "2: --character-coverage: 0.9 is out of range; it must be from 0.98 to 1");
  CHECK(train_error({"--lowercase=maybe"}) == "2: --lowercase: 'maybe' is neither true nor false");
  CHECK(train_error({"--after", "3x"}).starts_with("2: --after: '3x' is not a number with a unit"));
  CHECK(train_error({"--dim-emb"}).starts_with("2: --dim-emb lacks a value"));
}

TEST_CASE("Config file: what is wrong is said with its line", "[unit]") {
  const auto error = [](const char* toml) {
    return error_of([&] { training_options_from_toml(toml, "c.toml"); });
  };
  CHECK(error("\ndim-emb = \"big\"") ==
        "2: c.toml:2: key 'dim-emb': 'big' is not a whole number (as 8000 or 8K)");
  CHECK(error("dim-emb = [1, 2]") == "2: c.toml:1: key 'dim-emb': takes one value, not a list");
  CHECK(error("lowercase = 1") == "2: c.toml:1: key 'lowercase': '1' is neither true nor false");
  CHECK(error("seed = 1979-05-27") ==
        "2: c.toml:1: key 'seed': the value must be a number, a text, true, false or a list of these");
  CHECK(error("# x\n[model]\ndim-emb = 4").starts_with("2: c.toml:2: 'model' is a table; the file is flat"));
  CHECK(error("seed = 1\nseed = 2").starts_with("2: c.toml:2: "));
  CHECK(error("overwrite = true") ==
        "2: c.toml:1: 'overwrite' belongs on the command line (--overwrite), not in a file");
  CHECK(error("seed = 1\nafter = 3e")
            .ends_with("; put texts and amounts with a unit in quotes: after = \"3e\""));
  CHECK(error("task = demo").ends_with("; put texts and amounts with a unit in quotes: task = \"demo\""));
  CHECK_THAT(error("seed = 1\nseed = 2"), !Catch::Contains("quotes"));
  CHECK_THAT(error("seed = = 2"), !Catch::Contains("quotes"));
  CHECK(train_error({"-c", "/nowhere/c.toml"}) == "2: config file /nowhere/c.toml does not exist");
}

// As joeynmt, Marian, OpenNMT-py and sockeye's configurations begin, and what json.dump() writes.
TEST_CASE("Config file: YAML and JSON are named as such, by content and by name", "[unit]") {
  const auto error = [](const char* text, const char* name) {
    return error_of([&] { training_options_from_toml(text, name); });
  };
  for (const char* yaml :
       {"name: \"model\"\ndata:\n    src: \"de\"\n", "---\ndim-emb: 512\n", "# by hand\n\ntask: demo",
        "data:\n  corpus_1:\n    path_src: a\n", "- train.en\n- train.de\n", "%YAML 1.2\n---\na: 1\n"}) {
    INFO(yaml);
    CHECK(error(yaml, "c.conf")
              .starts_with("2: c.conf: is YAML, and a configuration must be TOML: a line `key = value`"));
  }
  for (const char* json : {"{\"dim-emb\": 512}", " {\n  \"task\": \"demo\",\n}\n"})
    CHECK(error(json, "c.conf").starts_with("2: c.conf: is JSON, and a configuration must be TOML"));
  CHECK(error("dim-emb 512", "model.yml").starts_with("2: model.yml: is YAML"));
  CHECK(error("[\"a\"", "model.json").starts_with("2: model.json: is JSON"));
  CHECK(error("task = demo", "c.toml").starts_with("2: c.toml:1: "));
  CHECK(error("seed = = \"a: b\"", "c.toml").starts_with("2: c.toml:1: "));
  training_options_from_toml("seed = 7", "c.yaml");  // what is TOML is read, whatever it is called
}

TEST_CASE("Config file: a key of 100,000 parts is refused", "[unit]") {
  std::string key = "a";
  for (int i = 0; i < 100'000; ++i) key += ".a";
  CHECK(error_of([&] {
          parse_config(default_options("xformer-train"), "seed = 1\n" + key + " = 1\n", "deep.toml");
        }).starts_with("2: deep.toml:2: "));
}

TEST_CASE("Options: what does not fit together is refused", "[unit]") {
  CHECK(train_error({"--dim-emb", "130"}) ==
        "2: transformer-heads: 4 heads do not divide the width of 130 (dim-emb)");
  CHECK(train_error({"--joint-vocab=false", "--tied-embeddings-all"})
            .starts_with("2: tied-embeddings-all: both sides must share a vocabulary"));
  CHECK(train_error({"-v", "a", "b", "--tied-embeddings-all"}).starts_with("2: tied-embeddings-all"));
  CHECK(train_error({"--lr-warmup", "2h"}).starts_with("2: lr-warmup: "));
  CHECK(train_error({"--r-drop", "1", "--r-drop-after", "2h"}).starts_with("2: r-drop-after: give updates"));
  CHECK(train_error({"--r-drop-after", "2e"}).starts_with("2: r-drop-after: says when R-Drop begins"));
  CHECK(train_error({"--fp16"}).find("--bf16") != std::string::npos);
  CHECK(train_error({"--bf16", "--precision", "float32"}) ==
        "2: --bf16 and --precision float32: choose one of them");
}

TEST_CASE("Options: a vocabulary for each side unties the source's embedding, which the task ties",
          "[unit]") {
  for (const TrainingOptions& options : {train({"-v", "a", "b"}), train({"--joint-vocab=false"}),
                                         train({"-v", "a", "b", "--task", "multi30k"})}) {
    CHECK(!options.model.tied_embeddings_all);
    CHECK(options.model.tied_embeddings);
  }
  CHECK(!train({"-v", "a", "b", "--tied-embeddings=false"}).model.tied_embeddings);
  CHECK(train({"-v", "a"}).model.tied_embeddings_all);
}

TEST_CASE("Options: what the command line asks for in vain is refused", "[unit]") {
  CHECK(train_error({"--early-stopping", "5"}) ==
        "2: early-stopping: has no effect without valid-sets; give that, or leave this out");
  CHECK(train({"--early-stopping", "0"}).stopping.early_stopping == 0);
  CHECK(train({"--early-stopping", "5", "--valid-sets", "a", "b"}).stopping.early_stopping == 5);
  CHECK(train({"--task", "demo"}).stopping.early_stopping > 0);  // which nobody asked for
  for (const char* const key : {"--lr-decay", "--lr-decay-patience", "--lr-decay-start"}) {
    CHECK_THAT(train_error({key, "1"}), Catch::Contains("has no effect without lr-schedule plateau"));
    CHECK(train({key, "1", "--lr-schedule", "plateau"}).is_given("lr-schedule"));
  }
  CHECK(train_error({"--r-drop", "3", "--r-drop-after", "200u", "--after", "200u"}) ==
        "2: r-drop-after: would begin after 200u, and the training ends at 200u (after)");
  CHECK(train({"--r-drop", "3", "--r-drop-after", "200u", "--after", "2e"}).is_given("r-drop"));
}

TEST_CASE("Options: a run's own configuration may hold what has no effect", "[unit]") {
  const TemporaryFolder folder;
  folder.write("config.toml", "train-sets = [\"a\", \"b\"]\nearly-stopping = 5\nlr-decay = 0.9\n");
  const std::string run = folder / "", file = folder / "config.toml";
  CHECK(train({"-m", run.c_str(), "--seed", "2"}).data.train_sets.size() == 2);
  CHECK(train({"-c", file.c_str()}).data.train_sets.size() == 2);
}

TEST_CASE("Options: what was removed is refused by name, and read in what a stored run holds", "[unit]") {
  const std::string removed = "minimum-risk training was removed, since it did not improve translations";
  for (const std::string name : {"minimum-risk", "minimum-risk-after", "minimum-risk-rate"})
    CHECK(train_error({("--" + name).c_str(), "8"}) == "2: --" + name + ": " + removed + "; leave it out");
  CHECK(train_error({"--minimum-risk=8"}) == "2: --minimum-risk: " + removed + "; leave it out");

  const std::string with = "train-sets = [\"a\", \"b\"]\nminimum-risk = 8.0\nminimum-risk-after = 44\n";
  CHECK(training_options_from_toml(with, "run/config.toml").data.train_sets.size() == 2);
  const TemporaryFolder folder;
  for (const char* const run : {"with", "without"}) std::filesystem::create_directory(folder / run);
  folder.write("with/config.toml", with);
  folder.write("without/config.toml",
               "train-sets = [\"a\", \"b\"]\nminimum-risk = 0.0\nminimum-risk-rate = 0.15\n");
  for (const char* const option : {"-c", "-m"}) {
    const std::string file = std::string(option) == "-c" ? "/config.toml" : "";
    const std::string run = folder / "with", other = folder / "without";
    CHECK(train_error({option, (run + file).c_str()}) ==
          "2: " + run + "/config.toml:2: key 'minimum-risk': " + removed +
              "; leave it out, or start from the model that was trained so: --pretrained-model");
    CHECK(train({option, (other + file).c_str()}).data.train_sets.size() == 2);
  }
}

TEST_CASE("Options: a file or folder is given once, of other values the last word counts", "[unit]") {
  CHECK(error_of([] {
          xf::tests::parse_any("xformer-translate", {"-i", "a", "-i", "b"});
        }) == "2: --input: given twice");
  CHECK(error_of([] {
          xf::tests::parse_any("xformer-translate", {"-o", "a", "--output=b"});
        }) == "2: --output: given twice");
  CHECK(train_error({"-c", "a", "-c", "b"}) == "2: --config: given twice");
  CHECK(train_error({"-m", "a", "-m", "b"}) == "2: --model: given twice");
}

TEST_CASE("Options: a word too many is told where it would belong", "[unit]") {
  CHECK(train_error({"--valid-sets", "a", "b", "c", "d"}) ==
        "2: unexpected argument 'c'; --valid-sets takes SRC TRG alone");
  CHECK(error_of([] {
          xf::tests::parse_any("xformer-translate", {"A dog.", "-m", "run"});
        }) == "2: unexpected argument 'A dog.'; text comes from -i FILE or the standard input");
}

TEST_CASE("Options: a run stands for its latest checkpoint, and a path's last slash for nothing", "[unit]") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "run/latest");
  folder.write("run/latest/model.safetensors", "");
  folder.write("run/latest/config.toml", "seed = 7\n");
  const std::string run = folder / "run", latest = run + "/latest";
  const TrainingOptions options = train({"--resume", run.c_str(), "-m", "new/"});
  CHECK(options.saving.resume == latest);
  CHECK(options.numerics.seed == 7);
  CHECK(options.saving.model == "new");
  CHECK(train({"--resume", latest.c_str()}).saving.resume == latest);
}

TEST_CASE("Options: a run begins with one checkpoint's weights", "[unit]") {
  CHECK(train_error({"--resume", "a", "--pretrained-model", "b"}) ==
        "2: --resume continues a, and --pretrained-model starts from b; leave out one of them");
}

TEST_CASE("Options: a type of model whose task is not given is told what to give", "[unit]") {
  CHECK(train_error({"--type", "language-model"}) ==
        "2: type: the task transformer-tiny is for models of another type; give --task language-model");
  CHECK(train({"--type", "language-model", "--enc-depth", "0", "--joint-vocab=false",
               "--tied-embeddings-all=false", "--valid-metrics", "perplexity"})
            .model.enc_depth == 0);
}

TEST_CASE("Options: what begins with a model's weights is of its type, and without a task of its type's",
          "[unit]") {
  const TemporaryFolder folder;
  for (const char* type : {"language-model", "classification"}) {
    const std::string run = folder / type;
    std::filesystem::create_directories(run);
    folder.write(std::string(type) + "/config.toml", toml_of({"--task", type, "--dim-emb", "64"}));
    folder.write(std::string(type) + "/model.safetensors", "");
    const bool classifies = std::string(type) == "classification";
    folder.write(std::string(type) + (classifies ? "/vocab.source.spm" : "/vocab.spm"), "");
    if (classifies) folder.write(std::string(type) + "/vocab.target.labels", "");
    const TrainingOptions options = train({"--pretrained-model", run.c_str()});
    CHECK(options.task == type);
    CHECK(options.model.type == type);
    CHECK(options.model.dim_emb == 64);
    CHECK(options.data.vocabs.size() == 1);
    CHECK(options.validation.valid_metrics == train({"--task", type}).validation.valid_metrics);
    CHECK_THAT(train_error({"--pretrained-model", run.c_str(), "--task", "demo"}),
               Catch::StartsWith(std::string("2: pretrained-model: is of type ") + type) &&
                   Catch::EndsWith(std::string("this training of type translation; give --task ") + type));
  }
}

TEST_CASE("Options: a run that goes on with its text named has its task", "[unit]") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "run/checkpoints/update-000001");
  folder.write("run/config.toml", toml_of({"--task", "language-model"}));
  const std::string run = folder / "run";
  CHECK(train({"-t", "text", "-m", run.c_str()}).model.type == "language-model");
  CHECK(train_error({"-t", "text", "-m", run.c_str(), "--overwrite"}) ==
        "2: train-sets: type translation reads SRC TRG, got 1 file; "
        "--tsv reads lines of two texts with a tab between them");
}

TEST_CASE("Options: one text has one language, two have two", "[unit]") {
  CHECK(train({"--task", "language-model", "--languages", "en"}).text.languages.size() == 1);
  CHECK(train_error({"--languages", "en"}) ==
        "2: languages: type translation has two sides; give two, got en");
  CHECK(train({"--task", "language-model", "--vocab-sizes", "100"}).data.vocab_sizes.size() == 1);
  CHECK_THAT(error_of([] {
               trainer_options(train({"--task", "language-model", "--lr-schedule", "plateau"}), 10);
             }),
             Catch::EndsWith("give --valid-sets FILE"));
}

TEST_CASE("Options: quiet is of one command: a run does not keep it, and one that has it is read", "[unit]") {
  const TemporaryFolder folder;
  CHECK_THAT(toml_of({"--quiet"}), !Catch::Contains("quiet"));
  folder.write("config.toml", "quiet = true\ntrain-sets = [\"a\", \"b\"]\n");
  const std::string run = folder / "", file = folder / "config.toml";
  CHECK_FALSE(train({"-m", run.c_str()}).quiet);
  CHECK(train({"-m", run.c_str(), "--quiet"}).quiet);
  CHECK(train({"-c", file.c_str()}).quiet);
}

TEST_CASE("Options: sgd has one parameter, which is 0 unless given, and Adam has three", "[unit]") {
  CHECK(train({"--optimizer", "sgd"}).optimizer.optimizer_params == std::vector<double>{0});
  const TrainingOptions momentum =
      train({"--optimizer", "sgd", "--optimizer-params", "0.9", "--weight-decay", "0.5"});
  const nn::OptimizerOptions optimizer = optimizer_options(momentum);
  REQUIRE(std::holds_alternative<kernels::SgdOptions>(optimizer));
  CHECK(std::get<kernels::SgdOptions>(optimizer).momentum == 0.9f);
  CHECK(std::get<kernels::SgdOptions>(optimizer).weight_decay == 0.5f);
  CHECK(
      training_options_from_toml(options_of(momentum).to_toml(), "config.toml").optimizer.optimizer_params ==
      std::vector<double>{0.9});
  CHECK(std::get<kernels::AdamOptions>(optimizer_options(train({"--optimizer", "adamw"}))).decoupled);
  CHECK(train_error({"--optimizer", "sgd", "--optimizer-params", "0.9", "0.98"}) ==
        "2: optimizer-params: sgd takes one, its momentum, got 2 values");
  CHECK(train_error({"--optimizer-params", "0.9"}) ==
        "2: optimizer-params: adam takes three, beta1, beta2 and epsilon, got 1 value");
  CHECK(train_error({"--optimizer-params", "0.9", "1", "1e-8"}) ==
        "2: optimizer-params: a decay rate of a mean is 1; give one below 1");
  CHECK(train_error({"--optimizer-params", "0.9", "0.98", "0"}) ==
        "2: optimizer-params: epsilon is 0; give one above 0");
}

TEST_CASE("Options: --precision auto is what the device has products of", "[unit]") {
  CHECK(chosen_dtype(train({"--device", "cpu"}).compute) == DType::f32);
  CHECK(chosen_dtype(train({"--device", "cpu", "--bf16"}).compute) == DType::bf16);
  CHECK(chosen_dtype(train({"--device", "cpu", "--task", "multi30k"}).compute) ==
        (kernels::has_fast_bf16_products(Device::cpu()) ? DType::bf16 : DType::f32));
}

TEST_CASE("Options: what layer normalisation adds to the variance is in the model's config, within bounds",
          "[unit]") {
  CHECK(model_config(train({}), 10, 10).norm_epsilon == 1e-5f);
  CHECK(model_config(train({"--layer-norm-epsilon", "1e-6"}), 10, 10).norm_epsilon == 1e-6f);
  for (const char* value : {"0", "1", "-1e-6", "nan"})
    CHECK_THAT(train_error({"--layer-norm-epsilon", value}), Catch::StartsWith("2: "));
}

TEST_CASE("Options: rotary positions are in the model's config, and exclude others", "[unit]") {
  CHECK_FALSE(model_config(train({}), 10, 10).rotary_positions);
  CHECK(model_config(train({"--transformer-rotary-positions"}), 10, 10).rotary_positions);
  CHECK(model_config(train({"--task", "multi30k"}), 10, 10).rotary_positions);
  const auto refused = [](std::vector<std::string> others) {
    others.push_back("--transformer-rotary-positions");
    return train_error(others);
  };
  CHECK(refused({"--transformer-train-positions"})
            .starts_with("2: transformer-rotary-positions: positions are learnt"));
  CHECK(refused({"--position-layout", "split"}).ends_with("leave it out, or transformer-rotary-positions"));
  CHECK(refused({"--dim-emb", "12", "--transformer-heads", "4"})
            .ends_with("a head has 12 / 4 = 3; choose an even width"));
}

TEST_CASE("Options: each activation and learnt positions are in the model's config", "[unit]") {
  for (const auto& [name, activation] :
       {std::pair{"relu", kernels::Activation::relu}, std::pair{"gelu", kernels::Activation::gelu},
        std::pair{"swish", kernels::Activation::swish}}) {
    CHECK(model_config(train({"--transformer-ffn-activation", name}), 10, 10).activation == activation);
  }
  CHECK_FALSE(model_config(train({}), 10, 10).learned_positions);
  const auto config = model_config(train({"--transformer-train-positions", "--max-length", "40"}), 10, 10);
  CHECK(config.learned_positions);
  CHECK(nn::most_tokens(config) == 41);
  CHECK(train_error({"--transformer-train-positions", "--position-layout", "split"})
            .starts_with("2: position-layout is of sines and cosines"));
}

TEST_CASE("Options: a name that training.toml cannot hold is refused", "[unit]") {
  CHECK(error_of([] {
          train({"-t", "gr\xfcn.en", "a.de"});
        }).starts_with("2: train-sets: the name 'gr\xfcn.en' is not UTF-8"));
  CHECK(error_of([] { train({"-m", "l\xe4ufe"}); }).starts_with("2: model: "));
  CHECK(train({"-m", "läufe"}).saving.model == "läufe");
}

TEST_CASE("Options: a run's name without a text stands for the run's own options", "[unit]") {
  const tests::TemporaryFolder folder;
  folder.write("config.toml",
               "task = \"demo\"\ntrain-sets = [\"a.en\", \"a.de\"]\nlearn-rate = 0.5\nseed = 7\n");
  const std::string run = folder / "";
  const TrainingOptions alone = train({"-m", run.c_str(), "--after", "20e", "--seed", "8"});
  CHECK(alone.data.train_sets == std::vector<std::string>{"a.en", "a.de"});
  CHECK(alone.schedule.learn_rate == 0.5);
  CHECK(alone.numerics.seed == 8);
  CHECK(alone.task == "demo");
  CHECK(alone.model.enc_depth == train({"--task", "demo"}).model.enc_depth);
  const TrainingOptions whole = train({"-m", run.c_str(), "-t", "a.en", "a.de"});
  CHECK(whole.schedule.learn_rate == 0.003);
  CHECK(train({"-m", folder / "none"}).data.train_sets.empty());
}

TEST_CASE("Options: counts take K M G, amounts their units, lists commas or spaces", "[unit]") {
  CHECK(train({"--mini-batch-words", "8K"}).batches.mini_batch_words == 8000);
  const std::vector<TrainingLength> stops = {{300000, TrainingLength::Unit::updates},
                                             {2e9, TrainingLength::Unit::tokens},
                                             {1.5, TrainingLength::Unit::hours}};
  CHECK(train({"--after", "300Ku,2Gt,1.5h"}).stopping.after == stops);
  CHECK(train({"--after", "300Ku", "2Gt", "1.5h"}).stopping.after == stops);
  CHECK(train({"--after", "42"}).stopping.after ==
        std::vector<TrainingLength>{{42, TrainingLength::Unit::updates}});
  CHECK(train({"--valid-print", "7", "1K"}).validation.valid_print == std::vector<int64_t>{7, 1000});
  CHECK(train({"--valid-print", "7,1K"}).validation.valid_print == std::vector<int64_t>{7, 1000});
  CHECK_THROWS_AS(train({"--after", "10e,,2h"}), Error);
  CHECK_FALSE(parse_training_length("-1e"));
  CHECK_FALSE(parse_training_length("Ku"));
  CHECK_FALSE(parse_count("9999999999G"));
  CHECK(to_string(TrainingLength{90, TrainingLength::Unit::minutes}) == "90m");
}

TEST_CASE("Options: switches are on by name and off by =false, and the last word counts", "[unit]") {
  CHECK(train({"--max-length-crop"}).data.max_length_crop);
  CHECK_FALSE(train({"--lowercase=false"}).text.lowercase);
  CHECK(train({"--seed", "1", "--seed=2"}).numerics.seed == 2);
}

TEST_CASE("Options: sacreBLEU's flags of several letters are those flags", "[unit]") {
  const ScoringOptions options = xf::tests::parsed(
      ScoringOptions(),
      {"bleu", "ref.de", "-i", "a", "b", "-lc", "-tok", "intl", "-sl", "-sh", "-b", "-w", "4"});
  CHECK(options.references == std::vector<std::string>{"bleu", "ref.de"});
  CHECK(options.input == std::vector<std::string>{"a", "b"});
  CHECK(options.lowercase);
  CHECK(options.tokenize == "intl");
  CHECK(options.sentence_level);
  CHECK(options.short_);
  CHECK(options.score_only);
  CHECK(options.width == 4);
}

TEST_CASE("Options: words after -- are no options, and - is a file name", "[unit]") {
  const auto options =
      xf::tests::parsed(CheckOptions("xformer-vocab stats"), {"--max-length", "7", "--", "-odd-name", "-"});
  CHECK(options.input == std::vector<std::string>{"-odd-name", "-"});
  CHECK(xf::tests::parsed(CodeOptions("xformer-vocab encode"), {"-m", "v", "-"}).input == "-");
  CHECK(error_of([] { xf::tests::parse_any("xformer-vocab stats", {"[v,w]"}); }) ==
        "2: '[v,w]': a name in brackets; write './[v,w]'");
}

TEST_CASE("Options: a dumped configuration reads back to the same values", "[unit]") {
  const TrainingOptions options = train({"-t", "a \"b\".en", "c\\d\t.de", "--learn-rate", "3e-4", "--after",
                                         "10e,2h", "--optimizer-params", "0", "0.5", "1e-9", "--norm", "pre",
                                         "--transformer-dropout", "0", "--task", "transformer-base"});
  const TrainingOptions again = training_options_from_toml(options_of(options).to_toml(), "dump");
  CHECK(options_of(again).to_toml() == options_of(options).to_toml());
  CHECK(changed_options(options_of(options), options_of(again)).empty());
  for (const std::string& name : options_of(options).names(true))
    CHECK(options_of(again).at(name).text() == options_of(options).at(name).text());
}

TEST_CASE("Options: --dump-config is the answer also where no option may stand in a file", "[unit]") {
  const std::vector<const char*> words = {"program", "--dump-config"};
  CHECK_FALSE(parse_options(OpOptions(), 2, words.data()));
  CHECK_FALSE(parse_options(MasksOptions(), 2, words.data()));
  CHECK_FALSE(parse_options(QuirkOptions(), 2, words.data()));
}

TEST_CASE("Options: on resume only keys that shape the model or its training count as changed", "[unit]") {
  const TrainingOptions before = train({});
  const TrainingOptions now = train({"--learn-rate", "0.004", "--after", "20e", "--cpu-threads", "1",
                                     "--valid-freq", "100u", "-m", "elsewhere"});
  const auto changes = changed_options(options_of(before), options_of(now));
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].name == "learn-rate");
  CHECK(changes[0].before == "0.003");
  CHECK(changes[0].now == "0.004");
  const TrainingOptions small = train({"-w", "100"}), large = train({"-w", "200"});
  CHECK(changed_options(options_of(small), options_of(large)).empty());
  const TrainingOptions few = train({"--mini-batch-fit", "-w", "100"}),
                        many = train({"--mini-batch-fit", "-w", "200"});
  const auto other_batches = changed_options(options_of(few), options_of(many));
  REQUIRE(other_batches.size() == 1);
  CHECK(other_batches[0].name == "workspace");
}

TEST_CASE(
    "Options: a name that the list lacks is an error of the program, an option that is not set one of the "
    "user",
    "[unit]") {
  const TrainingOptions options = train({});
  CHECK(error_of([&] { options_of(options).at("no-such"); }) ==
        "1: options: xformer-train has no option 'no-such'");
  CHECK(error_of([&] { options_of(options).require("train-sets"); }) ==
        "2: xformer-train needs --train-sets SRC TRG...; see xformer-train --help");
  CHECK_THAT(error_of([] { default_options("xformer-export to").require("format"); }),
             Catch::Contains("needs --format ctranslate2|hf-marian|safetensors|text|xformer; see"));
}

TEST_CASE("Option table: a program knows a name once, and every row says what it does", "[unit]") {
  for (const std::string_view program : all_programs()) {
    auto names = default_options(program).names();
    std::sort(names.begin(), names.end());
    INFO(program);
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  }
  for (const Option& option : all_options()) {
    INFO(option.name);
    CHECK_FALSE(option.help.empty());
    const std::vector<std::string> choices = split(option.choices, '|');
    for (const std::string& word : option.words())  // the default
      CHECK((choices.empty() || std::ranges::find(choices, word) != choices.end()));
  }
}

TEST_CASE("Options: the configurations of the guide are read", "[unit]") {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(tests::source_folder() + "/docs/configurations")) {
    const std::string path = entry.path();
    INFO(path);
    CHECK(train({"-c", path.c_str()}).is_given("transformer-dim-ffn"));
    ++count;
  }
  CHECK(count == 2);
}

TEST_CASE("Options: sizes that no model has are refused by their range, and at once", "[unit]") {
  CHECK_THAT(train_error({"--vocab-size", "4294967396"}),
             Catch::Contains("4294967396 is out of range; it must be from 8 to 100000000"));
  CHECK_THAT(train_error({"--dim-emb", "1000000000000000000"}), Catch::Contains("from 2 to 65536"));
  CHECK_THAT(train_error({"--enc-depth", "5000"}), Catch::Contains("from 0 to 1000"));
  CHECK_THAT(train_error({"-w", "9000000000000000"}), Catch::Contains("from 0 to 1000000000"));
  CHECK_THAT(train_error({"--after", "0u"}), Catch::Contains("after: 0u means no training"));
  CHECK_THAT(train_error({"--after", "1e308Gu"}), Catch::Contains("is not a number with a unit"));
  CHECK(train_error({"--after", "8Ku,1.5e"}) ==
        "2: after: 1.5e is a part of an epoch; give whole epochs, or updates");
  for (const char* key : {"--valid-freq", "--save-freq", "--disp-freq"})
    CHECK_THAT(train_error({key, "0.5e"}), Catch::Contains("give whole epochs"));
  CHECK(train({"--lr-warmup", "0.5e"}).schedule.lr_warmup.value == 0.5);  // is counted in updates
  CHECK_THAT(train_error({"--valid-freq", "1h"}),
             Catch::Contains("valid-freq counts updates, epochs or tokens"));
  CHECK_THAT(train_error({"--throw-on-divergence", "--rollback"}), Catch::Contains("choose one of them"));
}

TEST_CASE("Options: --help shows what matters most, --help-all everything", "[unit]") {
  const std::string some = help_text(default_options("xformer-train"), false),
                    all = help_text(default_options("xformer-train"), true);
  CHECK_THAT(some, Catch::Contains("--dim-emb") && !Catch::Contains("--maxi-batch-sort") &&
                       Catch::Contains("--help-all shows"));
  CHECK_THAT(all, Catch::Contains("--dim-emb") && Catch::Contains("--maxi-batch-sort") &&
                      !Catch::Contains("more options"));
  CHECK_THAT(some, Catch::Contains("it overrides the task"));
  CHECK_THAT(help_text(default_options("xformer-translate"), true), !Catch::Contains("the task"));
  const OptionList& classify = default_options("xformer-classify");
  CHECK(help_text(classify, true) == help_text(classify, false));
}

TEST_CASE("Option table: every real number has bounds, and none is infinite or no number", "[unit]") {
  int rows = 0;
  for (Option spec : all_options()) {
    if (!holds<double>(spec)) continue;
    INFO(spec.name);
    ++rows;
    CHECK(std::isfinite(spec.minimum));
    CHECK(std::isfinite(spec.maximum));
    CHECK(std::isfinite(static_cast<float>(spec.maximum)));  // what computes with it
    for (const char* const word : {"1e308", "-1e308"})
      CHECK_THAT(error_of([&] {
                   spec.set(std::vector<std::string>(static_cast<size_t>(spec.min_values), word), "here");
                 }),
                 Catch::Contains("out of range"));
    for (const char* const word : {"nan", "inf", "-inf", "1e999"})
      CHECK_THAT(error_of([&] {
                   spec.set(std::vector<std::string>(static_cast<size_t>(spec.min_values), word), "here");
                 }),
                 Catch::Contains("is not a number"));
  }
  CHECK(rows > 30);
}

TEST_CASE("Option table: a whole number that memory or work grows with has an upper bound", "[unit]") {
  // Compared with a count of something that is there, asked for on purpose, or no size at all.
  const std::set<std::string_view> unbounded = {"seed",
                                                "min-freq",
                                                "num-examples",
                                                "top-k",
                                                "max-length",
                                                "keep-last",
                                                "keep-best",
                                                "last",
                                                "best",
                                                "position",
                                                "alignment-layer",
                                                "disp-first",
                                                "stat-freq",
                                                "lr-decay-patience",
                                                "lr-decay-start",
                                                "columns",
                                                "spm-input-sentences",
                                                "valid-print",
                                                "early-stopping",
                                                "pairs",
                                                "updates",
                                                "layer",
                                                "head"};
  int bounded = 0;
  for (Option spec : all_options()) {
    if (!holds<int64_t>(spec) || unbounded.contains(spec.name)) continue;
    INFO(spec.name);
    ++bounded;
    for (const char* const word : {"4611686018427387904", "1000000000000000000", "-9000000000000000000"})
      CHECK_THAT(error_of([&] {
                   spec.set(std::vector<std::string>(static_cast<size_t>(spec.min_values), word), "here");
                 }),
                 Catch::Contains("out of range"));
  }
  CHECK(bounded > 30);
  CHECK_THAT(train_error({"--optimizer-delay", "100M"}), Catch::Contains("from 1 to 10000"));
}

TEST_CASE("Options: numbers of the optimiser that are 0 or 1 in float32 are refused as such", "[unit]") {
  for (const std::vector<std::string>& params :
       {std::vector<std::string>{"0.9", "0.98", "1e-300"}, {"0.9", "0.99999999999", "1e-8"}}) {
    CHECK_THAT(train_error({"--optimizer-params", params[0], params[1], params[2]}),
               Catch::Contains("optimizer-params"));
  }
}

TEST_CASE("Options: a cosine ends with --after, though an update has the batches of several epochs",
          "[unit]") {
  const TrainingOptions options = train({"--task", "demo", "--optimizer-delay", "40", "--after", "1e"});
  CHECK(trainer_options(options, 0.1).schedule.total == 1);
}

}  // namespace
}  // namespace xf::tools
