/** ISO 639-1 codes this guess can tell apart; everything else, and text too short to say, is `unknown`. */
export type Language = keyof typeof STOP_WORDS | keyof typeof SCRIPTS | "unknown";

/** The most frequent function words of each language, without those that several of them share. */
const STOP_WORDS = {
  en: "the and to of is that for you this with are have be not on from your it was will",
  de: "der und die das ist nicht sie mit für ein eine auf den ich von zu werden auch wir ihre",
  fr: "le les des est vous pour dans une pas que sur avec nous votre ce sont du et au cette",
  es: "el los las por para con una usted más su del como pero sus este esta muy y lo ser",
  it: "il di che non è per della sono con gli anche questo del nella alla più ed vi dei una",
  pt: "os não uma para você seu são mais dos em ao sua pelo nós isso também pela seus este será",
  nl: "het een van niet en dat zijn op te met voor aan ook bij naar wordt deze uw wij maar",
} as const;

const SCRIPTS = {
  ko: /\p{Script=Hangul}/gu,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  zh: /\p{Script=Han}/gu,
  ru: /\p{Script=Cyrillic}/gu,
} as const;

/** Enough text to decide; longer bodies give the same answer. */
const MAX_CHARACTERS = 4_000;
const MIN_HITS = 3;
/** Function words are a third of running text; a list of links or prices has almost none. */
const MIN_WORD_SHARE = 0.06;
const MIN_SCRIPT_SHARE = 0.1;

/** Links and mail addresses are written in no language. */
const ADDRESS = /\S*(?:[:@/]|www\.)\S*/g;

const languagesOfWord = new Map<string, Language[]>();
for (const [language, list] of entries(STOP_WORDS)) {
  for (const word of list.split(" ")) languagesOfWord.set(word, [...(languagesOfWord.get(word) ?? []), language]);
}

/** An honest guess: by script where the script tells, else by function words, else `unknown`. */
export function guessLanguage(text: string): Language {
  const sample = text.slice(0, MAX_CHARACTERS).replace(ADDRESS, " ");
  return byScript(sample) ?? byStopWords(sample);
}

/** Kana before Han: Japanese uses both. */
function byScript(sample: string): Language | undefined {
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  return entries(SCRIPTS).find(([, script]) => (sample.match(script)?.length ?? 0) > letters * MIN_SCRIPT_SHARE)?.[0];
}

function byStopWords(sample: string): Language {
  const words = sample.toLowerCase().match(/\p{L}+/gu) ?? [];
  const hits = new Map<Language, number>();
  for (const word of words) {
    for (const language of languagesOfWord.get(word) ?? []) hits.set(language, (hits.get(language) ?? 0) + 1);
  }
  const [best, count] = [...hits].reduce<[Language, number]>((a, b) => (b[1] > a[1] ? b : a), ["unknown", 0]);
  return count >= MIN_HITS && count >= words.length * MIN_WORD_SHARE ? best : "unknown";
}

function entries<T extends object>(table: T): [keyof T & Language, T[keyof T]][] {
  return Object.entries(table) as [keyof T & Language, T[keyof T]][];
}
