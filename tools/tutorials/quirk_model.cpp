#include "tools/tutorials/quirk_model.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "core/philox.h"
#include "nn/train/optimizer.h"
#include "tools/explain/page.h"

namespace xf::tools::explain {

namespace {

constexpr uint64_t kSeed = 1;        // of the weights, and of what dropout draws
constexpr float kNormSpread = 0.3f;  // how far gains and offsets are from 1 and 0, at most
constexpr int64_t kSentences = 2, kLength = 4;

class Recorder : public nn::Trace {
 public:
  explicit Recorder(std::map<std::string, Tensor>& values) : values_(values) {}
  void value(std::string_view block, std::string_view, std::string_view symbol,
             const Tensor& value) override {
    values_.try_emplace(fmt::format("{} {}", block, symbol), copy_of(value));
  }

 private:
  std::map<std::string, Tensor>& values_;
};

// Counts the rows of self-attention's keys.
class KeyCounter : public nn::Trace {
 public:
  int64_t rows = 0;
  void value(std::string_view block, std::string_view, std::string_view symbol,
             const Tensor& value) override {
    if (symbol == "k" && block.ends_with("self_attention") && block.starts_with("decoder"))
      rows += value.rows();
  }
};

// The correct model's weights by name.
std::map<std::string, Tensor> correct_weights() {
  nn::ParameterStore store(DType::f64);
  const quirks::Transformer model(small_config(), store);
  store.allocate(Device::cpu(), nn::ParameterStore::Gradients::no);
  model.initialise(store, kSeed);
  std::map<std::string, Tensor> weights;
  uint64_t stream = store.parameters().size();
  for (const nn::Parameter& parameter : store.parameters()) {
    const Tensor value = copy_of(parameter.value);
    PhiloxSequence random(kSeed, stream++);
    if (parameter.name.find(".norm.") != std::string::npos) {
      for (int64_t i = 0; i < value.numel(); ++i)
        value.data<double>()[i] += static_cast<double>(kNormSpread * (2 * random.uniform() - 1));
    }
    weights[parameter.name] = value;
  }
  return weights;
}

Tensor counters(int32_t update) { return Tensor::from(std::vector<int32_t>{update, 0, update, 0}, {2, 2}); }

std::vector<int32_t> column(const Tensor& ids, int64_t t) {
  std::vector<int32_t> column;
  for (int64_t b = 0; b < ids.dim(0); ++b) column.push_back(ids.data<int32_t>()[b * ids.dim(1) + t]);
  return column;
}

}  // namespace

const std::vector<std::string>& source_words() {
  static const std::vector<std::string> words = {"<pad>", "a", "small", "dog", "sleeps"};
  return words;
}
const std::vector<std::string>& target_words() {
  static const std::vector<std::string> words = {"<pad>", "<s>", "ein", "kleiner", "Hund", "schläft"};
  return words;
}
Tensor source_sentences() {
  return Tensor::from(std::vector<int32_t>{1, 2, 3, 4, 1, 3, 0, 0}, {kSentences, kLength});
}
Tensor target_sentences() {
  return Tensor::from(std::vector<int32_t>{1, 2, 3, 4, 1, 2, 0, 0}, {kSentences, kLength});
}

Tensor next_words() { return Tensor::from(std::vector<int32_t>{2, 3, 4, 5, 2, 0, 0, 0}); }

std::vector<std::string> words_of(const Tensor& sentences, const std::vector<std::string>& words, int64_t b) {
  std::vector<std::string> of;
  for (int64_t t = 0; t < sentences.dim(1); ++t)
    of.push_back(words[static_cast<size_t>(sentences.data<int32_t>()[b * sentences.dim(1) + t])]);
  return of;
}

quirks::Config small_config() {
  return {.source_vocabulary = static_cast<int64_t>(source_words().size()),
          .target_vocabulary = static_cast<int64_t>(target_words().size()),
          .dim = 8,
          .heads = 2,
          .feed_forward = 16,
          .layers = 2,
          .max_length = 16,
          .quirks = {}};
}

quirks::Config small_config(const std::function<void(quirks::Config&)>& change) {
  quirks::Config config = small_config();
  change(config);
  return config;
}

SmallModel::SmallModel(const quirks::Config& config) : store_(DType::f64), model_(config, store_) {
  static const std::map<std::string, Tensor> weights = correct_weights();
  store_.allocate(Device::cpu(), nn::ParameterStore::Gradients::yes);
  for (const nn::Parameter& parameter : store_.parameters())
    parameter.value.copy_from(weights.at(parameter.name));
}

SmallModel::Pass SmallModel::run(const Tensor& source, const Tensor& target, bool training,
                                 int32_t update) const {
  Pass pass;
  Recorder recorder(pass.values);
  Arena arena(Device::cpu());
  nn::Tape tape(arena, nn::Tape::Mode::inference);
  const nn::ForwardContext context{.tape = tape, .training = training, .seed = kSeed, .trace = &recorder};
  pass.logits = copy_of(model_.forward(context, source, target, counters(update)).value());
  return pass;
}

Tensor SmallModel::token_by_token(int64_t* projected) const {
  KeyCounter counter;
  Arena arena(Device::cpu());
  nn::Tape tape(arena, nn::Tape::Mode::inference);
  const nn::ForwardContext context{.tape = tape, .trace = &counter};
  const quirks::Encoded encoded = model_.encode(context, source_sentences());
  const Tensor ids = target_sentences();
  const Tensor logits =
      Tensor::empty({kSentences, kLength, static_cast<int64_t>(target_words().size())}, DType::f64);
  quirks::DecoderState state;
  for (int64_t t = 0; t < kLength; ++t) {
    const Tensor next =
        model_.next(context, Tensor::from(column(ids, t), {kSentences, 1}), encoded, state).value();
    for (int64_t b = 0; b < kSentences; ++b)
      logits.slice_rows(b * kLength + t, b * kLength + t + 1).copy_from(next.slice_rows(b, b + 1));
  }
  if (projected) *projected += counter.rows;
  return logits;
}

void SmallModel::backward(const Tensor& source, const Tensor& target, const Tensor& next) const {
  store_.gradients().fill_zero();
  Arena arena(Device::cpu());
  nn::Tape tape(arena);
  const nn::Variable z = model_.forward({.tape = tape}, source, target, Tensor());
  const nn::Variable rows = autograd::reshape(tape, z, {z.value().rows(), z.value().width()});
  tape.backward(autograd::cross_entropy(tape, rows, next, {.ignore_id = 0}),
                Tensor::from(std::vector<double>{1}));
}

std::map<std::string, Tensor> SmallModel::gradients() const {
  backward(source_sentences(), target_sentences(), next_words());
  std::map<std::string, Tensor> gradients;
  for (const nn::Parameter& parameter : store_.parameters())
    gradients[parameter.name] = copy_of(parameter.gradient);
  return gradients;
}

void SmallModel::learn(const Tensor& source, const Tensor& target, const Tensor& next, int updates,
                       double rate) {
  nn::Adam adam(store_, {}, 0);
  for (int update = 1; update <= updates; ++update) {
    backward(source, target, next);
    adam.update(update, rate, next.numel());
  }
}

double difference(const Tensor& a, const Tensor& b) {
  const auto x = a.to_vector<double>(), y = b.to_vector<double>();
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
  return largest;
}

double difference(const Tensor& a, const Tensor& b, At at) {
  const Tensor ids = target_sentences();
  double largest = 0;
  for (int64_t n = 0; n < ids.numel(); ++n) {
    if ((ids.data<int32_t>()[n] == 0) == (at == At::padding))
      largest = std::max(largest, difference(a.slice_rows(n, n + 1), b.slice_rows(n, n + 1)));
  }
  return largest;
}

double leak(const quirks::Config& config) {
  const SmallModel model(config);
  const Tensor other = Tensor::from(std::vector<int32_t>{1, 2, 3, 5, 1, 2, 0, 0}, {kSentences, kLength});
  return difference(model.evaluate().logits.slice_rows(0, 1), model.evaluate(other).logits.slice_rows(0, 1));
}

TitledMatrix panel(const std::string& title, std::vector<std::string> rows, std::vector<std::string> columns,
                   const Tensor& value) {
  TokenMatrix matrix{std::move(rows), std::move(columns), {}};
  if (value.dtype() == DType::i32) {
    for (const int32_t element : value.to_vector<int32_t>()) matrix.values.push_back(element);
  } else {
    matrix.values = value.to_vector<double>();
  }
  for (const double element : matrix.values) matrix.full = std::max(matrix.full, std::abs(element));
  return {title, std::move(matrix)};
}

std::vector<std::string> numbered(int64_t n) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < n; ++i) names.push_back(fmt::format("{}", i));
  return names;
}

Tensor of_head(const Tensor& value, int64_t b, int64_t h) {
  const int64_t first = (b * value.dim(1) + h) * value.dim(2);
  return copy_of(value.slice_rows(first, first + value.dim(2)));
}

}  // namespace xf::tools::explain
