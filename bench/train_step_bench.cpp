// One training step, timed against this machine's own floor: forward, backward, gradient norm, Adam, dropout
// on.
//
//   train-step-bench --preset tiny|base [--threads N] [--samples N] [--json]
//
// Sentences of one length and random ids, so that the step is that of bench/peers/torch_step.py.
#include <dnnl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <numeric>

#include "bench/roofline.h"
#include "bench/sampler.h"
#include "core/parallel.h"
#include "nn/memory_plan.h"
#include "nn/trainer.h"

namespace xf::bench {
namespace {

struct Preset {
  const char* name;
  nn::TransformerConfig model;
  int64_t sentences, length;
  int samples;
};

Preset preset_named(const std::string& name) {
  Preset preset{.name = "tiny", .model = {}, .sentences = 292, .length = 14, .samples = 15};
  nn::TransformerConfig& model = preset.model;
  model.label_smoothing = 0.1f;
  model.max_length = 64;  // the short attention path, as in the tasks
  if (name == "tiny") {
    model.source_vocabulary = model.target_vocabulary = 10000;
    model.tying = nn::Tying::all;
    model.dropout = 0.3f;
    return preset;
  }
  model.source_vocabulary = 5893;
  model.target_vocabulary = 7855;
  model.dim = 512;
  model.feed_forward = 2048;
  model.heads = 8;
  model.encoder_layers = model.decoder_layers = 6;
  model.dropout = 0.1f;
  return {.name = "base", .model = model, .sentences = 128, .length = 32, .samples = 7};
}

Tensor random_ids(int64_t n, int64_t vocabulary, uint64_t stream) {
  constexpr uint32_t kFirstWord = 4;
  PhiloxSequence random(1, stream);
  std::vector<int32_t> ids(static_cast<size_t>(n));
  for (int32_t& id : ids) {
    id = static_cast<int32_t>(kFirstWord + random.below(static_cast<uint32_t>(vocabulary) - kFirstWord));
  }
  return Tensor::from(ids);
}

// Token numbers by id, stably (core/packed_batch.h).
Tensor order_of(const Tensor& ids) {
  const auto values = ids.to_vector<int32_t>();
  std::vector<int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return values[static_cast<size_t>(a)] < values[static_cast<size_t>(b)];
  });
  return Tensor::from(order);
}

PackedBatch random_batch(const Preset& preset) {
  const int64_t tokens = preset.sentences * preset.length;
  std::vector<int32_t> positions, offsets{0};
  for (int64_t sentence = 0; sentence < preset.sentences; ++sentence) {
    for (int64_t i = 0; i < preset.length; ++i) positions.push_back(static_cast<int32_t>(i));
    offsets.push_back(static_cast<int32_t>(positions.size()));
  }
  PackedBatch batch;
  batch.source_ids = random_ids(tokens, preset.model.source_vocabulary, 0);
  batch.target_in = random_ids(tokens, preset.model.target_vocabulary, 1);
  batch.target_out = random_ids(tokens, preset.model.target_vocabulary, 2);
  batch.source_order = order_of(batch.source_ids);
  batch.target_order = order_of(batch.target_in);
  batch.source_positions = batch.target_positions = Tensor::from(positions);
  batch.source_offsets = batch.target_offsets = Tensor::from(offsets);
  batch.sentences = preset.sentences;
  batch.source_tokens = batch.target_tokens = tokens;
  return batch;
}

struct Result {
  Samples samples;
  double peak_bytes = 0;
  Machine machine;
  StepSize size;
  StepFloor floor;
};

StepSize step_size(const Preset& preset, int64_t parameters) {
  const int64_t tokens = preset.sentences * preset.length;
  const auto length = static_cast<double>(preset.length);
  return {.dim = preset.model.dim,
          .feed_forward = preset.model.feed_forward,
          .layers = preset.model.encoder_layers,
          .target_vocabulary = preset.model.target_vocabulary,
          .parameters = parameters,
          .source_tokens = tokens,
          .target_tokens = tokens,
          .source_length = length,
          .target_length = length};
}

Result measure(const Preset& preset) {
  Result result;
  {
    nn::Registry registry;
    nn::Transformer model(preset.model, registry);
    registry.allocate(Device::cpu(), nn::Registry::Gradients::yes);
    registry.initialise(1);
    model.bind(Device::cpu());
    const PackedBatch batch = random_batch(preset);
    const nn::MemoryPlan plan =
        nn::plan_memory(preset.model, {batch.source_tokens, batch.target_tokens, batch.sentences});
    Arena arena(Device::cpu(), plan.activations);
    nn::Trainer trainer(model, registry, arena, {});
    int64_t update = 0;
    result.samples =
        sample({.samples = preset.samples}, [&] { trainer.update(++update, [&] { return batch; }); });
    result.size = step_size(preset, registry.count());
  }
  // Before the ceilings are measured: their arrays are larger than the step's.
  result.peak_bytes = peak_resident_bytes();
  result.machine = measure_machine();
  result.floor = step_floor(result.size, result.machine);
  return result;
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  }
  return "unknown processor";
}

const char* name_of(dnnl_cpu_isa_t isa) {
  switch (isa) {
    case dnnl_cpu_isa_sse41: return "SSE4.1";
    case dnnl_cpu_isa_avx: return "AVX";
    case dnnl_cpu_isa_avx2: return "AVX2";
    case dnnl_cpu_isa_avx512_core: return "AVX-512";
    case dnnl_cpu_isa_avx512_core_vnni: return "AVX-512 VNNI";
    case dnnl_cpu_isa_avx512_core_bf16: return "AVX-512 BF16";
    case dnnl_cpu_isa_avx512_core_amx: return "AVX-512 AMX";
    default: return "another instruction set";
  }
}

void print_json(const Result& result) {
  const double median = result.samples.quantile(0.5);
  fmt::print(
      "{{\"median_s\": {:.6f}, \"p10_s\": {:.6f}, \"p90_s\": {:.6f}, \"n\": {}, \"disturbed\": {}, "
      "\"peak_rss_mb\": {:.1f}, \"tokens_per_s\": {:.1f}, \"floor_s\": {:.6f}, \"pct_floor\": {:.2f}, "
      "\"threads\": {}, \"gemm_gflops\": {:.1f}, \"copy_gbs\": {:.1f}}}\n",
      median, result.samples.quantile(0.1), result.samples.quantile(0.9), result.samples.seconds.size(),
      result.samples.disturbed, result.peak_bytes / (1 << 20),
      static_cast<double>(result.size.target_tokens) / median, result.floor.total(),
      100 * result.floor.total() / median, thread_count(), result.machine.gemm_rate / 1e9,
      result.machine.copy_rate / 1e9);
}

void print_text(const Preset& preset, const Result& result) {
  const double median = result.samples.quantile(0.5);
  const dnnl_version_t* version = dnnl_version();
  fmt::print("{}, {} threads; GCC {}; oneDNN {}.{}.{}, on {}; f32, dropout {}\n", cpu_model(), thread_count(),
             __VERSION__, version->major, version->minor, version->patch,
             name_of(dnnl_get_effective_cpu_isa()), preset.model.dropout);
  fmt::print("{}: {} sentences x {} tokens a side, {} parameters, {:.1f} GFLOP\n", preset.name,
             preset.sentences, preset.length, result.size.parameters, step_flops(result.size) / 1e9);
  fmt::print("ceilings: copy {:.1f} GB/s, GEMM {:.1f} GFLOP/s\n", result.machine.copy_rate / 1e9,
             result.machine.gemm_rate / 1e9);
  const StepFloor& floor = result.floor;
  fmt::print(
      "floor, ms: products {:.1f}, logits {:.1f}, attention {:.1f}, norms {:.1f}, cross-entropy {:.1f}, Adam "
      "{:.1f}, "
      "rest {:.1f}; together {:.1f}\n",
      1e3 * floor.gemm, 1e3 * floor.logits, 1e3 * floor.attention, 1e3 * floor.norms,
      1e3 * floor.cross_entropy, 1e3 * floor.adam, 1e3 * floor.rest, 1e3 * floor.total());
  fmt::print(
      "step, ms: median {:.1f}, p10 {:.1f}, p90 {:.1f}, n {}, {} of them disturbed by other processes\n",
      1e3 * median, 1e3 * result.samples.quantile(0.1), 1e3 * result.samples.quantile(0.9),
      result.samples.seconds.size(), result.samples.disturbed);
  fmt::print("{:.0f} % of the floor, {:.0f} GFLOP/s, {:.0f} target tokens/s, peak memory {:.0f} MB\n",
             100 * floor.total() / median, step_flops(result.size) / median / 1e9,
             static_cast<double>(result.size.target_tokens) / median, result.peak_bytes / (1 << 20));
}

int run(int argc, char** argv) {
  std::string name = "tiny";
  int threads = 0, samples = 0;
  bool json = false;
  CLI::App app("One training step, timed against this machine's own floor");
  app.add_option("--preset", name, "tiny or base")
      ->check(CLI::IsMember({"tiny", "base"}))
      ->capture_default_str();
  app.add_option("--threads", threads, "0: as many as this process may use")->capture_default_str();
  app.add_option("--samples", samples, "0: the preset's number")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--json", json, "one JSON object instead of text");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ErrorKind::usage);
  }
  set_thread_count(threads);
  Preset preset = preset_named(name);
  if (samples > 0) preset.samples = samples;
  const Result result = measure(preset);
  json ? print_json(result) : print_text(preset, result);
  return 0;
}

}  // namespace
}  // namespace xf::bench

int main(int argc, char** argv) {
  try {
    return xf::bench::run(argc, argv);
  } catch (const xf::Error& error) {
    fmt::print(stderr, "train-step-bench: {}\n", error.what());
    return error.exit_code();
  }
}
