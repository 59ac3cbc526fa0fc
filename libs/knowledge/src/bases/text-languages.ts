import { ownMember } from '@app/kernel';

/** Maps ISO 639-1 codes to names of text search configurations. */
const STEMMED = {
  ar: 'arabic',
  hy: 'armenian',
  eu: 'basque',
  ca: 'catalan',
  da: 'danish',
  nl: 'dutch',
  en: 'english',
  fi: 'finnish',
  fr: 'french',
  de: 'german',
  el: 'greek',
  hi: 'hindi',
  hu: 'hungarian',
  id: 'indonesian',
  ga: 'irish',
  it: 'italian',
  lt: 'lithuanian',
  ne: 'nepali',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  es: 'spanish',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
} as const;

export const LANGUAGE_CODES = Object.keys(STEMMED);

/** Any other value is returned unchanged. */
export function languageNamed<T>(given: T): T | string {
  return (typeof given === 'string' ? ownMember<string>(STEMMED, given) : undefined) ?? given;
}

/** `auto`: the language is detected for each document. `simple`: words are not stemmed. */
export const TEXT_LANGUAGES = ['auto', 'simple', ...Object.values(STEMMED)] as const;
export type TextLanguage = (typeof TEXT_LANGUAGES)[number];
