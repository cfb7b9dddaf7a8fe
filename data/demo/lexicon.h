// The words of the demo corpus: every English form with the German forms it can become. What
// decides between them (gender, case, number, person, word order) is in demo_grammar.cpp.
#pragma once

#include <cstdint>
#include <string_view>

namespace xf::data::demo {

// What a noun names, as a bit set: verbs, adjectives and prepositions say which they go with.
using Class = uint32_t;
inline constexpr Class kPerson = 1, kAnimal = 2, kFood = 4, kDrink = 8, kThing = 16, kText = 32,
                       kClothes = 64, kDoor = 128, kDevice = 256, kVehicle = 512, kRoom = 1024, kPlace = 2048,
                       kCover = 4096, kPicture = 8192,
                       kUnrelated = 16384,  // a person who is nobody's: "my woman" is another thing
    kGrown = 32768;                         // "ein junger Junge" is no German
inline constexpr Class kLiving = kPerson | kAnimal;
inline constexpr Class kMovable = kThing | kText | kClothes | kDevice | kPicture;
inline constexpr Class kWares = kMovable | kFood | kVehicle;

enum class Gender { masculine, feminine, neuter };
inline constexpr Gender kM = Gender::masculine, kF = Gender::feminine, kN = Gender::neuter;

struct Noun {
  std::string_view english, english_plural;  // no plural: a substance
  Gender gender;
  std::string_view german, german_plural;
  Class kind;
  std::string_view oblique = {};  // accusative and dative singular where they differ from the
                                  // nominative
};

inline constexpr Noun kNouns[] = {
    {"man", "men", kM, "Mann", "Männer", kPerson | kGrown | kUnrelated},
    {"woman", "women", kF, "Frau", "Frauen", kPerson | kGrown | kUnrelated},
    {"child", "children", kN, "Kind", "Kinder", kPerson},
    {"girl", "girls", kN, "Mädchen", "Mädchen", kPerson},
    {"boy", "boys", kM, "Junge", "Jungen", kPerson, "Jungen"},
    {"teacher", "teachers", kM, "Lehrer", "Lehrer", kPerson | kGrown},
    {"doctor", "doctors", kM, "Arzt", "Ärzte", kPerson | kGrown},
    {"neighbour", "neighbours", kM, "Nachbar", "Nachbarn", kPerson | kGrown, "Nachbarn"},
    {"friend", "friends", kM, "Freund", "Freunde", kPerson | kGrown},
    {"student", "students", kM, "Student", "Studenten", kPerson | kGrown, "Studenten"},
    {"sister", "sisters", kF, "Schwester", "Schwestern", kPerson | kGrown},
    {"brother", "brothers", kM, "Bruder", "Brüder", kPerson | kGrown},
    {"daughter", "daughters", kF, "Tochter", "Töchter", kPerson | kGrown},
    {"aunt", "aunts", kF, "Tante", "Tanten", kPerson | kGrown},
    {"dog", "dogs", kM, "Hund", "Hunde", kAnimal},
    {"cat", "cats", kF, "Katze", "Katzen", kAnimal},
    {"horse", "horses", kN, "Pferd", "Pferde", kAnimal},
    {"bird", "birds", kM, "Vogel", "Vögel", kAnimal},
    {"apple", "apples", kM, "Apfel", "Äpfel", kFood},
    {"cake", "cakes", kM, "Kuchen", "Kuchen", kFood},
    {"egg", "eggs", kN, "Ei", "Eier", kFood},
    {"pear", "pears", kF, "Birne", "Birnen", kFood},
    {"soup", "soups", kF, "Suppe", "Suppen", kFood},
    {"bread", "", kN, "Brot", "", kFood},
    {"tea", "", kM, "Tee", "", kDrink},
    {"milk", "", kF, "Milch", "", kDrink},
    {"water", "", kN, "Wasser", "", kDrink},
    {"book", "books", kN, "Buch", "Bücher", kText},
    {"letter", "letters", kM, "Brief", "Briefe", kText},
    {"newspaper", "newspapers", kF, "Zeitung", "Zeitungen", kText},
    {"picture", "pictures", kN, "Bild", "Bilder", kPicture},
    {"flower", "flowers", kF, "Blume", "Blumen", kThing},
    {"key", "keys", kM, "Schlüssel", "Schlüssel", kThing},
    {"bag", "bags", kF, "Tasche", "Taschen", kThing},
    {"chair", "chairs", kM, "Stuhl", "Stühle", kThing},
    {"gift", "gifts", kN, "Geschenk", "Geschenke", kThing},
    {"coat", "coats", kM, "Mantel", "Mäntel", kClothes},
    {"jacket", "jackets", kF, "Jacke", "Jacken", kClothes},
    {"shirt", "shirts", kN, "Hemd", "Hemden", kClothes},
    {"lamp", "lamps", kF, "Lampe", "Lampen", kDevice},
    {"computer", "computers", kM, "Computer", "Computer", kDevice},
    {"radio", "radios", kN, "Radio", "Radios", kDevice},
    {"door", "doors", kF, "Tür", "Türen", kDoor},
    {"window", "windows", kN, "Fenster", "Fenster", kDoor},
    {"car", "cars", kN, "Auto", "Autos", kVehicle},
    {"bicycle", "bicycles", kN, "Fahrrad", "Fahrräder", kVehicle},
    {"kitchen", "kitchens", kF, "Küche", "Küchen", kRoom},
    {"room", "rooms", kN, "Zimmer", "Zimmer", kRoom},
    {"garden", "gardens", kM, "Garten", "Gärten", kRoom},
    {"school", "schools", kF, "Schule", "Schulen", kPlace},
    {"house", "houses", kN, "Haus", "Häuser", kPlace},
    {"church", "churches", kF, "Kirche", "Kirchen", kPlace},
    {"station", "stations", kM, "Bahnhof", "Bahnhöfe", kPlace},
    {"hotel", "hotels", kN, "Hotel", "Hotels", kPlace},
    {"table", "tables", kM, "Tisch", "Tische", kCover},
    {"bed", "beds", kN, "Bett", "Betten", kCover},
    {"bridge", "bridges", kF, "Brücke", "Brücken", kCover},
};

inline constexpr std::string_view kNames[] = {"Anna", "Paul", "Maria", "Thomas", "Laura", "Felix"};

enum class Person { first_singular, third_singular, first_plural, third_plural };

struct Pronoun {
  std::string_view english, english_object;
  Person person;
  std::string_view nominative, accusative, dative;
};

inline constexpr Pronoun kPronouns[] = {
    {"I", "me", Person::first_singular, "ich", "mich", "mir"},
    {"he", "him", Person::third_singular, "er", "ihn", "ihm"},
    {"she", "her", Person::third_singular, "sie", "sie", "ihr"},
    {"we", "us", Person::first_plural, "wir", "uns", "uns"},
    {"they", "them", Person::third_plural, "sie", "sie", "ihnen"},
};

// How a determiner and the adjective behind it are declined.
enum class Declension { definite, der_word, ein_word, numeral };

struct Determiner {
  std::string_view english, german;  // german: the stem that takes the ending
  Declension declension;
  bool singular, plural;
  bool substance;  // stands before "tea" too
  bool possessive = false;
};

inline constexpr Determiner kDeterminers[] = {
    {"the", "", Declension::definite, true, true, true},
    {"a", "ein", Declension::ein_word, true, false, false},
    {"my", "mein", Declension::ein_word, true, true, true, true},
    {"our", "unser", Declension::ein_word, true, true, true, true},
    {"this", "dies", Declension::der_word, true, false, true},
    {"these", "dies", Declension::der_word, false, true, false},
    {"every", "jed", Declension::der_word, true, false, false},
    {"two", "zwei", Declension::numeral, false, true, false},
    {"three", "drei", Declension::numeral, false, true, false},
};
inline constexpr const Determiner& kThe = kDeterminers[0];
inline constexpr const Determiner& kA = kDeterminers[1];
inline constexpr const Determiner& kEvery = kDeterminers[6];
inline constexpr Determiner kNo = {"no", "kein", Declension::ein_word, true, true, true};

struct Adjective {
  std::string_view english, german, stem;  // "ist teuer", "ein teur-es Auto"
  Class kind;
  bool passing = false;  // a state that "today" goes with
};

inline constexpr Adjective kAdjectives[] = {
    {"old", "alt", "alt", kLiving | kMovable | kVehicle | kPlace | kCover},
    {"young", "jung", "jung", kGrown | kAnimal},
    {"small", "klein", "klein", kLiving | kWares | kDoor | kRoom | kPlace | kCover},
    {"big", "groß", "groß", kLiving | kWares | kDoor | kRoom | kPlace | kCover},
    {"new", "neu", "neu", kMovable | kVehicle | kDoor | kPlace | kCover},
    {"beautiful", "schön", "schön", kAnimal | kThing | kClothes | kPicture | kRoom | kPlace},
    {"clever", "klug", "klug", kLiving},
    {"friendly", "freundlich", "freundlich", kPerson},
    {"tired", "müde", "müd", kLiving, true},
    {"happy", "glücklich", "glücklich", kPerson, true},
    {"hungry", "hungrig", "hungrig", kLiving, true},
    {"expensive", "teuer", "teur", kMovable | kVehicle},
    {"cheap", "billig", "billig", kMovable | kVehicle},
    {"red", "rot", "rot", kThing | kClothes | kVehicle | kDoor},
    {"green", "grün", "grün", kThing | kClothes | kVehicle | kDoor},
    {"cold", "kalt", "kalt", kFood | kDrink | kRoom},
    {"dark", "dunkel", "dunkl", kRoom},
};

enum class Frame { intransitive, motion, accusative, dative, ditransitive, that_clause, infinitive };

// English: the particle stands behind the verb ("picks up"), around a pronoun if it is an adverb
// ("picks him up"). German: a separable verb has a prefix ("holt ... ab", "abgeholt", "abzuholen");
// forms are those without it.
struct Verb {
  std::string_view english, english_third, english_past, particle;
  std::string_view prefix, german, german_first, german_third, participle;
  Frame frame;
  Class object = 0;  // of the (direct) object
  Class subject = kPerson;
  bool with_sein = false;  // perfect with sein
  bool particle_is_adverb = false;
};

inline constexpr Verb kVerbs[] = {
    {"sleep", "sleeps", "slept", "", "", "schlafen", "schlafe", "schläft", "geschlafen", Frame::intransitive,
     0, kLiving},
    {"laugh", "laughs", "laughed", "", "", "lachen", "lache", "lacht", "gelacht", Frame::intransitive},
    {"work", "works", "worked", "", "", "arbeiten", "arbeite", "arbeitet", "gearbeitet", Frame::intransitive},
    {"dance", "dances", "danced", "", "", "tanzen", "tanze", "tanzt", "getanzt", Frame::intransitive},
    {"wait", "waits", "waited", "", "", "warten", "warte", "wartet", "gewartet", Frame::intransitive, 0,
     kLiving},
    {"play", "plays", "played", "", "", "spielen", "spiele", "spielt", "gespielt", Frame::intransitive, 0,
     kLiving},
    {"sing", "sings", "sang", "", "", "singen", "singe", "singt", "gesungen", Frame::intransitive, 0},
    {"get", "gets", "got", "up", "auf", "stehen", "stehe", "steht", "gestanden", Frame::intransitive, 0,
     kPerson, true},
    {"wake", "wakes", "woke", "up", "auf", "wachen", "wache", "wacht", "gewacht", Frame::intransitive, 0,
     kLiving, true},
    {"arrive", "arrives", "arrived", "", "an", "kommen", "komme", "kommt", "gekommen", Frame::intransitive, 0,
     kPerson, true},
    {"fall", "falls", "fell", "asleep", "ein", "schlafen", "schlafe", "schläft", "geschlafen",
     Frame::intransitive, 0, kLiving, true},
    {"go", "goes", "went", "", "", "gehen", "gehe", "geht", "gegangen", Frame::motion, 0, kLiving, true},
    {"run", "runs", "ran", "", "", "laufen", "laufe", "läuft", "gelaufen", Frame::motion, 0, kLiving, true},
    {"come", "comes", "came", "", "", "kommen", "komme", "kommt", "gekommen", Frame::motion, 0, kLiving,
     true},
    {"buy", "buys", "bought", "", "", "kaufen", "kaufe", "kauft", "gekauft", Frame::accusative,
     kWares | kDrink},
    {"sell", "sells", "sold", "", "", "verkaufen", "verkaufe", "verkauft", "verkauft", Frame::accusative,
     kWares},
    {"see", "sees", "saw", "", "", "sehen", "sehe", "sieht", "gesehen", Frame::accusative,
     kLiving | kWares | kPlace, kLiving},
    {"find", "finds", "found", "", "", "finden", "finde", "findet", "gefunden", Frame::accusative,
     kAnimal | kMovable},
    {"look", "looks", "looked", "for", "", "suchen", "suche", "sucht", "gesucht", Frame::accusative,
     kLiving | kMovable | kPlace},
    {"eat", "eats", "ate", "", "", "essen", "esse", "isst", "gegessen", Frame::accusative, kFood},
    {"drink", "drinks", "drank", "", "", "trinken", "trinke", "trinkt", "getrunken", Frame::accusative,
     kDrink, kLiving},
    {"carry", "carries", "carried", "", "", "tragen", "trage", "trägt", "getragen", Frame::accusative,
     kThing | kDevice},
    {"love", "loves", "loved", "", "", "lieben", "liebe", "liebt", "geliebt", Frame::accusative, kLiving},
    {"visit", "visits", "visited", "", "", "besuchen", "besuche", "besucht", "besucht", Frame::accusative,
     kPerson},
    {"know", "knows", "knew", "", "", "kennen", "kenne", "kennt", "gekannt", Frame::accusative,
     kPerson | kPlace},
    {"repair", "repairs", "repaired", "", "", "reparieren", "repariere", "repariert", "repariert",
     Frame::accusative, kDevice | kVehicle | kDoor},
    {"write", "writes", "wrote", "", "", "schreiben", "schreibe", "schreibt", "geschrieben",
     Frame::accusative, kText},
    {"paint", "paints", "painted", "", "", "malen", "male", "malt", "gemalt", Frame::accusative,
     kLiving | kPicture | kPlace},
    {"lose", "loses", "lost", "", "", "verlieren", "verliere", "verliert", "verloren", Frame::accusative,
     kThing | kText | kClothes},
    {"open", "opens", "opened", "", "auf", "machen", "mache", "macht", "gemacht", Frame::accusative, kDoor},
    {"close", "closes", "closed", "", "zu", "machen", "mache", "macht", "gemacht", Frame::accusative, kDoor},
    {"invite", "invites", "invited", "", "ein", "laden", "lade", "lädt", "geladen", Frame::accusative,
     kPerson},
    {"call", "calls", "called", "", "an", "rufen", "rufe", "ruft", "gerufen", Frame::accusative, kPerson},
    {"pick", "picks", "picked", "up", "ab", "holen", "hole", "holt", "geholt", Frame::accusative, kPerson,
     kPerson, false, true},
    {"turn", "turns", "turned", "on", "ein", "schalten", "schalte", "schaltet", "geschaltet",
     Frame::accusative, kDevice, kPerson, false, true},
    {"throw", "throws", "threw", "away", "weg", "werfen", "werfe", "wirft", "geworfen", Frame::accusative,
     kThing | kText | kClothes, kPerson, false, true},
    {"look", "looks", "looked", "at", "an", "sehen", "sehe", "sieht", "gesehen", Frame::accusative,
     kLiving | kPicture | kClothes | kVehicle, kPerson},
    {"tidy", "tidies", "tidied", "up", "auf", "räumen", "räume", "räumt", "geräumt", Frame::accusative, kRoom,
     kPerson, false, true},
    {"help", "helps", "helped", "", "", "helfen", "helfe", "hilft", "geholfen", Frame::dative, kLiving},
    {"thank", "thanks", "thanked", "", "", "danken", "danke", "dankt", "gedankt", Frame::dative, kPerson},
    {"follow", "follows", "followed", "", "", "folgen", "folge", "folgt", "gefolgt", Frame::dative, kLiving,
     kLiving, true},
    {"trust", "trusts", "trusted", "", "", "vertrauen", "vertraue", "vertraut", "vertraut", Frame::dative,
     kPerson},
    {"listen", "listens", "listened", "to", "zu", "hören", "höre", "hört", "gehört", Frame::dative, kPerson},
    {"give", "gives", "gave", "", "", "geben", "gebe", "gibt", "gegeben", Frame::ditransitive,
     kMovable | kFood},
    {"show", "shows", "showed", "", "", "zeigen", "zeige", "zeigt", "gezeigt", Frame::ditransitive,
     kMovable | kVehicle | kPlace},
    {"send", "sends", "sent", "", "", "schicken", "schicke", "schickt", "geschickt", Frame::ditransitive,
     kText | kPicture | kThing},
    {"bring", "brings", "brought", "", "", "bringen", "bringe", "bringt", "gebracht", Frame::ditransitive,
     kMovable | kFood | kDrink},
    {"know", "knows", "knew", "", "", "wissen", "weiß", "weiß", "gewusst", Frame::that_clause},
    {"think", "thinks", "thought", "", "", "denken", "denke", "denkt", "gedacht", Frame::that_clause},
    {"say", "says", "said", "", "", "sagen", "sage", "sagt", "gesagt", Frame::that_clause},
    {"hope", "hopes", "hoped", "", "", "hoffen", "hoffe", "hofft", "gehofft", Frame::that_clause},
    {"try", "tries", "tried", "", "", "versuchen", "versuche", "versucht", "versucht", Frame::infinitive},
    {"forget", "forgets", "forgot", "", "", "vergessen", "vergesse", "vergisst", "vergessen",
     Frame::infinitive},
    {"begin", "begins", "began", "", "an", "fangen", "fange", "fängt", "gefangen", Frame::infinitive},
};

enum class Tense { present, past, future, can, must, want };

struct TimeAdverb {
  std::string_view english, german;
  bool past, present, later;  // "later": future and modal verbs
};

inline constexpr TimeAdverb kTimes[] = {
    {"today", "heute", true, true, true},
    {"yesterday", "gestern", true, false, false},
    {"last week", "letzte Woche", true, false, false},
    {"now", "jetzt", false, true, false},
    {"every day", "jeden Tag", false, true, false},
    {"tomorrow", "morgen", false, false, true},
    {"next week", "nächste Woche", false, false, true},
    {"in the morning", "am Morgen", true, true, true},
    {"in the evening", "am Abend", true, true, true},
    {"on Monday", "am Montag", true, true, true},
    {"on Sunday", "am Sonntag", true, true, true},
};

struct Frequency {
  std::string_view english, german;
};

inline constexpr Frequency kFrequencies[] = {
    {"often", "oft"}, {"always", "immer"}, {"never", "nie"}, {"sometimes", "manchmal"}};

enum class Case { nominative, accusative, dative };

struct Preposition {
  std::string_view english, german;
  Case german_case;
  Class kind;
};

inline constexpr Preposition kPlaces[] = {
    {"in", "in", Case::dative, kRoom | kPlace},          {"behind", "hinter", Case::dative, kPlace},
    {"in front of", "vor", Case::dative, kPlace},        {"under", "unter", Case::dative, kCover},
    {"next to", "neben", Case::dative, kCover | kPlace},
};
inline constexpr Preposition kDirections[] = {
    {"into", "in", Case::accusative, kRoom | kPlace},
    {"to", "zu", Case::dative, kPlace},
};
inline constexpr Preposition kCompanions[] = {{"with", "mit", Case::dative, kPerson},
                                              {"without", "ohne", Case::accusative, kPerson}};

struct Conjunction {
  std::string_view english, german;
};

inline constexpr Conjunction kSubordinators[] = {
    {"because", "weil"}, {"although", "obwohl"}, {"when", "wenn"}};
inline constexpr Conjunction kThat = {"that", "dass"};
inline constexpr Conjunction kCoordinators[] = {{"and", "und"}, {"but", "aber"}};
inline constexpr Conjunction kQuestionWords[] = {{"when", "wann"}, {"why", "warum"}, {"where", "wo"}};

}  // namespace xf::data::demo
