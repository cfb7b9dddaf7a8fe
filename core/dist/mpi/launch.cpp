#include "core/dist/mpi/launch.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

namespace xf {

namespace {

constexpr const char* kModule = "xformer_mpi.so";

std::optional<int> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (!text || *text == '\0') return {};
  return std::atoi(text);
}

constexpr int kUnknown = 0;

// How many processes a launcher says that it has started: Open MPI's, 4 and 5, those with PMI
// (MPICH, Intel, Slurm), PMIx, which may not say. Slurm sets its own variables in a batch script,
// too, which is one process.
int launched() {
  for (const char* const variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const auto size = number_in(variable)) return *size;
  const int tasks = number_in("SLURM_STEP_NUM_TASKS").value_or(1);
  if (std::getenv("PMIX_RANK")) return tasks > 1 ? tasks : number_in("SLURM_NTASKS").value_or(kUnknown);
  if (tasks > 1) {
    fail(ErrorKind::usage, "srun started {} processes without MPI; use srun --mpi=pmix, or --mpi=pmi2",
         tasks);
  }
  return 1;
}

// Beside the program, or where it is installed. Nowhere, and not in the current folder, where the
// system does not say where the program is.
std::vector<std::string> places() {
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (folder.empty()) return {};
  return {folder / kModule, folder / XF_MODULES / kModule};
}

void* load() {
  for (const std::string& place : places()) {
    // Its plugins look for MPI's symbols among the program's.
    if (std::filesystem::exists(place)) {
      if (void* const module = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL)) return module;
      fail(ErrorKind::usage, "{}; install the MPI that this program was built with", dlerror());
    }
  }
  return nullptr;
}

}  // namespace

int launched_ranks() {
  const int size = launched();
  return size == kUnknown ? 1 : size;
}

int launched_rank() {
  for (const char* const variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const auto rank = number_in(variable)) return *rank;
  return 0;
}

std::unique_ptr<Collective> join_ranks() {
  const int size = launched();
  if (size == 1) return nullptr;
  void* const module = load();
  if (!module) {
    fail(ErrorKind::usage,
         "started as {} processes, and this build has no MPI ({} is missing): "
         "install it, or start one process",
         size == kUnknown ? "several" : std::to_string(size), kModule);
  }
  const auto open = reinterpret_cast<OpenLink>(dlsym(module, "xformer_open_link"));
  std::unique_ptr<Link> link(open ? open() : nullptr);
  if (!link) fail(ErrorKind::failure, "MPI does not start; see its messages above");
  // Open MPI 5 under srun --mpi=pmi2: it finds nobody, and each process would train by itself, in
  // the same folder.
  if (link->size() == 1 && size > 1) {
    fail(ErrorKind::usage,
         "{} processes were started, but MPI does not find them; use srun --mpi=pmix, or the mpirun of the "
         "MPI that this program was built with",
         size);
  }
  return std::make_unique<Collective>(std::move(link));
}

}  // namespace xf
