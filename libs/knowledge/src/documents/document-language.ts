import { languageNamed, TEXT_LANGUAGES, type TextLanguage } from '../bases/text-languages.js';

type Language = Exclude<TextLanguage, 'auto'>;

/** What a document is read in: the name of a text search configuration. */
export interface DocumentLanguage {
  language: string;
  /** What its text shows with confidence; null where it shows nothing, or where the settings name the language. */
  detected: string | null;
}

/** Characters that are looked at, and characters among which as many of prose are looked for. */
const SAMPLE = 4_000;
const LOOKED_THROUGH = 40_000;
/** Letters of prose that a text needs for a verdict. */
const ENOUGH_LETTERS = 20;
/** A language that fewer of a base's documents are in is taken for a mistake, or for an exception that is read like the others. */
const LEAST_SHARE = 0.05;
/** Languages in other than Latin letters are told by those: they are never taken for a mistake. */
const OTHER_SCRIPTS: ReadonlySet<string> = new Set([
  'arabic', 'armenian', 'greek', 'hindi', 'nepali', 'russian', 'serbian', 'tamil', 'yiddish',
]); // prettier-ignore

const CODE_BLOCK = /^ {0,3}(`{3,}|~{3,})[^]*?^ {0,3}\1/gm;
/** In names, numbers and addresses, which are no prose. */
const NOT_PROSE = /[\d_/\\@=<>(){}[\]|$#]|\.\S/;

/**
 * The documents with the languages that they are read in. What a text shows with confidence counts, unless fewer than a twentieth of the documents of the
 * base are in that language; these and texts that show nothing are read in the language of most. `known`: documents of the base
 * by what they showed.
 */
export async function assignLanguages<T extends { text: string }>(
  documents: readonly T[],
  setting: TextLanguage,
  known: ReadonlyMap<string, number>,
): Promise<(T & DocumentLanguage)[]> {
  if (setting !== 'auto') return documents.map((document) => ({ ...document, language: setting, detected: null }));
  const detected = await Promise.all(documents.map(({ text }) => detectLanguage(text)));
  const counts = new Map(known);
  for (const language of detected) if (language) counts.set(language, (counts.get(language) ?? 0) + 1);
  const total = [...counts.values()].reduce((sum, each) => sum + each, 0);
  const [most] = [...counts].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)).map(([name]) => name);
  return documents.map((document, n) => {
    const own = detected[n] ?? null;
    const isOwn = own !== null && (OTHER_SCRIPTS.has(own) || (counts.get(own) ?? 0) >= total * LEAST_SHARE);
    return { ...document, language: isOwn ? own : (most ?? unknownLanguage(document.text)), detected: own };
  });
}

/** What the prose of a text is written in; `simple` for a language without stems. Null where that is not clear. */
export async function detectLanguage(text: string): Promise<Language | null> {
  const words = text.slice(0, LOOKED_THROUGH).replace(CODE_BLOCK, ' ').split(/\s+/);
  const prose = words.filter((word) => !NOT_PROSE.test(word)).join(' ').slice(0, SAMPLE); // prettier-ignore
  if ((prose.match(/\p{L}/gu)?.length ?? 0) < ENOUGH_LETTERS) return null;
  // Loaded with the first document: a process that indexes none does not hold its tables.
  const { eld } = await import('eld/extrasmall');
  const result = eld.detect(prose);
  return result.isReliable() ? configurationFor(result.language) : null;
}

/** The configuration of a code (ISO 639-1). Malay and Indonesian share their words, and are one language to the detector. */
function configurationFor(code: string): Language {
  const name = languageNamed(code === 'ms' ? 'id' : code);
  return TEXT_LANGUAGES.find((language): language is Language => language !== 'auto' && language === name) ?? 'simple';
}

/** Of a base that shows nothing yet. */
function unknownLanguage(text: string): Language {
  return /(?![A-Za-z])\p{L}/u.test(text.slice(0, SAMPLE)) ? 'simple' : 'english';
}
