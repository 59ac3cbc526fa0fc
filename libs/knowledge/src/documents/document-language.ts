import type { eld } from 'eld/extrasmall';
import { languageNamed, TEXT_LANGUAGES, type TextLanguage } from '../bases/text-languages.js';

type Language = Exclude<TextLanguage, 'auto'>;
type Detector = typeof eld;

export interface DocumentLanguage {
  language: string;
  /** The detected language. Null if the detection is not reliable, or if the settings specify the language. */
  detected: string | null;
}

const SAMPLE = 4_000;
const MAX_SEARCH = 40_000;
const ENOUGH_LETTERS = 20;
/** If the share is smaller, the detection is treated as a mistake. */
const LEAST_SHARE = 0.05;
/** Languages that the detector recognises by their script. The detection of such a language is always accepted. */
const OTHER_SCRIPTS: ReadonlySet<string> = new Set([
  'arabic', 'armenian', 'greek', 'hindi', 'nepali', 'russian', 'serbian', 'tamil', 'yiddish',
]); // prettier-ignore

const CODE_BLOCK = /^ {0,3}(`{3,}|~{3,})[^]*?^ {0,3}\1/gm;
const NOT_PROSE = /[\d_/\\@=<>(){}[\]|$#]|\.\S/;

/**
 * A detected language must have its own script, or make up at least 5 % of all detections in the knowledge base. A
 * document without such a language gets the most frequent language of the knowledge base. `known` is the number of
 * documents in the knowledge base by detected language.
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
    return { ...document, language: isOwn ? own : (most ?? defaultLanguage(document.text)), detected: own };
  });
}

/**
 * Call it before a transaction that detects languages, because other changes of the knowledge base wait for the locks
 * of this transaction. The start of a process does not load the detector, because its tables need memory and many
 * processes never detect a language.
 */
export async function loadDetector(): Promise<Detector> {
  return (await import('eld/extrasmall')).eld;
}

/**
 * Returns `simple` (a configuration without stemming) for a language that the search does not support, and null if the
 * detection is not reliable.
 */
export async function detectLanguage(text: string): Promise<Language | null> {
  const words = text.slice(0, MAX_SEARCH).replace(CODE_BLOCK, ' ').split(/\s+/);
  const prose = words.filter((word) => !NOT_PROSE.test(word)).join(' ').slice(0, SAMPLE); // prettier-ignore
  if ((prose.match(/\p{L}/gu)?.length ?? 0) < ENOUGH_LETTERS) return null;
  const result = (await loadDetector()).detect(prose);
  return result.isReliable() ? configurationFor(result.language) : null;
}

/** Malay is treated as Indonesian, because the detector cannot distinguish these two languages. */
function configurationFor(code: string): Language {
  const name = languageNamed(code === 'ms' ? 'id' : code);
  return TEXT_LANGUAGES.find((language): language is Language => language !== 'auto' && language === name) ?? 'simple';
}

function defaultLanguage(text: string): Language {
  return /(?![A-Za-z])\p{L}/u.test(text.slice(0, SAMPLE)) ? 'simple' : 'english';
}
