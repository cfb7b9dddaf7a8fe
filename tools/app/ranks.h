// A program that several processes may run as one, when mpirun or srun starts them
// (core/dist/mpi/launch.h): rank 0 speaks and writes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/dist/collective.h"
#include "tools/config/training_options.h"

namespace xf::tools {

// run_program() (tools/console/main.h) for them all. What other ranks than 0 print goes nowhere;
// where rank 0 is lost, the lowest that is left says why.
int run_ranks(int argc, char** argv, const std::function<int(int, char**, Collective&)>& body);

// The same for a program that one process runs: error usage where a launcher has started several,
// each of which would do all of the work. Rank 0 tells it; so does who is not ended by the launcher
// then, as where rank 0 is another program.
int run_alone(int argc, char** argv, const std::function<int(int, char**)>& body);

// --cpu-threads, or a fair share of the processors that the ranks of one host have in common.
int threads_of_rank(const ComputeOptions& options, Collective& ranks);

// Who computes where with what, in few lines; none for one rank. Every rank asks.
std::vector<std::string> rank_table(const ComputeOptions& options, Collective& ranks);

}  // namespace xf::tools
