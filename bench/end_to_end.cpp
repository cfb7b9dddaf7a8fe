#include "bench/end_to_end.h"

#include <cstdlib>
#include <filesystem>

#include "bench/repository.h"
#include "core/error.h"

namespace xf::bench {

std::string multi30k(const std::string& name) {
  namespace fs = std::filesystem;
  const char* const told = std::getenv("XFORMER_MULTI30K");
  const fs::path folder = told ? told : repository_path("../shared/data/multi30k");
  if (folder.empty() || !fs::exists(folder / name)) {
    fail(ErrorKind::data, "no {} in {}; say which text with --input or --data, or set XFORMER_MULTI30K", name,
         folder.string());
  }
  return fs::canonical(folder / name).string();
}

Row row_like(const Request& request, const std::string& fn, const std::string& shape) {
  Row row;
  row.fn = fn;
  row.shape = shape;
  row.dtype = xf::name_of(request.target.dtype);
  row.device = xf::name_of(request.target.device);
  return row;
}

}  // namespace xf::bench
