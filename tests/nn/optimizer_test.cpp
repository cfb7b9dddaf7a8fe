// Optimisers on given gradients against the equations of kernels/adam.h and kernels/sgd.h, written
// down once more in f64, and against the plain kernel of muon.
#include "nn/train/optimizer.h"

#include <cmath>
#include <map>

#include "kernels/plain/muon.h"
#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"
#include "tests/support/compare.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

struct TwoParameters {
  ParameterStore store;
  explicit TwoParameters(DType dtype) : store(dtype) {
    store.add("a", {5, 7}, Init::normal(0.5f));
    store.add("b", {3}, Init::ones());
    store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
    store.initialise(1);
  }
  void give(uint64_t seed) const {
    for (const Parameter& parameter : store.parameters()) {
      parameter.gradient.copy_from(random_tensor(parameter.shape, store.dtype(), seed++, -30, 30));
    }
  }
};

struct Reference {
  std::vector<double> p, m, v;
  double norm = 0;

  void update(int64_t t, double rate, double tokens, double clip, const kernels::AdamOptions& o,
              const std::vector<double>& g) {
    const double b1 = double{o.beta1}, b2 = double{o.beta2}, decay = double{o.weight_decay};
    norm = 0;
    for (const double x : g) norm += x * x;
    norm = std::sqrt(norm) / tokens;
    const double factor = (clip > 0 && norm > clip ? clip / norm : 1) / tokens;
    for (size_t i = 0; i < p.size(); ++i) {
      const double scaled = factor * g[i] + (o.decoupled ? 0 : decay * p[i]);
      m[i] = b1 * m[i] + (1 - b1) * scaled;
      v[i] = b2 * v[i] + (1 - b2) * scaled * scaled;
      const double first = m[i] / (1 - std::pow(b1, static_cast<double>(t)));
      const double second = v[i] / (1 - std::pow(b2, static_cast<double>(t)));
      p[i] -= rate * first / (std::sqrt(second) + double{o.eps}) + (o.decoupled ? rate * decay * p[i] : 0);
    }
  }
};

}  // namespace

TEST_CASE("Adam: five updates are those of the equations", "[unit]") {
  const DType dtype = GENERATE(DType::f32, DType::f64);
  const float clip = GENERATE(0.0f, 3.0f, 1000.0f);
  for (const auto& [decay, decoupled] : {std::pair{0.0f, true}, {0.1f, true}, {0.1f, false}}) {
    const TwoParameters model(dtype);
    const kernels::AdamOptions options{.weight_decay = decay, .decoupled = decoupled};
    Adam adam(model.store, options, clip);
    Reference reference{as_doubles(model.store.values()), as_doubles(adam.state().at("first_moment")),
                        as_doubles(adam.state().at("second_moment"))};
    for (int64_t t = 1; t <= 5; ++t) {
      model.give(static_cast<uint64_t>(10 * t));
      reference.update(t, 0.01 / static_cast<double>(t), 13, static_cast<double>(clip), options,
                       as_doubles(model.store.gradients()));
      adam.update(t, 0.01 / static_cast<double>(t), 13);
      CHECK(std::sqrt(as_doubles(adam.norm_squared())[0]) / 13 == Approx(reference.norm).epsilon(1e-6));
    }
    CHECK(max_relative_error(model.store.values(), reference.p) <= 1e-6);
    CHECK(max_relative_error(adam.state().at("first_moment"), reference.m) <= 1e-6);
    CHECK(max_relative_error(adam.state().at("second_moment"), reference.v) <= 2e-6);
  }
}

TEST_CASE("Adam: an update zeroes the gradients", "[unit]") {
  const TwoParameters model(DType::f32);
  Adam adam(model.store, {}, 0);
  model.give(1);
  adam.update(1, 0.01, 13);
  for (const double value : as_doubles(model.store.gradients())) CHECK(value == 0);
}

TEST_CASE("Adam: a gradient that is not finite changes nothing but is zeroed", "[unit]") {
  const float bad =
      GENERATE(std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity());
  const TwoParameters model(DType::f32);
  Adam adam(model.store, {.weight_decay = 0.1f}, 1);
  model.give(1);
  adam.update(1, 0.01, 13);
  const auto values = as_doubles(model.store.values());
  const auto first = as_doubles(adam.state().at("first_moment")),
             second = as_doubles(adam.state().at("second_moment"));
  model.give(2);
  model.store.find("b").gradient.data<float>()[1] = bad;
  adam.update(2, 0.01, 13);
  CHECK_FALSE(std::isfinite(as_doubles(adam.norm_squared())[0]));
  CHECK(as_doubles(model.store.values()) == values);
  CHECK(as_doubles(adam.state().at("first_moment")) == first);
  CHECK(as_doubles(adam.state().at("second_moment")) == second);
  for (const double value : as_doubles(model.store.gradients())) CHECK(value == 0);
}

TEST_CASE("Sgd: five updates are those of the equations, and zero the gradients", "[unit]") {
  const DType dtype = GENERATE(DType::f32, DType::f64);
  const float clip = GENERATE(0.0f, 3.0f, 1000.0f);
  const kernels::SgdOptions options{.momentum = 0.9f, .weight_decay = 0.1f};
  const TwoParameters model(dtype);
  Sgd sgd(model.store, options, clip);
  auto p = as_doubles(model.store.values());
  std::vector<double> m(p.size(), 0.0);
  for (int64_t t = 1; t <= 5; ++t) {
    model.give(static_cast<uint64_t>(10 * t));
    const auto g = as_doubles(model.store.gradients());
    const double rate = 0.01 / static_cast<double>(t);
    double norm = 0;
    for (const double x : g) norm += x * x;
    norm = std::sqrt(norm) / 13;
    const double factor = (clip > 0 && norm > double{clip} ? double{clip} / norm : 1) / 13;
    for (size_t i = 0; i < p.size(); ++i) {
      m[i] = double{options.momentum} * m[i] + factor * g[i] + double{options.weight_decay} * p[i];
      p[i] -= rate * m[i];
    }
    sgd.update(t, rate, 13);
    CHECK(std::sqrt(as_doubles(sgd.norm_squared())[0]) / 13 == Approx(norm).epsilon(1e-6));
    for (const double value : as_doubles(model.store.gradients())) CHECK(value == 0);
  }
  CHECK(max_relative_error(model.store.values(), p) <= 1e-6);
  CHECK(max_relative_error(sgd.state().at("momentum"), m) <= 1e-6);
}

TEST_CASE("Sgd: a gradient that is not finite leaves parameters and momentum", "[unit]") {
  const TwoParameters model(DType::f32);
  Sgd sgd(model.store, {.momentum = 0.9f}, 1);
  model.give(1);
  sgd.update(1, 0.01, 13);
  const auto values = as_doubles(model.store.values()), momentum = as_doubles(sgd.state().at("momentum"));
  model.give(2);
  model.store.find("b").gradient.data<float>()[1] = std::numeric_limits<float>::quiet_NaN();
  sgd.update(2, 0.01, 13);
  CHECK_FALSE(std::isfinite(as_doubles(sgd.norm_squared())[0]));
  CHECK(as_doubles(model.store.values()) == values);
  CHECK(as_doubles(sgd.state().at("momentum")) == momentum);
}

TEST_CASE("Sgd: a bf16 model's values are its masters, rounded", "[unit]") {
  const TwoParameters model(DType::bf16);
  const auto optimizer = make_optimizer(model.store, kernels::SgdOptions{.momentum = 0.9f}, 0);
  for (const Parameter& parameter : model.store.parameters())
    parameter.gradient.copy_from(random_tensor(parameter.shape, DType::f32, 5));
  const auto before = as_doubles(model.store.masters());
  optimizer->update(1, 0.01, 1);
  CHECK(as_doubles(model.store.masters()) != before);
  CHECK(same_bits(model.store.values(), model.store.masters().to_bf16()));
}

namespace {

// A layer's fused matrix between vectors, and a table.
struct LayeredModel {
  ParameterStore store;
  explicit LayeredModel(DType dtype) : store(dtype) {
    store.add("table", {9, 4}, Init::normal(0.5f));
    const Parameter& qkv = store.add("qkv", {6, 4}, Init::normal(0.5f));
    store.add("bias", {6}, Init::ones());
    const Parameter& in = store.add("in", {7, 4}, Init::normal(0.5f));
    store.add("gain", {3}, Init::ones());
    store.mark_matmul_weight(qkv, 3);
    store.mark_matmul_weight(in, 1);
    store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
    store.initialise(1);
  }
  void give(uint64_t seed) const {
    for (const Parameter& parameter : store.parameters()) {
      parameter.gradient.copy_from(
          random_tensor(parameter.shape, store.gradients().dtype(), seed++, -30, 30));
    }
  }
};

}  // namespace

TEST_CASE("Muon: matrices take the steps of kernels/muon.h, the rest those of Adam", "[unit]") {
  const float clip = GENERATE(0.0f, 3.0f);
  const LayeredModel model(DType::f64), same(DType::f64);
  const kernels::AdamOptions of_rest{.weight_decay = 0.1f};
  const kernels::MuonOptions of_matrices{.momentum = 0.9f, .weight_decay = 0.1f};
  Muon muon(model.store, {of_matrices, of_rest}, clip);
  Adam adam(same.store, of_rest, clip);
  const std::vector<std::string> matrices = {"qkv", "in"};
  std::map<std::string, std::vector<double>> p, m;
  for (const std::string& name : matrices) {
    p[name] = as_doubles(model.store.find(name).value);
    m[name].resize(p[name].size());
  }
  for (int64_t t = 1; t <= 3; ++t) {
    const double rate = 0.01 * static_cast<double>(t);
    model.give(static_cast<uint64_t>(10 * t));
    same.give(static_cast<uint64_t>(10 * t));
    std::map<std::string, std::vector<double>> g;
    for (const std::string& name : matrices) g[name] = as_doubles(model.store.find(name).gradient);
    muon.update(t, rate, 13);
    adam.update(t, rate, 13);
    const double norm = std::sqrt(as_doubles(adam.norm_squared())[0]) / 13;
    CHECK(as_doubles(muon.norm_squared()) == as_doubles(adam.norm_squared()));
    const double scale = (clip > 0 && norm > double{clip} ? double{clip} / norm : 1) / 13;
    for (size_t i = 0; i < 24; i += 8)
      kernels::plain::muon(2, 4, of_matrices, rate, scale, &g["qkv"][i], &p["qkv"][i], &m["qkv"][i]);
    kernels::plain::muon(7, 4, of_matrices, rate, scale, g["in"].data(), p["in"].data(), m["in"].data());
  }
  for (const std::string& name : matrices)
    CHECK(max_relative_error(model.store.find(name).value, p[name]) <= 1e-6);
  for (const char* name : {"table", "bias", "gain"})
    CHECK(same_bits(model.store.find(name).value, same.store.find(name).value));
  for (const double value : as_doubles(model.store.gradients())) CHECK(value == 0);
}

TEST_CASE("Muon: a bf16 model's values are its masters, rounded", "[unit]") {
  const LayeredModel model(DType::bf16);
  const auto optimizer = make_optimizer(model.store, MuonAndAdamOptions{}, 0);
  model.give(5);
  const auto before = as_doubles(model.store.masters());
  optimizer->update(1, 0.01, 1);
  CHECK(as_doubles(model.store.masters()) != before);
  CHECK(same_bits(model.store.values(), model.store.masters().to_bf16()));
}

TEST_CASE("Muon: a gradient that is not finite leaves parameters and moments", "[unit]") {
  const LayeredModel model(DType::f32);
  Muon muon(model.store, {}, 1);
  model.give(1);
  muon.update(1, 0.01, 13);
  const auto values = as_doubles(model.store.values()), moment = as_doubles(muon.state().at("muon_moment"));
  model.give(2);
  model.store.find("bias").gradient.data<float>()[1] = std::numeric_limits<float>::quiet_NaN();
  muon.update(2, 0.01, 13);
  CHECK(as_doubles(model.store.values()) == values);
  CHECK(as_doubles(muon.state().at("muon_moment")) == moment);
  for (const double value : as_doubles(model.store.gradients())) CHECK(value == 0);
}

TEST_CASE("Muon: it counts what it works in, and refuses a model without matrices", "[unit]") {
  const LayeredModel model(DType::f32);
  // Two moments; one [7, 4] matrix, 2 28 + 2 16 elements, and beside it three of [2, 4], 2 8 + 2 4
  // each.
  CHECK(Muon(model.store, {}, 0).bytes() == 2 * model.store.masters().bytes() + (88 + 3 * 24) * 4);
  CHECK(Adam(model.store, {}, 0).bytes() == 2 * model.store.masters().bytes());
  CHECK_THROWS_WITH(Muon(TwoParameters(DType::f32).store, {}, 0),
                    "muon: this model's layers do not say which parameters are matrices; use adam");
}

// Every product of a hidden layer, and no other.
TEST_CASE("Muon: a Transformer's matrices are its projections and feed-forward layers", "[unit]") {
  const TinyModel model(DType::f32, tiny_config());
  for (const Parameter& parameter : model.store.parameters()) {
    const bool is_weight = parameter.name.find(".weight") != std::string::npos;
    const bool is_outside =
        parameter.name.starts_with("output") || parameter.name.find("embedding") != std::string::npos;
    INFO(parameter.name);
    CHECK((parameter.matrices > 0) == (is_weight && !is_outside && parameter.shape.rank() == 2));
    if (parameter.matrices > 0) CHECK(parameter.shape[0] % parameter.matrices == 0);
  }
  CHECK(model.store.find("encoder.layers.0.self_attention.qkv.weight").matrices == 3);
  CHECK(model.store.find("decoder.cross_kv.weight").matrices == 2 * tiny_config().decoder_layers);
  CHECK(model.store.find("decoder.layers.0.feed_forward.in.weight").matrices == 1);
}
