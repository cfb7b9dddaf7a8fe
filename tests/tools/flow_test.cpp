// Flows of data: their numbers against the trace, the two views of the decoder against each other,
// and the pictures as documents.
#include "tools/explain/flow.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>

#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/tools/parsed_options.h"
#include "tests/tools/random_run.h"
#include "tools/explain/flow_layout.h"

namespace xf::tools::explain {
namespace {

Flow micro_flow(const std::string& subject) { return make_flow(subject, micro_pass(flow_target(subject))); }

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it)
    found.push_back((*it)[1].str());
  return found;
}

// Empty if every element is closed by its own tag, in order, and no '&' is bare; else what is
// wrong.
std::string fault_of(const std::string& xml) {
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-z]+)[^<>]*?(/?)>");
  for (std::sregex_iterator it(xml.begin(), xml.end(), tag), end; it != end; ++it) {
    const std::string name = (*it)[2].str();
    if (!(*it)[1].str().empty()) {
      if (open.empty() || open.back() != name) return "</" + name + ">";
      open.pop_back();
    } else if ((*it)[3].str().empty()) {
      open.push_back(name);
    }
  }
  if (!open.empty()) return "<" + open.back() + ">";
  const std::string text = std::regex_replace(xml, tag, "");
  if (text.find('<') != std::string::npos) return "a bare <";
  return std::regex_search(xml, std::regex("&(?!(amp|lt|gt|quot|#39|apos);)")) ? "a bare &" : "";
}

nlohmann::json json_of(const std::string& subject) {
  return nlohmann::json::parse(to_json(micro_flow(subject)));
}

// The row of the traced value that a matrix begins at: p is [1, H, Tq, Tk], and "p, head 1" its
// second head.
int64_t first_row(const nlohmann::json& matrix, const SeenValue& seen) {
  const char last = matrix.at("label").get<std::string>().back();
  return seen.symbol == "p" && last >= '0' && last <= '9' ? (last - '0') * seen.value.dim(2) : 0;
}

TEST_CASE("Flow: blocks, equations, shapes and numbers are those of the trace", "[unit]") {
  for (const std::string& subject : flow_subjects()) {
    const FlowPass pass = micro_pass(flow_target(subject));
    int compared = 0;
    const auto json = nlohmann::json::parse(to_json(make_flow(subject, pass)));
    for (const auto& stage : json.at("stages")) {
      for (const auto& matrix : stage.value("matrices", nlohmann::json::array())) {
        if (matrix.at("block") == "") continue;
        INFO(subject << " " << matrix.at("block") << " " << matrix.at("symbol"));
        const SeenValue& seen = pass.traced.find(matrix.at("block"), matrix.at("symbol"));
        CHECK(matrix.at("equation") == seen.equation);
        CHECK(matrix.at("traced_shape").get<std::vector<int64_t>>().back() == seen.value.width());
        const int64_t begin = first_row(matrix, seen);
        const auto rows = matrix.at("rows").get<std::vector<std::vector<float>>>();
        const auto columns = matrix.at("columns").get<std::vector<int64_t>>();
        for (size_t r = 0; r < rows.size(); ++r) {
          for (size_t c = 0; c < columns.size(); ++c) {
            const int64_t at = (begin + static_cast<int64_t>(r)) * seen.value.width() + columns[c];
            if (rows[r][c] != seen.value.data<float>()[at]) FAIL("row " << r << ", column " << columns[c]);
          }
        }
        ++compared;
      }
    }
    CHECK(compared > 0);
  }
}

TEST_CASE("Flow: embedding and position add up to what the encoder reads (EM1)", "[unit]") {
  const FlowPass pass = micro_pass(FlowTarget::reference);
  const Tensor& x = pass.traced.find("source_embedding", "x").value;
  for (int64_t i = 0; i < x.numel(); ++i)
    CHECK(x.data<float>()[i] ==
          Approx(pass.words.data<float>()[i] + pass.positions.data<float>()[i]).margin(1e-6));
}

TEST_CASE("Flow: the scores' softmax over unmasked keys is the traced p (AT1, AT2)", "[unit]") {
  const Flow flow = micro_flow("attention");
  const FlowMatrix &s = flow.stages[2].matrices[1], &p = flow.stages[3].matrices[0];
  REQUIRE(s.equation == "AT1");
  REQUIRE(s.causal);
  const int64_t T = s.value.rows();
  for (int64_t i = 0; i < T; ++i) {
    const auto e = [&](int64_t j) { return std::exp(static_cast<double>(s.value.data<float>()[i * T + j])); };
    double sum = 0;
    for (int64_t j = 0; j <= i; ++j) sum += e(j);
    for (int64_t j = 0; j < T; ++j)
      CHECK(p.value.data<float>()[i * T + j] == Approx(j <= i ? e(j) / sum : 0).margin(1e-6));
  }
}

TEST_CASE("Flow: the losses sum to the model's own (CE1)", "[unit]") {
  const FlowPass pass = micro_pass(FlowTarget::reference);
  const MicroModel model(DType::f32, 2);
  Arena arena(Device::cpu());
  nn::Tape tape(arena, nn::Tape::Mode::inference);
  nn::ForwardContext context{.tape = tape};
  const Tensor loss = Tensor::zeros({2}, DType::f32);
  model.transformer.loss(context, pass.traced.batch, Tensor(), loss);
  CHECK(std::accumulate(pass.losses.begin(), pass.losses.end(), 0.0) ==
        Approx(loss.data<float>()[1]).epsilon(1e-5));
}

Tensor counting(int64_t n, Shape shape) {
  std::vector<int32_t> numbers(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return Tensor::from(numbers, shape);
}

void check_row(const Tensor& actual, const Tensor& expected, int64_t row) {
  const auto values = actual.to_vector<float>();
  for (int64_t c = 0; c < expected.width(); ++c)
    CHECK(values[static_cast<size_t>(c)] ==
          Approx(expected.data<float>()[row * expected.width() + c]).margin(1e-5));
}

TEST_CASE("Flow: decoding's rows are what the engine computes word by word with a cache", "[unit]") {
  const FlowPass pass = micro_pass(FlowTarget::greedy);
  const int64_t Ts = std::ssize(pass.traced.source), Tt = std::ssize(pass.traced.target_in), D = 8;
  const auto words = pass.traced.batch.target_in.to_vector<int32_t>();
  const MicroModel model(DType::f32, 2);
  Arena arena(Device::cpu());
  nn::Tape tape(arena, nn::Tape::Mode::inference);
  nn::ForwardContext context{.tape = tape};
  const nn::Variable memory = model.transformer.encode(context, pass.traced.batch, Tensor());
  nn::DecoderCache cache;
  cache.cross = model.transformer.cross_keys_values(context, memory).value();
  cache.layers.assign(2, Tensor());
  for (Tensor& layer : cache.layers) layer = Tensor::zeros({Tt, 3 * D}, DType::f32);
  cache.cross_rows = counting(Ts, {1, Ts});
  cache.cross_lengths = Tensor::from<int32_t>({static_cast<int32_t>(Ts)});
  for (int64_t t = 0; t < Tt; ++t) {
    const auto position = static_cast<int32_t>(t);
    const Tensor states = model.transformer.decode_step(
        context, Tensor::from<int32_t>({words[static_cast<size_t>(t)]}), Tensor::from<int32_t>({position}),
        cache, t, counting(t + 1, {1, t + 1}), Tensor::from<int32_t>({position + 1}));
    check_row(states, pass.traced.find("decoder.layers.1.feed_forward.norm", "y").value, t);
    for (size_t l = 0; l < 2; ++l) {
      const Tensor slab = cache.layers[l].slice_rows(t, t + 1);
      const std::string block = fmt::format("decoder.layers.{}.self_attention", l);
      check_row(slab.slice_columns(D, 2 * D), pass.traced.find(block, "k").value, t);
      check_row(slab.slice_columns(2 * D, 3 * D), pass.traced.find(block, "v").value, t);
    }
    const auto logits = model.transformer.logits(context, states).to_vector<float>();
    // 0 is <s>
    const auto best = std::max_element(logits.begin() + 1, logits.end()) - logits.begin();
    CHECK(best == pass.traced.target_ids[static_cast<size_t>(t)]);
  }
  CHECK(pass.traced.target_out.back() == "</s>");
}

TEST_CASE("Flow: in training a stage has all positions at once, in decoding a position has all stages",
          "[unit]") {
  const Flow training = micro_flow("training"), decoding = micro_flow("decoding");
  REQUIRE(training.stages.size() == decoding.stages.size());
  CHECK(training.rows() == 1);
  CHECK(decoding.rows() == std::ssize(decoding.stages.back().words));
  int64_t last = -1;
  for (size_t s = 0; s < training.stages.size(); ++s) CHECK(training.tick(s, 0) == ++last);
  CHECK(training.ticks() == last + 1);
  last = decoding.tick(0, 0);  // the memory, once
  CHECK(last == 0);
  for (int64_t row = 0; row < decoding.rows(); ++row) {
    for (size_t s = 1; s < decoding.stages.size(); ++s) CHECK(decoding.tick(s, row) == ++last);
  }
  CHECK(decoding.ticks() == last + 1);
  for (size_t i = 0; i + 1 < decoding.stages.back().words.size(); ++i)
    CHECK(decoding.stages.back().words[i].text == decoding.stages[1].words[i + 1].text);
}

TEST_CASE("Flow: stages come in the model's order", "[unit]") {
  const auto symbols = [](const std::string& subject) {
    std::string all;
    const auto json = json_of(subject);
    for (const auto& stage : json.at("stages")) {
      for (const auto& matrix : stage.value("matrices", nlohmann::json::array()))
        all += matrix.at("equation").get<std::string>() + " ";
    }
    return all;
  };
  const std::string self = "AB1 AB1 AB1 AT2 AT2 AB2 AB3 RN0 ", cross = "AB9 AB1 AB1 AT2 AT2 AB2 AB3 RN0 ",
                    feed_forward = "AC0 LI1 RN0 ";
  CHECK(symbols("model") == "EM1 EM3 EM1 AT2 RN0 AT2 RN0 RN0 EM1 AT2 AT2 RN0 AT2 AT2 RN0 LI1 ");
  CHECK(symbols("encoder") == "EM1 EM3 EM1 " + self + feed_forward + "AT2 RN0 RN0 ");
  CHECK(symbols("training") == "RN0 EM1 " + self + cross + feed_forward + "AT2 AT2 RN0 LI1 ");
  CHECK(symbols("decoding") == symbols("training"));
  CHECK(symbols("attention") == "AB1 AB1 AB1 AT1 AT1 AT2 AB1 AB2 AB2 AB3 ");
  CHECK(symbols("feed_forward") == "RN0 AC0 LI1 RN0 ");
  CHECK(symbols("positions") == "EM1 EM3 EM1 ");
}

std::string run_with(const char* norm) {
  static const xf::tests::RandomRun pre("norm = \"pre\""), post("norm = \"post\"");
  return (norm == std::string("pre") ? pre : post).path();
}

Flow run_flow(const std::string& subject, const char* norm) {
  const std::string run = run_with(norm);
  const char* const words[] = {"xformer-explain flow", subject.c_str(), "-m", run.c_str()};
  return make_flow(
      subject, model_pass(*parse_options(FlowOptions(), 4, words), "a small dog runs", flow_target(subject)));
}

std::string titles_of(const Flow& flow) {
  std::string all;
  for (const FlowStage& stage : flow.stages) all += stage.title + "; ";
  return all;
}

TEST_CASE("Flow: in pre-norm each block is shown with the norm that it reads, and adds to the stream",
          "[unit]") {
  CHECK(titles_of(run_flow("encoder", "pre")) ==
        "Source words; Embedding + positions; Norm; "
        "Self-attention; Who looks at whom; Concat, projection, Add; Norm; Feed-forward, Add; Memory; ");
  CHECK_THAT(titles_of(run_flow("training", "pre")),
             Catch::EndsWith("Feed-forward, Add; Norm; Logits; To be said, and its -log p (CE1); "));
  CHECK_THAT(titles_of(run_flow("feed_forward", "pre")), Catch::StartsWith("Words; In; Norm; "));
  CHECK_THAT(titles_of(run_flow("encoder", "post")), !Catch::Contains("; Norm; "));
  const Flow flow = run_flow("encoder", "pre");
  const FlowMatrix &x = flow.stages[1].matrices.back(), &norm = flow.stages[2].matrices[0],
                   &y = flow.stages[5].matrices[1], &stream = flow.stages[5].matrices[2];
  CHECK(norm.block == "encoder.layers.0.self_attention.norm");
  for (int64_t i = 0; i < x.value.numel(); ++i)
    CHECK(stream.value.data<float>()[i] ==
          Approx(x.value.data<float>()[i] + y.value.data<float>()[i]).margin(1e-5));
}

TEST_CASE("Flow: a box of pre-norm names the block that it shows", "[unit]") {
  const std::string svg = to_svg(run_flow("training", "pre"));
  for (const char* block : {"decoder", "decoder.layers", "decoder.layers.0"})
    CHECK(svg.find(fmt::format("text-anchor=\"end\">{}<", block)) == std::string::npos);
  CHECK(svg.find("text-anchor=\"end\">decoder.layers.0.feed_forward<") != std::string::npos);
}

TEST_CASE("Flow: matrices stay inside of their boxes, also beside wide labels", "[unit]") {
  for (const char* norm : {"pre", "post"}) {
    for (const char* subject : {"model", "training", "attention"}) {
      for (const FlowStage& stage : run_flow(subject, norm).stages) {
        if (stage.matrices.empty()) continue;
        INFO(subject << " " << stage.title);
        Flow alone;
        alone.stages = {stage};
        const FlowLayout layout(alone);
        const auto& box = layout.boxes.front();
        for (size_t m = 0; m < stage.matrices.size(); ++m)
          CHECK(box.x[m] + static_cast<double>(stage.matrices[m].columns.size()) * box.cell_width <=
                FlowLayout::kEnd + 1e-9);
      }
    }
  }
}

TEST_CASE("Flow: a masked score is null, and no part of the range", "[unit]") {
  const Flow flow = micro_flow("attention");
  const auto json = nlohmann::json::parse(to_json(flow));
  const auto& rows = json.at("stages")[2].at("matrices")[1].at("rows");
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t c = 0; c < rows[r].size(); ++c) CHECK(rows[r][c].is_null() == (c > r));
  }
  CHECK(to_text(flow).find("inf") == std::string::npos);
  CHECK(to_svg(flow).find("opacity=\"inf") == std::string::npos);
}

TEST_CASE("Flow: the first layer has no blocks before it that it would be like", "[unit]") {
  const Flow flow = micro_flow("model");
  CHECK(flow.stages[2].note.find("The same blocks") == std::string::npos);
  CHECK(flow.stages[3].note.find("The same blocks") == 0);
}

TEST_CASE("Flow: pictures are well-formed, need no script, and stand still for who wants that", "[unit]") {
  CHECK(fault_of("<a><b x=\"1\"/></a>").empty());
  CHECK(fault_of("<a><b></a></b>") == "</a>");
  CHECK(fault_of("<a>&x</a>") == "a bare &");
  for (const std::string& subject : flow_subjects()) {
    INFO(subject);
    const Flow flow = micro_flow(subject);
    const std::string svg = to_svg(flow);
    CHECK(fault_of(svg).empty());
    CHECK(svg.find("<script") == std::string::npos);
    // Every animation stands behind the question, and what is not animated is visible, but for glow
    // and packets.
    const size_t question = svg.find("@media (prefers-reduced-motion: no-preference) {");
    REQUIRE(question != std::string::npos);
    CHECK(svg.find("animation") > question);
    CHECK(svg.find("@keyframes") > question);
    CHECK(svg.substr(0, question).find(".appears") == std::string::npos);
    std::set<std::string> ticks;
    for (const std::string& tick : matches(svg, "class=\"[a-z ]*t([0-9]+)\"")) ticks.insert(tick);
    CHECK(std::ssize(ticks) == flow.ticks());
    for (const std::string& tick : ticks) CHECK(svg.find("@keyframes d" + tick + " ") != std::string::npos);
    for (const FlowStage& stage : flow.stages) {
      CHECK(to_text(flow).find(stage.title) != std::string::npos);
      CHECK(svg.find(">" + stage.title.substr(0, stage.title.find('&'))) != std::string::npos);
    }
  }
  CHECK(to_html(micro_flow("positions")).find("<svg") != std::string::npos);
}

TEST_CASE("Flow: the mask's cells are not drawn as values", "[unit]") {
  const Flow flow = micro_flow("training");
  const FlowMatrix& p = flow.stages[4].matrices[0];
  REQUIRE(p.causal);
  const int64_t T = p.value.rows();
  Flow alone = flow;
  alone.stages = {{.title = "p", .matrices = {p}}};
  CHECK(std::ssize(matches(to_svg(alone), "(<path d=\"M[^\"]*\" opacity)")) == T * (T + 1) / 2);
}

void check_refused(const std::vector<const char*>& words, const std::string& message) {
  std::vector<const char*> line = {"xformer-explain flow"};
  line.insert(line.end(), words.begin(), words.end());
  const auto options = parse_options(FlowOptions(), static_cast<int>(line.size()), line.data());
  REQUIRE(options);
  try {
    flow_document(*options);
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), Catch::Contains(message));
  }
}

TEST_CASE("Flow: what does not fit is named", "[unit]") {
  check_refused({}, "needs --subject");
  check_refused({"encodr"}, "did you mean 'encoder'");
  check_refused({"encoder", "A sentence."}, "give both");
  check_refused({"encoder", "-m", "nowhere"}, "give both");
  check_refused({"encoder", "-m", "nowhere", "A sentence."}, "nowhere");
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// docs/figures/ holds what the program draws. Rounding differs from processor to processor: numbers
// may by 0.02.
TEST_CASE("Flow: the figures of the docs are those that the program draws", "[book]") {
  const std::regex number("-?[0-9]*\\.[0-9]+");
  for (const std::string& subject : flow_subjects()) {
    INFO("build/bin/xformer-explain flow " << subject << " -o docs/figures/flow-" << subject << ".svg");
    const std::string kept = contents(tests::source_folder() + "/docs/figures/flow-" + subject + ".svg"),
                      made = to_svg(micro_flow(subject));
    CHECK(kept.size() < 150'000);
    CHECK((std::regex_replace(kept, number, "#") == std::regex_replace(made, number, "#")));
    const auto before = matches(kept, "(-?[0-9]*\\.[0-9]+)"), now = matches(made, "(-?[0-9]*\\.[0-9]+)");
    REQUIRE(before.size() == now.size());
    for (size_t i = 0; i < now.size(); ++i) {
      if (std::abs(std::stod(before[i]) - std::stod(now[i])) > 0.02)
        FAIL("number " << i << ": " << before[i] << " and " << now[i]);
    }
  }
}

}  // namespace
}  // namespace xf::tools::explain
