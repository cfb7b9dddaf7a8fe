#include "tools/formats/ctranslate2_vocabularies.h"

#include <algorithm>

#include "data/vocabularies.h"
#include "tools/formats/foreign_vocabulary.h"
#include "tools/formats/settings.h"
#include "tools/formats/zero_beginning.h"

namespace xf::tools::exchange {

namespace {

void refuse_given_start(const Settings& settings) {
  if (settings.is_null("decoder_start_token"))
    fail(ErrorKind::usage,
         "{}: decoder_start_token is null: each translation is given its first token, that of a language; "
         "models of this engine begin with one token",
         settings.path());
}

// What the decoder begins with, "<s>" where the file names nothing.
std::string start_token(const Settings& settings, const std::vector<std::string>& target) {
  for (const char* key : {"decoder_start_token", "bos_token"}) {
    const std::optional<std::string> token = settings.text(key);
    if (!token) continue;
    if (std::ranges::find(target, *token) == target.end())
      fail(ErrorKind::data, "{}: {} is '{}', which the target's vocabulary lacks", settings.path(), key,
           *token);
    return *token;
  }
  return "<s>";
}

bool source_ends(const Settings& settings, const CTranslate2Reading& reading,
                 std::vector<std::string>& warnings) {
  if (settings.flag("add_source_eos").value_or(false) || reading.callers_add_eos) return true;
  warnings.push_back(fmt::format(
      "{}: add_source_eos is false: sources are read without </s>, as OpenNMT's models were trained; if this "
      "one was trained with it, write true there",
      settings.path()));
  return false;
}

class Lists {
 public:
  explicit Lists(const std::string& folder) : folder_(folder) {
    joint_ = !path("shared").empty();
    if (!joint_ && (path("source").empty() || path("target").empty()))
      fail(ErrorKind::data,
           "{}: neither shared_vocabulary nor source_vocabulary and target_vocabulary, "
           ".json or .txt, in this folder; copy it again",
           folder);
    source_ = pieces(joint_ ? "shared" : "source");
    target_ = joint_ ? source_ : pieces("target");
    joint_ = source_ == target_;
  }
  bool joint() const { return joint_; }
  const std::vector<std::string>& source() const { return source_; }
  const std::vector<std::string>& target() const { return target_; }

 private:
  // As CTranslate2 looks for it; "" where there is none.
  std::string path(const std::string& side) const {
    for (const char* extension : {".json", ".txt"}) {
      const std::string path = folder_ + "/" + side + "_vocabulary" + extension;
      if (is_there(path)) return path;
    }
    return "";
  }
  std::vector<std::string> pieces(const std::string& side) const {
    const std::string list = path(side);
    const std::string text = read_model_text(list);
    return list.ends_with(".txt") ? pieces_of_lines(text, list) : parse_pieces(text, list);
  }

  std::string folder_;
  bool joint_ = false;
  std::vector<std::string> source_, target_;
};

// With those of the special tokens that the pieces have. What OpenNMT and fairseq call <blank>
// fills up, too.
ForeignVocabulary vocabulary_of(const std::vector<std::string>& pieces, data::SpecialPieces specials) {
  const auto has = [&](const std::string& piece) { return std::ranges::find(pieces, piece) != pieces.end(); };
  if (!has(specials.pad)) specials.pad = "<blank>";
  for (std::string* special : {&specials.bos, &specials.pad}) {
    if (!has(*special)) special->clear();
  }
  return {pieces, specials};
}

}  // namespace

data::Vocabularies ctranslate2_vocabularies(const std::string& folder, const Settings& settings,
                                            const CTranslate2Reading& reading,
                                            std::vector<std::string>& warnings) {
  refuse_given_start(settings);
  settings.require_flag("add_source_bos", false, false, "models of this engine read the source without <s>");
  const Lists lists(folder);
  data::SpecialPieces specials;
  specials.unk = settings.text("unk_token").value_or("<unk>");
  specials.eos = settings.text("eos_token").value_or("</s>");
  specials.bos = reading.begins_with_zeros ? "" : start_token(settings, lists.target());
  ForeignVocabulary target = vocabulary_of(lists.target(), specials);
  if (reading.begins_with_zeros) add_beginning(target);
  ForeignVocabulary source = lists.joint() ? target : vocabulary_of(lists.source(), specials);
  const bool ends = source_ends(settings, reading, warnings);
  if (!ends) source.specials.eos.clear();
  return foreign_vocabularies(folder, source, target, lists.joint() && ends, warnings);
}

}  // namespace xf::tools::exchange
