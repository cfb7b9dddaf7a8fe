// A model with the weights of a fixture of tests/golden, against PyTorch's loss and gradients
// there.
#pragma once

#include <cmath>
#include <string>

#include "nn/checkpoint/safetensors.h"
#include "nn/model.h"
#include "tests/support/batch.h"
#include "tests/support/catch.h"
#include "tests/support/compare.h"
#include "tests/support/folders.h"

namespace xf::nn::golden {

inline TensorMap read(const std::string& name) {
  return read_safetensors(tests::source_folder() + "/tests/golden/" + name).tensors;
}

inline PackedBatch batch() {
  const TensorMap file = read("transformer_batch.safetensors");
  const auto ids = [&](const char* name) { return file.at(name).to_vector<int32_t>(); };
  return tests::packed_batch(ids("source_ids"), ids("source_offsets"), ids("target_in"), ids("target_out"),
                             ids("target_offsets"));
}

inline void load_parameters(const ParameterStore& store, const TensorMap& file) {
  for (const Parameter& parameter : store.parameters()) {
    INFO(parameter.name);
    REQUIRE(file.count(parameter.name) == 1);
    REQUIRE(file.at(parameter.name).shape() == parameter.shape);
    parameter.value.copy_from(
        tests::tensor_of(tests::as_doubles(file.at(parameter.name)), parameter.shape, store.dtype()));
  }
}

// Relative errors.
struct Errors {
  double loss = 0, nll = 0, worst_gradient = 0;
  std::string worst_name;
};

inline double norm_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum);
}

inline Errors loss_and_gradients(const Model& model, const ParameterStore& store, const PackedBatch& batch,
                                 Arena& arena, const TensorMap& file) {
  Errors errors;
  Tape tape(arena);
  ForwardContext context{.tape = tape};
  const Tensor loss = Tensor::zeros({2}, accumulator_of(store.dtype()));
  tape.backward(model.loss(context, batch, Tensor(), loss));
  const auto error_of = [&](size_t i, const char* name) {
    const double expected = tests::as_doubles(file.at(name))[0];
    return std::abs(tests::as_doubles(loss)[i] - expected) / std::abs(expected);
  };
  errors.loss = error_of(0, "result.loss");
  errors.nll = error_of(1, "result.nll");
  double global = 0;
  for (const Parameter& p : store.parameters())
    global = std::hypot(global, norm_of(tests::as_doubles(file.at("gradient." + p.name))));
  for (const Parameter& p : store.parameters()) {
    // Floor 1e-7 of the global norm: the gradient of the keys' bias is zero in exact arithmetic.
    const double error = tests::max_relative_error(
        p.gradient, tests::as_doubles(file.at("gradient." + p.name)), 1e-7 * global);
    if (error > errors.worst_gradient) {
      errors.worst_gradient = error;
      errors.worst_name = p.name;
    }
  }
  return errors;
}

}  // namespace xf::nn::golden
