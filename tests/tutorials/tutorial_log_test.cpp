// Expectations: the tutorials' print statements, executed by Python 3 with these numbers.
#include "tools/tutorials/tutorial_log.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace xf::tools;

TEST_CASE("Seed log: a number is as Python's str() writes it", "[unit]") {
  CHECK(python_number(0) == "0.0");
  CHECK(python_number(-3) == "-3.0");
  CHECK(python_number(100) == "100.0");
  CHECK(python_number(0.44) == "0.44");
  CHECK(python_number(1e-5) == "1e-05");
  CHECK(python_number(std::nan("")) == "nan");
}

// 227 batches: round((i / 227) * 100, 2) for i = 0, 1, 2, 226.
TEST_CASE("Seed log: percentages of 227 batches are 0.0, 0.44, 0.88 to 99.56", "[golden]") {
  CHECK(step_line(0, 227, 9.125) == "step : 0.0 % , loss : 9.125");
  CHECK(step_line(1, 227, 5) == "step : 0.44 % , loss : 5.0");
  // the f32 nearest to 5.1
  CHECK(step_line(2, 227, 5.1) == "step : 0.88 % , loss : 5.099999904632568");
  CHECK(step_line(226, 227, 5) == "step : 99.56 % , loss : 5.0");
  CHECK(step_line(1, 2, 5) == "step : 50.0 % , loss : 5.0");
}

TEST_CASE("Seed log: the block of an epoch", "[unit]") {
  CHECK(
      epoch_block({.epoch = 1, .seconds = 90.7, .training_loss = 0, .validation_loss = 1, .bleu = 12.3456}) ==
      "Epoch: 1 | Time: 1m 30s\n\tTrain Loss: 0.000 | Train PPL:   1.000\n"
      "\tVal Loss: 1.000 |  Val PPL:   2.718\n\tBLEU Score: 12.346");
  CHECK(epoch_block({.epoch = 12, .seconds = 30, .training_loss = 0}) ==
        "Epoch: 12 | Time: 0m 30s\n\tTrain Loss: 0.000 | Train PPL:   1.000");
}

TEST_CASE("Seed log: parameters, examples, scores", "[golden]") {
  CHECK(parameters_line(55205037) == "The model has 55,205,037 trainable parameters");
  CHECK(start_block({1, 2, 3, 5893, 7853, 55205037}) ==
        "1\n2\n3\n5893\n7853\nThe model has 55,205,037 trainable parameters");
  CHECK(example_block("a b", "c", "d e") == "source : a b\ntarget : c\npredicted : d e\n");
  CHECK(batch_score_line(0) == "BLEU SCORE = 0.0");
  CHECK(total_score_line(13.5) == "TOTAL BLEU SCORE = 13.5");
}
