// The rooms of embeddings and positions, and of decoding token by token.
#include <cmath>
#include <numbers>

#include "autograd/ops.h"
#include "tools/tutorials/model/presets.h"
#include "tools/tutorials/quirk_model.h"
#include "tools/tutorials/quirk_table.h"

namespace xf::tools::explain {

namespace {

using quirks::PositionExponent;

constexpr int64_t kPositions = 50, kWidth = 64;  // of the tables whose columns are counted

// Columns that tell no two of 50 positions apart: all their values lie within 0.01.
double flat_columns(PositionExponent exponent) {
  const Tensor table = quirks::position_table(exponent, {kPositions, kWidth}, DType::f64);
  double flat = 0;
  for (int64_t c = 0; c < kWidth; ++c) {
    double low = 1, high = -1;
    for (int64_t p = 0; p < kPositions; ++p) {
      low = std::min(low, table.data<double>()[p * kWidth + c]);
      high = std::max(high, table.data<double>()[p * kWidth + c]);
    }
    flat += high - low < 0.01 ? 1 : 0;
  }
  return flat;
}

void add_logits(QuirkRoom& room, const std::string& what, const quirks::Config& quirk) {
  const Tensor correct = SmallModel(small_config()).evaluate().logits;
  room.numbers.push_back({"largest difference of the logits at words" + what,
                          difference(correct, SmallModel(quirk).evaluate().logits, At::words)});
}

void show_exponent(QuirkRoom& room, PositionExponent exponent) {
  const auto table = [](const char* title, PositionExponent of) {
    return panel(title, numbered(8), numbered(8), quirks::position_table(of, {8, 8}, DType::f64));
  };
  room.exhibits.push_back({"Positions 0 to 7 of width 8 (EM3)",
                           {table("correct", PositionExponent::correct), table("quirk", exponent)}});
  room.numbers.push_back(
      {"columns of 64 that are flat over 50 positions, correct", flat_columns(PositionExponent::correct)});
  room.numbers.push_back({"columns of 64 that are flat over 50 positions, quirk", flat_columns(exponent)});
  add_logits(room, "",
             small_config([=](quirks::Config& config) { config.quirks.position_exponent = exponent; }));
}

// The embedding [V, D] that the base model begins with, scaled as the switch says: the root of its
// mean square.
double token_size(quirks::EmbeddingScale scale) {
  quirks::Config config = quirks::base();
  config.quirks.embedding_scale = scale, config.max_length = 1;
  nn::ParameterStore store;
  const quirks::Embedding embedding(store, "e", config.source_vocabulary, config.source_pad, config);
  store.allocate(Device::cpu(), nn::ParameterStore::Gradients::no);
  store.initialise(1);
  Arena arena(Device::cpu());
  nn::Tape tape(arena, nn::Tape::Mode::inference);
  double squares = 0;
  constexpr int kWords = 64;
  for (int32_t id = 2; id < 2 + kWords; ++id) {
    // Position 0 is 0 1 0 1 ...: taken away again.
    const Tensor ids = Tensor::from(std::vector<int32_t>{id}, {1, 1});
    const auto row = embedding.forward({.tape = tape}, ids, Tensor()).value().to_vector<float>();
    for (size_t c = 0; c < row.size(); ++c)
      squares += std::pow(static_cast<double>(row[c]) - static_cast<double>(c % 2), 2);
  }
  return std::sqrt(squares / static_cast<double>(kWords * config.dim));
}

constexpr const char* kSum = "source_embedding sum";

// log10 of the wavelength of columns 2i and 2i+1, in positions; infinite where the divisor is.
PlotSeries wavelengths(const std::string& name, PositionExponent exponent, int64_t pairs, int64_t dim) {
  PlotSeries series{name, {}, pairs < 20};
  for (int64_t i = 0; i < pairs; ++i) {
    const double wavelength = 2 * std::numbers::pi * quirks::position_divisor(exponent, i, dim);
    series.points.push_back({static_cast<double>(i), std::log10(wavelength)});
  }
  return series;
}

void plot_wavelengths(QuirkRoom& room, PositionExponent exponent, int64_t pairs) {
  constexpr int64_t kDim = 512;
  PlotSeries sentence{"a sentence of 50 words", {}, false};
  for (const int64_t i : {int64_t{0}, pairs - 1})
    sentence.points.push_back({static_cast<double>(i), std::log10(static_cast<double>(kPositions))});
  room.plots.push_back({.title = fmt::format("Wavelengths of the positions, width {}", kDim),
                        .x_label = "i: columns 2i and 2i+1",
                        .y_label = "log10 of the wavelength",
                        .series = {wavelengths("correct", PositionExponent::correct, pairs, kDim),
                                   wavelengths("quirk", exponent, pairs, kDim), sentence},
                        .marks = {}});
}

}  // namespace

void show_doubled_exponent(QuirkRoom& room) {
  show_exponent(room, PositionExponent::doubled);
  plot_wavelengths(room, PositionExponent::doubled, 256);
}

void show_divided_outside(QuirkRoom& room) {
  show_exponent(room, PositionExponent::divided_outside);
  std::vector<double> divisors;
  for (const PositionExponent exponent : {PositionExponent::correct, PositionExponent::divided_outside}) {
    for (int64_t i = 0; i < 4; ++i)
      divisors.push_back(std::log10(quirks::position_divisor(exponent, i, 512)));
  }
  room.exhibits.push_back(
      {"What a position is divided by, width 512, columns 2i and 2i+1: log10",
       {panel("", {"correct", "quirk"}, {"i=0", "i=1", "i=2", "i=3"}, Tensor::from(divisors, {2, 4}))}});
  plot_wavelengths(room, PositionExponent::divided_outside, 10);
}

void show_standing_position(QuirkRoom& room) {
  const SmallModel correct(small_config());
  const SmallModel own(small_config([](quirks::Config& config) { config.quirks.position_offset = false; }));
  const Tensor whole = correct.evaluate().logits, right = correct.token_by_token(),
               wrong = own.token_by_token();
  std::vector<double> differences;
  for (const Tensor& z : {right, wrong}) {
    for (int64_t t = 0; t < 4; ++t)
      differences.push_back(difference(z.slice_rows(t, t + 1), whole.slice_rows(t, t + 1)));
  }
  room.exhibits.push_back(
      {"First sentence token by token, against the whole at once: largest difference of the logits",
       {panel("", {"correct", "quirk"}, words_of(target_sentences(), target_words(), 0),
              Tensor::from(differences, {2, 4}))}});
  room.numbers.push_back({"token by token against the whole, correct", difference(right, whole, At::words)});
  room.numbers.push_back({"token by token against the whole, quirk", difference(wrong, whole, At::words)});
}

void show_embedding_scale(QuirkRoom& room) {
  using quirks::EmbeddingScale;
  const Tensor positions = quirks::position_table(PositionExponent::correct, {64, 512}, DType::f64);
  double squares = 0;
  for (const double value : positions.to_vector<double>()) squares += value * value;
  const double position_size = std::sqrt(squares / static_cast<double>(positions.numel()));
  std::vector<double> sizes;
  for (const EmbeddingScale scale :
       {EmbeddingScale::sqrt_dim, EmbeddingScale::none, EmbeddingScale::inverse_sqrt_dim}) {
    sizes.push_back(token_size(scale)), sizes.push_back(position_size);
  }
  room.exhibits.push_back(
      {"Base model at its beginning, width 512: the size of what is added, root of the mean square",
       {panel("", {"correct: times sqrt(D)", "quirk: as it is", "quirk: divided by sqrt(D)"},
              {"token", "position"}, Tensor::from(sizes, {3, 2}))}});
  add_logits(room, ", as it is", small_config([](quirks::Config& config) {
               config.quirks.embedding_scale = EmbeddingScale::none;
             }));
  add_logits(room, ", divided", small_config([](quirks::Config& config) {
               config.quirks.embedding_scale = EmbeddingScale::inverse_sqrt_dim;
             }));
}

void show_positionless_zeros(QuirkRoom& room) {
  const quirks::Config quirk =
      small_config([](quirks::Config& config) { config.quirks.positions_of_zeros = false; });
  const auto rows = words_of(source_sentences(), source_words(), 1);
  const auto sum = [](const quirks::Config& config) {
    return SmallModel(config).evaluate().values.at(kSum).slice_rows(4, 8);
  };
  room.exhibits.push_back({"Tokens with positions, second sentence (EM1)",
                           {panel("correct", rows, numbered(8), sum(small_config())),
                            panel("quirk", rows, numbered(8), sum(quirk))}});
  add_logits(room, "", quirk);
  room.numbers.push_back({"largest difference of the embeddings at padding",
                          difference(sum(small_config()).slice_rows(2, 4), sum(quirk).slice_rows(2, 4))});
}

void show_pad_row(QuirkRoom& room) {
  quirks::Config config = small_config();
  const auto begun = [&](bool zero) {
    config.quirks.zero_pad_row = zero;
    nn::ParameterStore store(DType::f64);
    const quirks::Transformer model(config, store);
    store.allocate(Device::cpu(), nn::ParameterStore::Gradients::no);
    model.initialise(store, 1);
    return store.find("source_embedding.weight").value;
  };
  room.exhibits.push_back({"The source's embeddings at their beginning",
                           {panel("correct", source_words(), numbered(8), begun(true)),
                            panel("quirk", source_words(), numbered(8), begun(false))}});
  const auto gradient = [](bool freeze, bool masked) {
    const SmallModel model(small_config(
        [=](quirks::Config& of) { of.quirks.freeze_pad_row = freeze, of.quirks.apply_mask = masked; }));
    const Tensor row = model.gradients().at("source_embedding.weight").slice_rows(0, 1);
    return difference(row, Tensor::zeros(row.shape(), row.dtype()));
  };
  room.numbers.push_back({"largest gradient of padding's row, correct", gradient(true, true)});
  room.numbers.push_back({"not frozen, but masked", gradient(false, true)});
  room.numbers.push_back({"not frozen, and not masked (Q4)", gradient(false, false)});
}

void show_inputs_cache(QuirkRoom& room) {
  const SmallModel correct(small_config());
  const SmallModel own(
      small_config([](quirks::Config& config) { config.quirks.cache = quirks::CacheContents::inputs; }));
  int64_t kept = 0, anew = 0;
  const Tensor right = correct.token_by_token(&kept), other = own.token_by_token(&anew);
  const auto logits = [](const char* title, const Tensor& z) {
    return panel(title, words_of(target_sentences(), target_words(), 0), target_words(), z.slice_rows(0, 4));
  };
  room.exhibits.push_back({"Logits of the first sentence, token by token",
                           {logits("keys and values kept", right), logits("inputs kept", other)}});
  room.numbers.push_back({"largest difference of the logits", difference(right, other)});
  room.numbers.push_back({"rows projected to keys, keys and values kept", static_cast<double>(kept)});
  room.numbers.push_back({"rows projected to keys, inputs kept", static_cast<double>(anew)});
}

}  // namespace xf::tools::explain
