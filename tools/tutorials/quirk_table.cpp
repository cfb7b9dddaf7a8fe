#include "tools/tutorials/quirk_table.h"

namespace xf::tools::explain {

const std::vector<QuirkRow>& quirk_table() {
  static const std::vector<QuirkRow> rows = {
      {"Q1", "A mask that masks nothing", "tutorials/translator", "--quirks mask-fill=-1e-12",
       "Scores of masked keys become -0.000000000001. "
       "A score of nearly zero is as good as others, so padding and the future are attended.",
       "Minus infinity: exp(-inf) is 0 exactly.", show_mask_fill},
      {"Q2", "A mask that is only very negative",
       "tutorials/by-hand, tutorials/seq2seq, tutorials/characters, tutorials/illustrated",
       "--quirks mask-fill=-1e4, mask-fill=-1e9",
       "Scores of masked keys become -10000. Beside an unmasked key that is as good as minus infinity. Where "
       "all keys are masked, it is equal weights for what nobody may see.",
       "Minus infinity, and a row in which all is masked is zero: nothing seen, nothing added.",
       show_finite_fill},
      {"Q3", "Padding asks no questions",
       "tutorials/translator (both), tutorials/by-hand, tutorials/seq2seq (queries)",
       "--quirks pad-axis=both, pad-axis=query",
       "Masks the rows of padded queries: in place of padded keys, or besides.",
       "Keys alone. What a padded query computes is read by nobody.", show_pad_axis},
      {"Q4", "A mask that is made and not applied", "tutorials/characters", "--quirks apply-mask=false",
       "masked_fill returns a new tensor; the result was not assigned.",
       "The scores that softmax sees are the masked ones.", show_no_mask},
      {"Q5", "An index doubled twice", "tutorials/by-hand", "--quirks position-exponent=doubled",
       "The loop runs over 0, 2, 4 and its index is multiplied by 2 again: wavelengths are squared.",
       "10000^(2i/D) with i counting pairs of columns.", show_doubled_exponent},
      {"Q6", "A bracket that closes too early", "tutorials/characters",
       "--quirks position-exponent=divided-outside",
       "10000^(2i) / D: the first pair's angle is 512 radians per position in width 512, the second's almost "
       "nothing, and from the sixth on the power is infinite in f32.",
       "10000^(2i/D): wavelengths from 2 pi to 10000 times that.", show_divided_outside},
      {"Q7", "A norm by the standard deviation",
       "tutorials/translator, tutorials/characters, tutorials/illustrated",
       "--quirks norm-formula=deviation norm-eps=1e-12",
       "Divides by the standard deviation plus eps, with D - 1 in the variance: outputs are smaller by "
       "sqrt((D-1)/D), and gradients of nearly constant rows larger.",
       "The root of the variance plus eps, with D: at most 1/sqrt(eps).", show_deviation_norm},
      {"Q8", "A norm without its brackets", "tutorials/characters", "--quirks norm-formula=misplaced",
       "x - mean/(s + eps): only the mean is divided. Neither mean 0 nor variance 1 come out.",
       "(x - mean)/sqrt(variance + eps).", show_misplaced_norm},
      {"Q9", "One norm at three places", "tutorials/by-hand", "--quirks decoder-norms=first",
       "A decoder layer's first norm stands behind all of its sublayers; "
       "the second is made and never read, and gets no gradient.",
       "Each place has its own.", show_first_norm},
      {"Q10", "The second norm twice", "tutorials/characters", "--quirks decoder-norms=second",
       "The cross-attention's norm stands behind the feed-forward block too; "
       "the third is made and never read.",
       "Each place has its own.", show_second_norm},
      {"Q11", "Dropout after the norm", "tutorials/translator", "--quirks dropout-place=after-norm",
       "dropout(norm(x + s)): elements of the residual stream itself are lost, "
       "and all that reads it gets zeros.",
       "norm(x + dropout(s)): what a sublayer adds is dropped; x always gets through.",
       show_dropout_after_norm},
      {"Q12", "Dropout behind the feed-forward block", "tutorials/characters",
       "--quirks feed-forward-dropout-last=true",
       "Drops the block's result, which the residual connection drops once more: "
       "a share p of elements becomes 1 - (1-p)^2.",
       "Drops inner values, after the ReLU.", show_dropout_last},
      {"Q13", "Each token stands at position 0", "tutorials/characters", "--quirks position-offset=false",
       "Decoding token by token embeds a sequence of length one each time, "
       "with the position of its first token.",
       "The position is the number of tokens before.", show_standing_position},
      {"Q14", "Embeddings that are not scaled",
       "tutorials/translator, tutorials/by-hand, tutorials/seq2seq; divided: tutorials/illustrated's text",
       "--quirks embedding-scale=none, embedding-scale=inverse-sqrt-dim",
       "Tokens are added to positions as they are, or divided by sqrt(D).",
       "Times sqrt(D) (Vaswani et al. 2017, section 3.4), so that with small initial values the token is not "
       "lost beside its position.",
       show_embedding_scale},
      {"Q15", "What is zero has no position", "tutorials/illustrated", "--quirks positions-of-zeros=false",
       "Where an element of the embedding is exactly 0, the position is 0 too. Meant for padding.",
       "Every token has its position; padding is masked.", show_positionless_zeros},
      {"Q16", "A warm-up that is not a ramp", "tutorials/seq2seq",
       "--learn-rate 0.1; --lr-schedule plateau --lr-decay-start 101",
       "'warmup = 100' keeps the plateau schedule from looking for 100 epochs; "
       "the rate is full from the first update on, and the file says 0.1.",
       "A rate that rises, or one that is small. Adam's first update moves each weight by the rate.",
       show_first_step},
      {"Q17", "A score called BLEU", "tutorials/translator, tutorials/seq2seq",
       "--valid-metrics tutorial-bleu",
       "Pairs the words of hypothesis and reference by their place, and counts n-grams of the characters of "
       "each pair; a mean over sentences, then one over batches.",
       "BLEU of the whole corpus: n-grams of words, wherever in the sentence they stand.",
       show_tutorial_bleu},
      {"Q18", "A hypothesis that was not translated", "tutorials/translator, tutorials/seq2seq",
       "--teacher-forced",
       "Scores, at each position, the likeliest word after the reference's words before it.",
       "The model reads what it said itself, and the search ends where it says so.", show_teacher_forcing},
      {"Q19", "Tested as in training", "tutorials/translator",
       "--quirks dropout-in-tests=true; --teacher-forced",
       "Dropout stays on while testing, and a sentence that raises an error is left out of the mean.",
       "No dropout, and an error is an error.", show_testing_dropout},
      {"Q20", "The mean of the batches' means", "tutorials/translator, tutorials/seq2seq",
       "--valid-metrics ce-mean-batches",
       "An epoch's loss is the mean of its batches' mean losses: a word in a small batch counts more.",
       "The sum over all words by their number; the log of this engine has that.", show_batch_means},
      {"Q21", "Weight decay inside Adam", "tutorials/translator, tutorials/seq2seq",
       "--optimizer adam --weight-decay 5e-4",
       "The decay is added to the gradient, and Adam divides it by the gradient's size: what has large "
       "gradients is hardly decayed. It is applied to norms and biases too.",
       "Decoupled: each weight shrinks by the same share (Loshchilov, Hutter 2019).", show_coupled_decay},
      {"Q22", "Padding's embedding is a word like others",
       "tutorials/translator, tutorials/seq2seq; trained: tutorials/by-hand, tutorials/characters, tutorials/illustrated",
       "--quirks zero-pad-row=false, freeze-pad-row=false",
       "The initialisation overwrites padding's zero row, or nothing keeps it from being trained.",
       "Begins as zero, gets no gradient.", show_pad_row},
      {"Q23", "The target's padding by the source's id", "tutorials/translator",
       "--quirks target-masked-by-source-pad=true",
       "The target is masked where it has the id of the source's padding.", "Each side by its own id.",
       show_foreign_pad},
      {"Q24", "Dropout that evaluation does not switch off", "tutorials/by-hand (not used there)",
       "--quirks attention-dropout-at-evaluation=true",
       "A function's default says that it is training: probabilities are dropped in evaluation too.",
       "Dropout belongs to training.", show_evaluation_dropout},
      {"Q25", "Decoding keeps inputs", "tutorials/characters", "--quirks decoder-cache=inputs",
       "Keeps the layer's inputs of the tokens before, "
       "and projects all of them to keys and values again for each new one.",
       "The same numbers; kept keys and values save the work.", show_inputs_cache},
  };
  return rows;
}

}  // namespace xf::tools::explain
