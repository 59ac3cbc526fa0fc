/** Languages whose words Postgres reduces to stems; `simple` takes words as they are. Names of text search configurations. */
const STEMMED = [
  'arabic', 'armenian', 'basque', 'catalan', 'danish', 'dutch', 'english', 'finnish', 'french', 'german', 'greek', 'hindi',
  'hungarian', 'indonesian', 'irish', 'italian', 'lithuanian', 'nepali', 'norwegian', 'portuguese', 'romanian', 'russian',
  'serbian', 'spanish', 'swedish', 'tamil', 'turkish', 'yiddish',
] as const; // prettier-ignore

/** Two-letter codes (ISO 639-1) that are taken for the names above. */
const CODES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ar: 'arabic', hy: 'armenian', eu: 'basque', ca: 'catalan', da: 'danish', nl: 'dutch', en: 'english', fi: 'finnish', fr: 'french',
    de: 'german', el: 'greek', hi: 'hindi', hu: 'hungarian', id: 'indonesian', ga: 'irish', it: 'italian', lt: 'lithuanian',
    ne: 'nepali', no: 'norwegian', pt: 'portuguese', ro: 'romanian', ru: 'russian', sr: 'serbian', es: 'spanish', sv: 'swedish',
    ta: 'tamil', tr: 'turkish', yi: 'yiddish',
  } satisfies Record<string, (typeof STEMMED)[number]>),
); // prettier-ignore

/** The name of the language that a code stands for; anything else as it is. */
export function languageNamed<T>(given: T): T | string {
  return (typeof given === 'string' ? CODES.get(given) : undefined) ?? given;
}

/** What the texts of a base are written in. `auto`: told from each document's own words. */
export const TEXT_LANGUAGES = ['auto', 'simple', ...STEMMED] as const;
export type TextLanguage = (typeof TEXT_LANGUAGES)[number];
