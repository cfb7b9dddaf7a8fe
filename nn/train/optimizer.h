// An update over a store's flat memory: the gradient's norm, then one pass of the optimiser's rule
// (kernels/adam.h, kernels/muon.h, kernels/sgd.h).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "core/dist/collective.h"
#include "core/upload.h"
#include "kernels/adam.h"
#include "kernels/muon.h"
#include "kernels/sgd.h"
#include "nn/checkpoint/safetensors.h"
#include "nn/parameter_store.h"

namespace xf::nn {

// Which optimiser, and its numbers.
struct MuonAndAdamOptions {
  kernels::MuonOptions matrices;
  kernels::AdamOptions rest;
};
using OptimizerOptions = std::variant<kernels::AdamOptions, kernels::SgdOptions, MuonAndAdamOptions>;

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // One update from the accumulated, unscaled gradients; zeroes them. update counts from 1 and may
  // not skip: Adam's bias corrections are those of the number of updates.
  void update(int64_t update, double learning_rate, int64_t tokens) {
    prepare(update, learning_rate, tokens);
    apply();
  }
  // Its two halves: the numbers that differ from update to update, brought to the device; and the
  // work there, which a graph can replay.
  virtual void prepare(int64_t update, double learning_rate, int64_t tokens) = 0;
  virtual void apply() = 0;

  // f64 [1]: of the last update's unscaled gradient. NaN or infinite: that update changed nothing.
  const Tensor& norm_squared() const { return norm_squared_; }

  // Moments, flat, in the layout of what the store trains, under the names that they have in a
  // checkpoint: with the parameters and the update's number, all that the next update depends on.
  // Of several ranks, this one's piece of them.
  virtual TensorMap state() const = 0;
  // Whole, on the CPU; every rank asks.
  TensorMap whole_state() const;
  // The piece of a flat array whose parameters this rank moves: none that are frozen. And the flat
  // array of which each has a piece, or all of it, on the CPU: every rank asks.
  Tensor own(const Tensor& flat) const;
  Tensor whole(const Tensor& piece) const;
  // Of the state, and of what an update works in.
  virtual int64_t bytes() const;

 protected:
  // What moves at one rate: a part of own(), and the numbers that it moves by.
  struct Part {
    int64_t begin, end;
    Tensor step;
    Tensor of(const Tensor& own) const { return own.defined() ? own.slice_rows(begin, end) : own; }
  };
  std::vector<Part> parts() const;

  // step: how many numbers differ from update to update; the first is the learning rate.
  Optimizer(const ParameterStore& store, float clip_norm, int64_t step, Collective& shards);
  Tensor own_masters() const;
  Tensor zero_moment() const;
  void send(std::span<const float> step);
  // What the products read, where it is not the masters themselves.
  Tensor rounded() const { return store_.dtype() == DType::bf16 ? store_.values() : Tensor(); }
  void measure();               // the gradient's norm, without frozen parameters, whose gradients
                                // are zeroed
  void bring_together() const;  // every rank's piece of the parameters, after it has moved

  const ParameterStore& store_;
  Collective& shards_;  // that have a piece of the state each
  float clip_norm_;
  Tensor norm_squared_;
  Tensor steps_;  // f32, a row for each of the store's rate spans

 private:
  Upload step_upload_;
};

class Adam final : public Optimizer {
 public:
  Adam(const ParameterStore& store, const kernels::AdamOptions& options, float clip_norm,
       Collective& shards = Collective::alone());
  void prepare(int64_t update, double learning_rate, int64_t tokens) override;
  void apply() override;
  TensorMap state() const override { return {{"first_moment", m_}, {"second_moment", v_}}; }

 private:
  kernels::AdamOptions options_;
  Tensor m_, v_;
};

// Muon for the matrices of hidden layers, Adam for all else: vectors, embeddings, the output. Both
// keep their first moments in one array; the second moments of matrices stay zero.
class Muon final : public Optimizer {
 public:
  // Error usage where the model's layers have not said which parameters are matrices.
  Muon(const ParameterStore& store, const MuonAndAdamOptions& options, float clip_norm);
  void prepare(int64_t update, double learning_rate, int64_t tokens) override;
  void apply() override;
  TensorMap state() const override { return {{"muon_moment", m_}, {"second_moment", v_}}; }
  int64_t bytes() const override {
    return Optimizer::bytes() + workspaces_[0].bytes() +
           (workspaces_[1].defined() ? workspaces_[1].bytes() : 0);
  }

 private:
  struct Matrices {
    kernels::MatrixPlaces places;  // of one shape and rate
    Tensor step;
    int64_t elements = 0;  // of the workspace, for all at a time
  };
  void apply_to(const Matrices& matrices, const Tensor& workspace);

  MuonAndAdamOptions options_;
  Tensor m_, v_;
  std::vector<Matrices> matrices_;  // the most elements first
  std::vector<Part> rest_;          // of the flat arrays, all else
  std::array<Tensor, 2>
      workspaces_;  // of the first matrices, and of all others, which are worked on beside them
};

class Sgd final : public Optimizer {
 public:
  Sgd(const ParameterStore& store, const kernels::SgdOptions& options, float clip_norm,
      Collective& shards = Collective::alone());
  void prepare(int64_t update, double learning_rate, int64_t tokens) override;
  void apply() override;
  TensorMap state() const override { return {{"momentum", m_}}; }

 private:
  kernels::SgdOptions options_;
  Tensor m_;
};

// `shards`: ranks that have a piece of the state each, of gradients whose own piece is summed.
// Error usage for Muon, which needs whole matrices.
std::unique_ptr<Optimizer> make_optimizer(const ParameterStore& store, const OptimizerOptions& options,
                                          float clip_norm, Collective& shards = Collective::alone());

}  // namespace xf::nn
