// One training step of a model: forward, backward, gradient norm, Adam, dropout on. Sentences of
// one length and random ids, so that the step is that of bench/peers/torch_step.py.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/peer_program.h"
#include "bench/roofline.h"
#include "bench/row.h"
#include "bench/scope.h"
#include "nn/train/trainer.h"
#include "nn/transformer.h"

namespace xf::bench {

class TrainStep {
 public:
  TrainStep(const ModelPreset& preset, const tests::Target& target);
  void run();
  double time();  // seconds of a run
  // Kernels, copies and fills of a run, by name; empty on the CPU, and before the second run.
  std::vector<std::string> launches() const { return trainer_->launches(); }

 private:
  nn::ParameterStore store_;
  nn::Transformer model_;
  PackedBatch batch_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<nn::Trainer> trainer_;
  int64_t update_ = 0;
};

// Its peak memory is the process's since the last reset_peak_resident(). `slowdown` as in
// TimerOptions.
Row train_step_row(const ModelPreset& preset, const tests::Target& target, const TimingOptions& options,
                   double slowdown);

// The same and the step in f32, one update each in turn: what another type gains. Its peak memory
// is its own.
Row train_step_beside_f32(const ModelPreset& preset, const tests::Target& target, int turns);

// The same and the step's floor (bench/roofline.h) of ceilings that are measured between the
// updates, so that a host that is now fast and now slow is so for both: the ratio is the share of
// the floor.
Row train_step_beside_floor(const ModelPreset& preset, const tests::Target& target, int turns,
                            double slowdown);

// The step and a peer's (bench/peers/torch_step.py), tuned first, one each in turn; the rest as
// above. `row` is filled in as far as it goes: its times at the end. Error failure where the peer
// does not run.
void train_step_beside_peer(const ModelPreset& preset, const tests::Target& target, int turns,
                            double slowdown, PeerProgram& peer, const Progress& progress, Row& row);

// Fills in the floor and its parts, once the machine has been measured.
void set_step_floor(Row& row, const ModelPreset& preset, const Machine& machine);

// "tiny 292x14"
std::string step_shape(const ModelPreset& preset);
// How many samples a step gets where nobody says.
int step_samples(const ModelPreset& preset);

}  // namespace xf::bench
