// The rooms of scores: how a translation is compared, what is compared, and in which mode.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "data/score/bleu.h"
#include "kernels/cross_entropy.h"
#include "kernels/softmax.h"
#include "tools/tutorials/quirk_model.h"
#include "tools/tutorials/quirk_table.h"
#include "tools/tutorials/tutorial_bleu.h"

namespace xf::tools::explain {

namespace {

using Lines = std::vector<std::string>;

// The tutorials' references and hypotheses are tokenised text.
double bleu(const Lines& hypotheses, const Lines& references) {
  return data::corpus_bleu(hypotheses, references,
                           {.tokenizer = data::BleuTokenizer::none, .smoothing = data::BleuSmoothing::none})
      .score;
}

double of_tutorials(const Lines& hypotheses, const Lines& references, int64_t batch) {
  return data::tutorial_bleu(hypotheses, references, batch).score;
}

const std::string kReference = "ein mann in einem blauen hemd steht auf einer leiter und putzt ein fenster .";
const Lines kHypotheses = {"ein mann in einem blauen hemd steht auf einer leiter und putzt .",
                           "ein mann in blauem hemd steht auf einer leiter und putzt ein fenster .",
                           kReference};
const std::string kOtherReference = "ein mann läuft .", kOther = "eine frau steht .";

// A row of both scores for each hypothesis.
Exhibit scored(const Lines& hypotheses, const std::string& reference) {
  std::vector<double> scores;
  for (const std::string& hypothesis : hypotheses)
    scores.insert(scores.end(),
                  {bleu({hypothesis}, {reference}), of_tutorials({hypothesis}, {reference}, 1)});
  const auto N = static_cast<int64_t>(hypotheses.size());
  return {"Reference: " + reference,
          {panel("", hypotheses, {"BLEU", "quirk"}, Tensor::from(scores, {N, 2}))}};
}

// Three translators of "a small dog sleeps": two say "ein kleiner Hund schläft", one "schläft ein
// kleiner Hund".
constexpr int64_t kTranslators = 3, kWords = 4;
Tensor source_of_all() {
  return Tensor::from(std::vector<int32_t>{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}, {kTranslators, kWords});
}
const std::vector<int32_t> kReferences = {2, 3, 4, 5, 2, 3, 4, 5, 5, 2, 3, 4};

// What the decoder reads so as to say these words: <s>, and all but the last.
Tensor shifted(const std::vector<int32_t>& said) {
  std::vector<int32_t> read;
  for (size_t n = 0; n < said.size(); ++n) read.push_back(n % kWords == 0 ? 1 : said[n - 1]);
  return Tensor::from(read, {kTranslators, kWords});
}

Tensor probabilities(const SmallModel& model, const Tensor& read) {
  const Tensor z = model.evaluate(source_of_all(), read).logits, p = Tensor::empty(z.shape(), z.dtype());
  const Shape rows{1, 1, z.rows(), z.width()};
  kernels::softmax_forward(z.reshape(rows), {}, p.reshape(rows));
  return p;
}

// The likeliest word of each row.
std::vector<int32_t> likeliest(const Tensor& p) {
  std::vector<int32_t> best;
  for (int64_t n = 0; n < p.rows(); ++n) {
    const double* const row = p.data<double>() + n * p.width();
    best.push_back(static_cast<int32_t>(std::max_element(row, row + p.width()) - row));
  }
  return best;
}

// What it says when it reads its own words: with each pass one more of them is its own.
std::vector<int32_t> free_running(const SmallModel& model) {
  std::vector<int32_t> said(kTranslators * kWords, 0);
  for (int64_t t = 0; t < kWords; ++t) said = likeliest(probabilities(model, shifted(said)));
  return said;
}

Lines lines(const std::vector<int32_t>& ids) {
  Lines lines;
  const Tensor sentences = Tensor::from(ids, {kTranslators, kWords});
  for (int64_t b = 0; b < kTranslators; ++b)
    lines.push_back(fmt::format("{}", fmt::join(words_of(sentences, target_words(), b), " ")));
  return lines;
}

double right(const std::vector<int32_t>& said, int64_t first, int64_t last) {
  double count = 0;
  for (int64_t n = first * kWords; n < last * kWords; ++n)
    count += said[static_cast<size_t>(n)] == kReferences[static_cast<size_t>(n)] ? 1 : 0;
  return count;
}

// Of the third translator's sentence: rows are what was read.
TitledMatrix of_third(const char* title, const SmallModel& model, const Tensor& read) {
  const int64_t first = (kTranslators - 1) * kWords;
  return panel(title, words_of(read, target_words(), kTranslators - 1), target_words(),
               probabilities(model, read).slice_rows(first, first + kWords));
}

// The loss per word of the small model's logits.
double loss_of(const Tensor& logits) {
  const Tensor next = next_words(), loss = Tensor::zeros({2}, DType::f64);
  kernels::cross_entropy(logits.reshape({logits.rows(), logits.width()}), next, {.ignore_id = 0}, loss,
                         Tensor());
  const auto ids = next.to_vector<int32_t>();
  return loss.data<double>()[0] / static_cast<double>(std::ssize(ids) - std::ranges::count(ids, 0));
}

}  // namespace

void show_tutorial_bleu(QuirkRoom& room) {
  room.exhibits = {scored(kHypotheses, kReference), scored({kOther}, kOtherReference)};
  Lines all = kHypotheses, references(kHypotheses.size(), kReference);
  all.push_back(kOther), references.push_back(kOtherReference);
  room.numbers = {{"the four as a corpus, BLEU", bleu(all, references)},
                  {"the four in one batch, quirk", of_tutorials(all, references, 4)},
                  {"in a batch of three and one of one, quirk", of_tutorials(all, references, 3)}};
}

void show_teacher_forcing(QuirkRoom& room) {
  SmallModel model(small_config());
  constexpr int kUpdates = 400;
  model.learn(source_of_all(), shifted(kReferences), Tensor::from(kReferences), kUpdates, 0.01);
  const std::vector<int32_t> forced = likeliest(probabilities(model, shifted(kReferences))),
                             free = free_running(model);
  room.exhibits.push_back({"The next word's probabilities beside the third reference; rows: what is read",
                           {of_third("correct: its own words", model, shifted(free)),
                            of_third("quirk: the reference's words", model, shifted(kReferences))}});
  const Lines references = lines(kReferences), own = lines(free), along = lines(forced);
  room.exhibits.push_back(
      {"Scored against the third reference, " + references[2],
       {panel("", {"correct: " + own[2], "quirk: " + along[2]}, {"words at their place", "score of Q17"},
              Tensor::from(
                  std::vector<double>{right(free, 2, 3), of_tutorials({own[2]}, {references[2]}, 1),
                                      right(forced, 2, 3), of_tutorials({along[2]}, {references[2]}, 1)},
                  {2, 2}))}});
  room.numbers = {{"words at their place, of twelve, correct", right(free, 0, 3)},
                  {"words at their place, of twelve, quirk", right(forced, 0, 3)},
                  {"BLEU, correct", bleu(own, references)},
                  {"BLEU, quirk", bleu(along, references)},
                  {"score of Q17, correct", of_tutorials(own, references, kTranslators)},
                  {"score of Q17, quirk", of_tutorials(along, references, kTranslators)}};
}

void show_testing_dropout(QuirkRoom& room) {
  SmallModel model(
      small_config([](quirks::Config& config) { config.dropout = config.feed_forward_dropout = 0.1f; }));
  model.learn(source_sentences(), target_sentences(), next_words(), 50, 0.01);
  constexpr int32_t kPasses = 5;
  std::vector<double> correct, quirk;
  for (int32_t pass = 1; pass <= kPasses; ++pass) {
    correct.push_back(loss_of(model.evaluate(pass).logits));
    quirk.push_back(loss_of(model.train(pass).logits));
  }
  std::vector<double> both = correct;
  both.insert(both.end(), quirk.begin(), quirk.end());
  room.exhibits.push_back(
      {"The loss per word of the two sentences, learnt in 50 updates, in five passes, dropout 0.1 (CE1)",
       {panel("", {"correct", "quirk"}, {"1", "2", "3", "4", "5"}, Tensor::from(both, {2, kPasses}))}});
  const auto spread = [](const std::vector<double>& losses) {
    return *std::ranges::max_element(losses) - *std::ranges::min_element(losses);
  };
  const auto mean = [](const std::vector<double>& losses) {
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
  };
  room.numbers = {{"largest loss minus smallest, correct", spread(correct)},
                  {"largest loss minus smallest, quirk", spread(quirk)},
                  {"mean of the five passes, correct", mean(correct)},
                  {"mean of the five passes, quirk", mean(quirk)}};
  Lines all = kHypotheses, references(kHypotheses.size(), kReference);
  room.numbers.push_back(
      {"score of Q17's first three sentences, the fourth skipped", of_tutorials(all, references, 3)});
  all.push_back(kOther), references.push_back(kOtherReference);
  room.numbers.push_back({"score of all four", of_tutorials(all, references, 4)});
}

}  // namespace xf::tools::explain
