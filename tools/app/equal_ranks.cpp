#include "tools/app/equal_ranks.h"
#include "tools/config/training_options.h"
#include "tools/setup/compute_device.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "core/checksum.h"
#include "core/error.h"
#include "core/file.h"
#include "core/processor.h"
#include "data/corpus_preparation.h"
#include "tools/app/run_start.h"
#include "tools/config/build_info.h"
#include "tools/console/progress.h"
#include "tools/setup/model_config.h"

namespace xf::tools {

namespace {

struct Named {
  std::string name, value;  // without zero bytes
};

struct Difference {
  std::string name, value, of_first;  // of the rank, and of rank 0
  std::string rank = {}, first = {};  // what they are called
  int64_t others = 0;                 // names that differ besides
};

std::string text_of(const std::vector<Named>& values) {
  std::string text;
  for (const Named& one : values) text += one.name + '\0' + one.value + '\0';
  return text;
}

std::vector<Named> values_of(const std::string& text) {
  const std::vector<std::string> words = split_all(text, '\0');
  std::vector<Named> values;
  for (size_t i = 0; i + 1 < words.size(); i += 2) values.push_back({words[i], words[i + 1]});
  return values;
}

// Of those of rank 0 and of another one; what one of them lacks has no value there.
std::vector<Difference> differences(const std::vector<Named>& first, const std::vector<Named>& other) {
  std::vector<Difference> found;
  const auto in = [](const std::vector<Named>& values, const std::string& name) {
    const auto place = std::ranges::find(values, name, &Named::name);
    return place == values.end() ? nullptr : &*place;
  };
  for (const Named& one : first) {
    const Named* const its = in(other, one.name);
    if (!its || its->value != one.value)
      found.push_back({.name = one.name, .value = its ? its->value : "", .of_first = one.value});
  }
  for (const Named& one : other) {
    if (!in(first, one.name)) found.push_back({.name = one.name, .value = one.value, .of_first = ""});
  }
  return found;
}

// Of the lowest rank that has any.
std::optional<Difference> first_difference(const std::vector<Named>& values, Collective& ranks) {
  const std::vector<std::string> texts = ranks.gather_if_different(text_of(values));
  for (size_t r = 1; r < texts.size(); ++r) {
    const std::vector<Difference> found = differences(values_of(texts.front()), values_of(texts[r]));
    if (found.empty()) continue;
    Difference difference = found.front();
    difference.rank = ranks.name_of(static_cast<int>(r));
    difference.first = ranks.name_of(0);
    difference.others = std::ssize(found) - 1;
    return difference;
  }
  return {};
}

// ---- options

// What is compared of an option: its value, or how many names it has.
std::string compared(const Option& option) {
  const std::string value = option.text();
  if (option.among_ranks != AmongRanks::place || value.empty()) return value;
  if (option.name == "resume" && !names_checkpoint(value)) return value;
  return fmt::format("({})", counted(std::ssize(option.words()), "name"));
}

bool is_compared(const TrainingOptions& options, const Option& option) {
  if (option.name == "workspace")
    return options.batches.mini_batch_fit;  // what fits in it is what a batch holds
  return option.among_ranks != AmongRanks::own;
}

// The task goes before the options that it sets.
std::vector<Named> compared(const TrainingOptions& options) {
  std::vector<Named> values = {{"task", options.task}};
  for (const Option& option : options_of(options)) {
    if (option.name != "task" && is_compared(options, option))
      values.push_back({std::string(option.name), compared(option)});
  }
  return values;
}

// "with --learn-rate 0.002"
std::string shown(const std::string& name, const std::string& value) {
  if (value.empty()) return "without --" + name;
  return fmt::format("with --{}{}{}", name, value == "true" || value == "false" ? "=" : " ", value);
}

// ---- what is read

std::string checksum_of(const std::string& path) {
  Crc64 crc;
  crc.add(read_file(path));
  return crc.hexadecimal();
}

void add(Crc64& crc, const Tensor& values) {
  const Tensor here = values.to(Device::cpu());
  crc.add({static_cast<const char*>(here.raw()), static_cast<size_t>(here.bytes())});
}

std::string checksum_of(const nn::Checkpoint& checkpoint) {
  Crc64 crc;
  crc.add(nn::format_manifest({.update = checkpoint.update, .files = {}, .state = checkpoint.state}));
  for (const nn::TensorMap* tensors : {&checkpoint.model, &checkpoint.optimizer}) {
    for (const auto& [name, tensor] : *tensors) {
      crc.add(name);
      add(crc, tensor);
    }
  }
  return crc.hexadecimal();
}

std::string hash_of(const std::unique_ptr<ValidationSet>& set) { return set ? data::hash_of(set->text) : ""; }

}  // namespace

void check_same_version(Collective& ranks) {
  if (ranks.size() == 1) return;
  if (const auto other = first_difference({{"version", version()}}, ranks)) {
    fail(ErrorKind::usage, "{} runs xformer {}, {} runs {}; install the same version everywhere", other->rank,
         other->value, other->first, other->of_first);
  }
}

void check_same_options(const std::optional<TrainingOptions>& options, Collective& ranks) {
  if (ranks.size() == 1) return;
  const std::string does = options ? "runs as its options say" : "only prints a page";
  if (const auto other = first_difference({{"does", does}}, ranks)) {
    fail(ErrorKind::usage, "{} {}, {} {}; give all ranks the same options", other->rank, other->value,
         other->first, other->of_first);
  }
  if (!options) return;
  const auto other = first_difference(compared(*options), ranks);
  if (!other) return;
  const std::string differs =
      fmt::format("{} trains {}, {} {}", other->rank, shown(other->name, other->value), other->first,
                  shown(other->name, other->of_first));
  if (other->others == 0) fail(ErrorKind::usage, "{}; give all ranks the same options", differs);
  fail(ErrorKind::usage,
       "{}, and {} more {}; give all ranks the same options, and the same run if they resume one", differs,
       other->others, other->others == 1 ? "option differs" : "options differ");
}

void check_same_files(const TrainingOptions& options, Collective& ranks) {
  if (ranks.size() == 1) return;
  for (const char* const option : {"vocabs", "extend-vocab"}) {
    for (const std::string& path : options_of(options).at(option).words()) {
      std::error_code none;
      const bool is_there = std::filesystem::is_regular_file(path, none);
      const std::vector<std::string> all = ranks.gather(is_there ? checksum_of(path) : "");
      for (int r = 1; r < ranks.size(); ++r) {
        const std::string& its = all[static_cast<size_t>(r)];
        if (its.empty() || all.front().empty() || its == all.front()) continue;
        fail(ErrorKind::data, "{}: {} has another file than {}; give all ranks the same", option,
             ranks.name_of(r), ranks.name_of(0));
      }
    }
  }
}

void check_same_arithmetic(const TrainingOptions& options, int threads, Collective& ranks) {
  if (ranks.size() == 1) return;
  const bool on_cpu = choose_device(options.compute.device).device.type == DeviceType::cpu;
  std::vector<Named> values = {{"--device, or a GPU to each", on_cpu ? "the CPU" : "a GPU"},
                               {"--precision", chosen_precision(options.compute).name}};
  // With pieces, a parameter is computed by one rank alone.
  if (!options.processes.shard_optimizer) {
    if (on_cpu)
      values.push_back(
          {"XFORMER_CPU_LEVEL, or --shard-optimizer", fmt::format("{} kernels", name_of(cpu_level()))});
    values.push_back({"program, or --shard-optimizer", "the build " + checksum_of("/proc/self/exe")});
  }
  // Its matrices are moved by products.
  if (on_cpu && options.optimizer.optimizer == "muon") {
    values.push_back(
        {"ONEDNN_MAX_CPU_ISA, or another optimizer than muon", product_instructions() + " products"});
    values.push_back({"--cpu-threads, or another optimizer than muon", counted(threads, "thread")});
  }
  if (const auto other = first_difference(values, ranks)) {
    fail(ErrorKind::usage, "{} computes with {}, {} with {}; give all ranks the same {}", other->rank,
         other->value, other->first, other->of_first, other->name);
  }
}

void check_same_preparation(bool is_prepared, Collective& ranks) {
  if (ranks.size() == 1) return;
  const std::string does = is_prepared ? "prepares a large text" : "reads a small one";
  if (const auto other = first_difference({{"text", does}}, ranks)) {
    fail(ErrorKind::data, "train-sets: {} {}, {} {}; give all ranks the same text", other->rank, other->value,
         other->first, other->of_first);
  }
}

void check_same_inputs(const TrainingInputs& inputs, Collective& ranks) {
  if (ranks.size() == 1) return;
  std::vector<Named> values = {{"train-sets: the text", inputs.data_hash},
                               {"vocabs: the vocabulary", inputs.vocabularies.checksum()},
                               {"valid-sets: the text", hash_of(inputs.validation)}};
  for (size_t i = 0; i < inputs.tests.size(); ++i)
    values.push_back({fmt::format("test-sets: text {}", i + 1), hash_of(inputs.tests[i].set)});
  if (const auto other = first_difference(values, ranks)) {
    fail(ErrorKind::data, "{} of {} differs from that of {}; give all ranks the same", other->name,
         other->rank, other->first);
  }
}

void check_same_checkpoint(const nn::Checkpoint& checkpoint, const std::string& where, Collective& ranks) {
  if (ranks.size() == 1) return;
  const std::vector<Named> values = {{"update", std::to_string(checkpoint.update)},
                                     {"contents", checksum_of(checkpoint)}};
  const auto other = first_difference(values, ranks);
  if (!other) return;
  if (other->name == "update") {
    fail(ErrorKind::data,
         "{}: {} has the checkpoint of update {}, {} that of update {}; give all ranks the same", where,
         other->rank, other->value, other->first, other->of_first);
  }
  fail(ErrorKind::data, "{}: {} has another checkpoint of update {} than {}; give all ranks the same", where,
       other->rank, checkpoint.update, other->first);
}

void check_same_weights(const nn::ParameterStore& store, const TrainingOptions& options, Collective& ranks) {
  const bool is_pretrained = !options.saving.pretrained_model.empty();
  // Drawn values that a rank's own mathematics rounds are those of one rank after the first update,
  // with pieces.
  if (ranks.size() == 1 || (options.processes.shard_optimizer && !is_pretrained)) return;
  Crc64 crc;
  add(crc, store.keeps_piece() ? store.values() : store.masters());
  const auto other = first_difference({{"weights", crc.hexadecimal()}}, ranks);
  if (!other) return;
  if (is_pretrained) {
    fail(ErrorKind::data, "pretrained-model: {} has another model than {}; give all ranks the same",
         other->rank, other->first);
  }
  fail(ErrorKind::failure,
       "{} initialises other weights than {}, by another mathematical library; give all ranks the same one, "
       "or --shard-optimizer",
       other->rank, other->first);
}

}  // namespace xf::tools
