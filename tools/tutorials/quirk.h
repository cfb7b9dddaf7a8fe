// A quirk of a published Transformer beside what is correct, in the engine's numbers: a room of
// docs/variants. What a quirk of the model does is computed by tools/tutorials/model/, once with
// its switch and once without, on one small model and two fixed sentences (quirk_model.h); what one
// of the training does, by the kernels.
#pragma once

#include <string>
#include <vector>

#include "tools/report/matrix_picture.h"
#include "tools/report/svg_plot.h"

namespace xf::tools::explain {

// Matrices that are to be compared.
struct Exhibit {
  std::string caption;
  std::vector<TitledMatrix> panels;
};

struct QuirkNumber {
  std::string what;
  double value = 0;
};

struct QuirkRoom {
  std::string id, title;  // "Q1", "A mask that masks nothing"
  std::string found_in,
      option;                  // "tutorials/translator"; what makes xformer-train do the same:
                               // "--quirks
                               // mask-fill=-1e-12"
  std::string quirk, correct;  // what it does; what is done instead, and why
  std::vector<Exhibit> exhibits;
  std::vector<QuirkNumber> numbers;
  std::vector<Plot> plots = {};  // where a curve says more than rows of it; not in the text

  // Error failure when the room has no such number.
  double number(const std::string& what) const;
};

// "Q1", also "q1". Error usage for a name that no room has.
QuirkRoom quirk_room(const std::string& name);

std::string to_text(const QuirkRoom& room);
std::string to_json(const QuirkRoom& room);
std::string to_svg(const QuirkRoom& room);
std::string to_html(const QuirkRoom& room);

}  // namespace xf::tools::explain
