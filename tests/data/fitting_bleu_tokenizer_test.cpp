#include "data/score/fitting_bleu_tokenizer.h"

#include "data/score/bleu.h"
#include "data/unicode.h"
#include "tests/support/catch.h"

using namespace xf::data;

namespace {

struct Language {
  const char* name;
  std::vector<std::string> lines;
  BleuTokenizer fits;
};

// Article 1 of the Universal Declaration of Human Rights, its first sentence, as the UN and
// unicode.org/udhr have it; of Javanese, Burmese and Tibetan words in their script.
const std::vector<Language> kLanguages = {
    {"Chinese", {"人人生而自由，在尊严和权利上一律平等。"}, BleuTokenizer::chinese},
    {"Chinese, traditional, with a Latin name",
     {"人人生而自由，XFORMER在尊嚴和權利上一律平等。"},
     BleuTokenizer::chinese},
    {"Japanese",
     {"すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。"},
     BleuTokenizer::character},
    {"Thai", {"มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ"}, BleuTokenizer::character},
    {"Lao", {"ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີ ສິດທິ ເສລີພາບ"}, BleuTokenizer::character},
    {"Khmer", {"មនុស្សទាំងអស់កើតមកមានសេរីភាព"}, BleuTokenizer::character},
    {"Burmese", {"လူတိုင်းသည်တူညီလွတ်လပ်သော"}, BleuTokenizer::character},
    {"Tibetan", {"འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་"}, BleuTokenizer::character},
    {"Javanese script", {"ꦱꦧꦼꦤ꧀ꦲꦸꦮꦺꦴꦁꦏꦭꦲꦶꦫꦏꦺ"}, BleuTokenizer::character},
    {"Korean",
     {"모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다."},
     BleuTokenizer::mteval_13a},
    {"German",
     {"Alle Menschen sind frei und gleich an Würde und Rechten geboren."},
     BleuTokenizer::mteval_13a},
    {"Arabic", {"يولد جميع الناس أحراراً متساوين في الكرامة والحقوق."}, BleuTokenizer::mteval_13a},
    {"Hindi", {"सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है।"}, BleuTokenizer::mteval_13a},
    {"Vietnamese", {"Tất cả mọi người sinh ra đều được tự do và bình đẳng."}, BleuTokenizer::mteval_13a},
    {"German with a Chinese name",
     {"Der Ort heißt auf Chinesisch 北京 und liegt im Norden."},
     BleuTokenizer::mteval_13a},
    {"Latin letters without spaces",
     {"omneshomines", "liberinascuntur", "etdignitate"},
     BleuTokenizer::character},
};

}  // namespace

TEST_CASE("Fitting BLEU tokeniser: of each script, whether words stand apart in it or not", "[unit]") {
  for (const Language& language : kLanguages) {
    INFO(language.name);
    CHECK(fitting_bleu_tokenizer(language.lines).tokenizer == language.fits);
  }
}

TEST_CASE("Fitting BLEU tokeniser: one wrong character in a line is not all wrong by it", "[unit]") {
  for (const Language& language : kLanguages) {
    std::vector<std::string> hypotheses;
    for (const std::string& line : language.lines) {
      std::u32string wrong = to_utf32(line);
      wrong[wrong.size() / 2] = U'x';
      hypotheses.push_back(to_utf8(wrong));
    }
    INFO(language.name);
    CHECK(corpus_bleu(hypotheses, language.lines, {.tokenizer = language.fits}).score > 25);
    if (language.fits != BleuTokenizer::mteval_13a) CHECK(corpus_bleu(hypotheses, language.lines).score < 25);
  }
}

TEST_CASE("Fitting BLEU tokeniser: a text of several languages, most of it without spaces or little",
          "[unit]") {
  std::vector<std::string> lines(3, kLanguages[0].lines.front());
  lines.push_back("Alle Menschen sind frei.");
  CHECK(fitting_bleu_tokenizer(lines).tokenizer == BleuTokenizer::chinese);
  lines.assign(30, "Alle Menschen sind frei und gleich an Würde und Rechten geboren.");
  lines.push_back(kLanguages[0].lines.front());
  CHECK(fitting_bleu_tokenizer(lines).tokenizer == BleuTokenizer::mteval_13a);
  CHECK(fitting_bleu_tokenizer({}).tokenizer == BleuTokenizer::mteval_13a);
}

TEST_CASE("Lines without spaces: what leaves them uncut, and what does not", "[unit]") {
  const auto uncut = [](const std::vector<std::string>& lines, BleuTokenizer tokenizer) {
    return leaves_most_lines_uncut(lines,
                                   [&](std::string_view line) { return bleu_tokenize(line, tokenizer); });
  };
  for (const Language& language : kLanguages) {
    INFO(language.name);
    CHECK_FALSE(uncut(language.lines, language.fits));
    if (language.fits != BleuTokenizer::mteval_13a) {
      CHECK(uncut(language.lines, BleuTokenizer::mteval_13a));
      CHECK(uncut(language.lines, BleuTokenizer::none));
    }
  }
  const std::vector<std::string> cut_by_somebody = {"人人 生而 自由 ， 在 尊严 和 权利 上 一律 平等 。"};
  CHECK_FALSE(uncut(cut_by_somebody, BleuTokenizer::none));
}
