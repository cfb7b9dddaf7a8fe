// How a process finds the others that were started with it.
#pragma once

#include <memory>

#include "core/dist/collective.h"

namespace xf {

// The ranks that mpirun, mpiexec or srun started; null where this process is alone. Error usage
// where several were started and this build has no MPI, or no launcher of MPI's introduces them to
// each other. watch_signals() comes before it: MPI has threads of its own.
std::unique_ptr<Collective> join_ranks();

// How many they are, as the launcher says: 1 where this process is alone or nothing says it.
int launched_ranks();

// Which of them this is, as the launcher says: 0 where it says nothing.
int launched_rank();

}  // namespace xf
