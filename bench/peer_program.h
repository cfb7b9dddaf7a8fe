// A peer in a process of its own, which takes turns with ours. Its script (bench/peers/turns.py)
// prints what can be set when it is started with --settings; otherwise it answers line by line:
//   "set {"options": {...}, "sample": false, "warm_ups": 1}"
//             prepares that setting, on a sample of the work or all of it; answers with a JSON
//             object: on (what the work is), version, tokens; or skip, a reason
//   "turn"    does the work once; answers with its seconds
//   "ids"     answers with the ids of the last turn's translations, a JSON array of arrays
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/peers.h"
#include "bench/process.h"
#include "bench/runner.h"
#include "bench/tuning.h"

namespace xf::bench {

class PeerProgram {
 public:
  // `name` is the peer's, "torch"; `environment` is added to ours, a setting's to both.
  PeerProgram(std::string name, std::vector<std::string> command,
              std::map<std::string, std::string> environment = {});

  // Its fastest setting. One process at a time; one that dies, does not answer in time, or not with
  // a time, is a setting that does not run. Error failure where none does.
  Tuned tune(const Progress& progress);
  // That setting in a fresh process, on all of the work. Error failure where it does not run.
  PeerTime start(const Setting& setting);
  double turn();  // seconds; Error failure where the answer is no time, or the process has died
  std::vector<std::vector<int32_t>> translations();
  double finish();  // ends the process: its peak of resident memory, bytes

 private:
  struct About;
  About set(const Setting& setting, bool sample, int warm_ups);
  Tried time(const Setting& setting, bool sample, int turns);
  std::string ask(const std::string& line);
  std::string name_;
  std::vector<std::string> command_;
  std::map<std::string, std::string> environment_, running_;  // of the process, beyond ours
  std::unique_ptr<Process> process_;
  double limit_s_ = Process::kNoLimit;  // of an answer
};

// Error failure where the peers' environment is missing:
// the training step of a preset in PyTorch,
PeerProgram torch_step(const std::string& preset, const tests::Target& target);
// and translation in CTranslate2, for a beam, in batches or a sentence at a time. `model` is a
// folder of its own (xformer-export to ctranslate2), `sources` a file with a JSON array of each
// sentence's ids, `type` its compute_type: float32, int8.
PeerProgram ctranslate2(const std::string& model, const std::string& sources, int64_t beam,
                        bool one_at_a_time, const std::string& type);

// Ours and a peer whose setting has been chosen, in turn. Where the peer counts tokens, its time is
// brought to row.tokens: what is compared is tokens per second. Error failure where the peer fails;
// the row then has no times.
void take_turns_with(PeerProgram& peer, const Tuned& tuned, int turns, const std::function<double()>& ours,
                     Row& row);

// Error failure where the peer, in the setting in which it comes, translates more than a quarter of
// the lines otherwise: it has another kind of model, and another speed. Near ties and the roundings
// of eight bits make a few in a hundred differ.
void check_translates_alike(PeerProgram& peer, const std::vector<std::vector<int32_t>>& ours);

// How many differ; every one beyond the shorter of the two does.
size_t different_lines(const std::vector<std::vector<int32_t>>& a,
                       const std::vector<std::vector<int32_t>>& b);

}  // namespace xf::bench
