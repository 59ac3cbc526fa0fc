import type { IndexSettings } from '../bases/knowledge-settings.js';
import { chunksOf } from '../chunking/chunks.js';
import type { DocumentLanguage } from './document-language.js';
import { indexedWords, searchWords } from './search-words.js';

/** A passage as it is written: a row of `knowledge_chunks`, its words as the text search is to read them. */
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
  /** Words of the document's title. */
  title_words: string;
  /** Words of the headings. */
  heading_words: string;
  /** Words of the document's address. */
  address_words: string;
  body_words: string;
  /** What is counted of passages besides their words, separated by spaces: see {@link passagesMark} and {@link documentsMark}. */
  marks: string;
}

/** A document as its passages know it. */
export interface CutDocument extends DocumentLanguage {
  id: string;
  title: string;
  /** Its URL, or its key where it has none. */
  address: string;
}

/** The word by which the passages are counted that are read in a language. No text has it: it has a colon. */
const passagesMark = (language: string): string => `${PASSAGES}${language}`;
/** The word by which the documents are counted that showed a language. Their first passages have it. */
const documentsMark = (language: string): string => `${DOCUMENTS}${language}`;
export const PASSAGES = 'passages:';
export const DOCUMENTS = 'documents:';

/** A text that is to be cut. */
export interface TextToCut {
  document: CutDocument;
  text: string;
  settings: Pick<IndexSettings, 'chunking'>;
}

const LONGEST_HEADING = 1_000;
const LONGEST_ADDRESS = 200;
/**
 * Passages of one statement: a document of any size is cut while the ones before are written. Each statement counts its words, most of
 * which are the same ones, so few large statements cost less than many.
 */
export const PASSAGES_AT_ONCE = 1_200;
/** Characters of their bodies: a statement has to be over in a second or two on a machine that is busy with other things as well. */
export const CHARACTERS_AT_ONCE = 1_000_000;

/** The passages of a text in order, in batches. */
export function* passageBatches({ document, text, settings }: TextToCut): Generator<NewPassage[]> {
  let [batch, characters]: [NewPassage[], number] = [[], 0];
  for (const passage of passagesOf(document, text, settings)) {
    characters += passage.body.length;
    if (batch.push(passage) < PASSAGES_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    yield batch;
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** The passages of a document's text, one at a time. */
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
    const heading = headings.join(' › ').slice(0, LONGEST_HEADING).toWellFormed();
    const headingWords = searchWords(
      headings
        .filter((each) => each !== title)
        .join(' ')
        .slice(0, LONGEST_HEADING),
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

/** The last parts of an address, without what is the same for very many: the origin, and the ending of a file. */
function pathOf(address: string): string {
  const path = URL.canParse(address) ? new URL(address).pathname : address;
  return decoded(path.slice(-LONGEST_ADDRESS).replace(/\.(html?|md|mdx|txt|pdf|docx|php|aspx?)$/i, ''));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
