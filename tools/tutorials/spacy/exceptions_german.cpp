#include "tools/tutorials/spacy/exceptions.h"

namespace xf::data::spacy {
namespace {

constexpr std::string_view kWhole =
    R"('S 's S' s' 'n 'ne 'nen 'nem Abb. Abk. Abs. Abt. Apr. Aug. Bd. Betr. Bf. Bhf. Biol. Bsp. Chr. Cie. Co. Dez. Di. Dipl.
       Dipl.-Ing. Do. Dr. Fa. Fam. Feb. Fr. Frl. Gebr. Hbf. Hg. Hr. Hrn. Hrsg. Ing. Jan. Jh. Jhd. Jr. Jul. Jun. Mi. Mio. Mo.
       Mr. Mrd. Mrz. MwSt. Mär. Nov. Nr. Okt. Orig. Pkt. Prof. Red. Sa. Sep. Sept. So. St. Std. Str. Tel. Tsd. Univ. Vol.
       A.C. A.D. A.G. B.A. B.Sc. D.C. G.m.b.H. K.O. L.A. M.A. M.Sc. N.Y. N.Y.C. O.K. P.S. R.I.P. U.S. U.S.A. U.S.S.
       a.D. a.M. a.Z. d.h. e.V. e.g. h.c. i.A. i.G. i.O. i.Tr. i.V. i.d.R. i.e. m.E. m.M. n.Chr. o.a. o.g. o.k. o.ä. p.a. p.s.
       q.e.d. s.o. u.U. u.a. u.s.w. u.v.m. v.Chr. v.a. v.l.n.r. z.B. z.Bsp. z.T. z.Z. z.Zt. z.b.
       abzgl. adv. al. allg. betr. biol. bspw. bzgl. bzw. ca. co. dgl. ebd. ehem. eigtl. engl. entspr. erm. etc. ev. evtl. frz.
       geb. gegr. gem. ggf. ggfs. ggü. hrsg. incl. inkl. insb. jr. jun. jur. kath. lat. lt. max. min. mind. mtl. nat. orig.
       pers. phil. rer. röm. sen. sog. std. stellv. tägl. usf. usw. uvm. vgl. vllt. vlt. vs. wiss. zzgl. österr.)";

constexpr std::string_view kWholeSince3 = "`` CDU/CSU I. II. III. IV. Inc. L' c/o d'";

}  // namespace

void add_german(Exceptions& table, SpacyRules rules) {
  for (const char* pronoun : {"du", "er", "ich", "ihr", "sie", "wir"}) add_split(table, {pronoun, "'s"});
  for (const char* preposition : {"auf", "hinter", "unter", "vor", "über"})
    add_split(table, {preposition, "'m"});
  add_whole(table, kWhole);
  if (rules == SpacyRules::v3) add_whole(table, kWholeSince3);
}

}  // namespace xf::data::spacy
