/** Languages whose words Postgres reduces to stems; `simple` takes words as they are. Names of text search configurations. */
const STEMMED = [
  'arabic', 'armenian', 'basque', 'catalan', 'danish', 'dutch', 'english', 'finnish', 'french', 'german', 'greek', 'hindi',
  'hungarian', 'indonesian', 'irish', 'italian', 'lithuanian', 'nepali', 'norwegian', 'portuguese', 'romanian', 'russian',
  'serbian', 'spanish', 'swedish', 'tamil', 'turkish', 'yiddish',
] as const; // prettier-ignore

/** What the texts of a base are written in. `auto`: told from each document's own words. */
export const TEXT_LANGUAGES = ['auto', 'simple', ...STEMMED] as const;
export type TextLanguage = (typeof TEXT_LANGUAGES)[number];
