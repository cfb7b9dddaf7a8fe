// The extension module _xformer: the facade (tools/app/xformer.h) and the kernels, for the package
// in python/xformer/.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "core/error.h"
#include "core/stop.h"
#include "python/engine.h"
#include "python/kernels.h"
#include "tools/app/xformer.h"
#include "tools/console/message.h"

namespace nb = nanobind;

namespace xf::python {

namespace {

const char* name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return "usage";
    case ErrorKind::data: return "data";
    case ErrorKind::diverged: return "diverged";
    case ErrorKind::resources: return "resources";
    case ErrorKind::failure: break;
  }
  return "failure";
}

// xf::Error as xformer.Error, with its kind; Stopped as xformer.Stopped. `errors`: the module
// xformer.errors.
void translate_exception(const std::exception_ptr& thrown, void* errors) {
  const nb::handle classes(static_cast<PyObject*>(errors));
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    // a file's name may be any bytes
    const nb::str text(tools::message_line(error.what()).c_str());
    const nb::object type = classes.attr("Error");
    PyErr_SetObject(type.ptr(), type(text, name_of(error.kind())).ptr());
  } catch (const Stopped&) {
    PyErr_SetString(nb::object(classes.attr("Stopped")).ptr(), "stopped by xformer.stop()");
  }
}

using Found = std::tuple<std::string, double, double, bool, bool>;

// What a call has found, and what it warns of.
template <typename T>
using Warned = std::pair<T, Lines>;

Warned<Lines> translate(Translator& translator, const Lines& lines) {
  return compute([&] {
    Lines texts = translator.translate(lines);
    return Warned<Lines>{std::move(texts), translator.take_warnings()};
  });
}

Warned<std::vector<std::vector<Found>>> hypotheses(Translator& translator, const Lines& lines) {
  return compute([&] {
    Warned<std::vector<std::vector<Found>>> all;
    for (const std::vector<Hypothesis>& of_line : translator.hypotheses(lines)) {
      all.first.emplace_back();
      for (const Hypothesis& one : of_line)
        all.first.back().emplace_back(one.text, one.log_probability, one.score, one.cut, one.cropped);
    }
    all.second = translator.take_warnings();
    return all;
  });
}

void define_translator(nb::module_& module) {
  nb::class_<Translator>(module, "Translator")
      .def("__init__",
           [](Translator* self, const std::string& folder, const std::vector<std::string>& options) {
             run([&] { new (self) Translator(folder, options); });
           })
      .def("translate", translate)
      .def("hypotheses", hypotheses)
      .def("take_warnings", [](Translator& self) { return compute([&] { return self.take_warnings(); }); })
      .def("score", [](Translator& self, const Lines& sources, const Lines& targets) {
        return compute([&] { return self.score(sources, targets); });
      });
}

std::tuple<std::string, double, std::string, std::string> score_of(const std::string& metric,
                                                                   const Lines& hypotheses,
                                                                   const std::vector<Lines>& references,
                                                                   const std::vector<std::string>& options) {
  const Score found = compute([&] { return score(metric, hypotheses, references, options); });
  return {found.name, found.value, found.signature, found.text};
}

}  // namespace

NB_MODULE(_xformer, module) {
  nb::set_leak_warnings(false);  // a daemon thread may hold a model to the end
  nb::object errors = nb::module_::import_("xformer.errors");
  nb::register_exception_translator(translate_exception, errors.release().ptr());  // kept for good
  begin();
  module.attr("version") = version();
  define_translator(module);
  module.def("read_lines", [](const std::string& path) { return compute([&] { return read_lines(path); }); });
  module.def("score", score_of);
  module.def("train", [](const std::vector<std::string>& arguments) { run([&] { train(arguments); }); });
  module.def("export_model",
             [](const std::vector<std::string>& arguments) { run([&] { export_model(arguments); }); });
  module.def("inspect", [](const std::string& model) { return compute([&] { return inspect(model); }); });
  module.def("stop", stop);
  module.def("set_threads", set_threads);
  define_kernels(module);
  define_attention_kernels(module);
}

}  // namespace xf::python
