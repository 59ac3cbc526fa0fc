/** The languages that Postgres stems, by the names of their text search configurations. */
const STEMMED = [
  'arabic', 'armenian', 'basque', 'catalan', 'danish', 'dutch', 'english', 'finnish', 'french', 'german', 'greek', 'hindi',
  'hungarian', 'indonesian', 'irish', 'italian', 'lithuanian', 'nepali', 'norwegian', 'portuguese', 'romanian', 'russian',
  'serbian', 'spanish', 'swedish', 'tamil', 'turkish', 'yiddish',
] as const; // prettier-ignore

/** ISO 639-1 codes of these languages. */
const CODES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ar: 'arabic', hy: 'armenian', eu: 'basque', ca: 'catalan', da: 'danish', nl: 'dutch', en: 'english', fi: 'finnish', fr: 'french',
    de: 'german', el: 'greek', hi: 'hindi', hu: 'hungarian', id: 'indonesian', ga: 'irish', it: 'italian', lt: 'lithuanian',
    ne: 'nepali', no: 'norwegian', pt: 'portuguese', ro: 'romanian', ru: 'russian', sr: 'serbian', es: 'spanish', sv: 'swedish',
    ta: 'tamil', tr: 'turkish', yi: 'yiddish',
  } satisfies Record<string, (typeof STEMMED)[number]>),
); // prettier-ignore

/** The name of the language with this code; any other value unchanged. */
export function languageNamed<T>(given: T): T | string {
  return (typeof given === 'string' ? CODES.get(given) : undefined) ?? given;
}

/** The language of the texts of a base. `auto`: detected for each document. `simple`: no stemming. */
export const TEXT_LANGUAGES = ['auto', 'simple', ...STEMMED] as const;
export type TextLanguage = (typeof TEXT_LANGUAGES)[number];
