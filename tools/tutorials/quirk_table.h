// The rooms of the museum in the order of their numbers: the words, and the function that fills the
// room.
#pragma once

#include <vector>

#include "tools/tutorials/quirk.h"

namespace xf::tools::explain {

struct QuirkRow {
  const char *id, *title, *found_in, *option, *quirk, *correct;
  void (*show)(QuirkRoom&);  // adds exhibits and numbers
};

const std::vector<QuirkRow>& quirk_table();

// quirk_masks.cpp
void show_mask_fill(QuirkRoom&);
void show_finite_fill(QuirkRoom&);
void show_pad_axis(QuirkRoom&);
void show_no_mask(QuirkRoom&);
void show_foreign_pad(QuirkRoom&);
void show_evaluation_dropout(QuirkRoom&);
// quirk_positions.cpp
void show_doubled_exponent(QuirkRoom&);
void show_divided_outside(QuirkRoom&);
void show_standing_position(QuirkRoom&);
void show_embedding_scale(QuirkRoom&);
void show_positionless_zeros(QuirkRoom&);
void show_pad_row(QuirkRoom&);
void show_inputs_cache(QuirkRoom&);
// quirk_norms.cpp
void show_deviation_norm(QuirkRoom&);
void show_misplaced_norm(QuirkRoom&);
void show_first_norm(QuirkRoom&);
void show_second_norm(QuirkRoom&);
void show_dropout_after_norm(QuirkRoom&);
void show_dropout_last(QuirkRoom&);
// quirk_training.cpp
void show_first_step(QuirkRoom&);
void show_batch_means(QuirkRoom&);
void show_coupled_decay(QuirkRoom&);
// quirk_scores.cpp
void show_tutorial_bleu(QuirkRoom&);
void show_teacher_forcing(QuirkRoom&);
void show_testing_dropout(QuirkRoom&);

}  // namespace xf::tools::explain
