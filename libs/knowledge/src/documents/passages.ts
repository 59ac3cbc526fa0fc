import type { IndexSettings } from '../bases/knowledge-settings.js';
import { chunksOf } from '../chunking/chunks.js';
import type { DocumentLanguage } from './document-language.js';
import { indexedWords, searchWords } from './search-words.js';

export interface NewPassage {
  document: string;
  n: number;
  heading: string;
  body: string;
  start: number;
  end: number;
  tokens: number;
  words: number;
  language: string;
  title_words: string;
  heading_words: string;
  address_words: string;
  body_words: string;
  marks: string;
}

export interface CutDocument extends DocumentLanguage {
  id: string;
  title: string;
  /** The URL, or the key if there is no URL. */
  address: string;
}

/** Searches count these passages by the word. No text contains it, because words of a text contain no colon. */
const passagesMark = (language: string): string => `${PASSAGES}${language}`;
/** The language detection of later documents uses the word to count these documents. */
const documentsMark = (language: string): string => `${DOCUMENTS}${language}`;
export const PASSAGES = 'passages:';
export const DOCUMENTS = 'documents:';

export interface TextToCut {
  document: CutDocument;
  text: string;
  settings: Pick<IndexSettings, 'chunking'>;
}

const MAX_HEADING = 1_000;
const MAX_ADDRESS = 200;
/** A statement updates the count of each word only once, so a few large statements cost less than many small ones. */
export const PASSAGES_AT_ONCE = 1_200;
/** Such a statement takes at most about two seconds on a busy machine. */
export const CHARACTERS_AT_ONCE = 1_000_000;
/**
 * Number of characters that are cut in one piece, which takes about a tenth of a second. The transaction that writes
 * the passages is idle meanwhile, and Postgres ends a transaction that is idle for five seconds.
 */
export const CHARACTERS_PER_CUT = 100_000;

export function* passageBatches({ document, text, settings }: TextToCut): Generator<NewPassage[]> {
  let [batch, characters]: [NewPassage[], number] = [[], 0];
  for (const passage of passagesOf(document, text, settings)) {
    characters += passage.body.length;
    if (batch.push(passage) < PASSAGES_AT_ONCE && characters < CHARACTERS_PER_CUT) continue;
    yield batch;
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

export function* passagesOf(
  document: CutDocument,
  text: string,
  settings: Pick<IndexSettings, 'chunking'>,
): Generator<NewPassage> {
  const { id, title, language, detected } = document;
  const titleWords = searchWords(title);
  const addressWords = indexedWords(searchWords(pathOf(document.address)));
  for (const { n, headings, start, end, tokens } of chunksOf(text, settings.chunking)) {
    const body = text.slice(start, end);
    const heading = headings.join(' › ').slice(0, MAX_HEADING).toWellFormed();
    const headingWords = searchWords(
      headings
        .filter((each) => each !== title)
        .join(' ')
        .slice(0, MAX_HEADING),
    );
    const bodyWords = searchWords(body);
    yield {
      document: id,
      n,
      heading,
      body,
      start,
      end,
      tokens,
      words: titleWords.count + headingWords.count + bodyWords.count,
      language,
      title_words: indexedWords(titleWords),
      heading_words: indexedWords(headingWords),
      address_words: addressWords,
      body_words: indexedWords(bodyWords),
      marks: [passagesMark(language), ...(n === 0 && detected !== null ? [documentsMark(detected)] : [])].join(' '),
    };
  }
}

/** The origin is left out, because very many documents share it. */
function pathOf(address: string): string {
  const path = URL.canParse(address) ? new URL(address).pathname : address;
  return decoded(path.slice(-MAX_ADDRESS).replace(/\.(html?|md|mdx|txt|pdf|docx|php|aspx?)$/i, ''));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
