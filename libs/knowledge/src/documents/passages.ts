import type { IndexSettings } from '../bases/knowledge-settings.js';
import { chunksOf } from '../chunker.js';
import { languageOf } from './language.js';
import { searchWords } from './search-words.js';

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
  /** Words of the document's title and of the headings. */
  heading_words: string;
  body_words: string;
}

/** A text that is to be cut. */
export interface TextToCut {
  document: { id: string; title: string; language: string };
  text: string;
  settings: Pick<IndexSettings, 'chunking'>;
}

const LONGEST_HEADING = 1_000;
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
  document: { id: string; title: string; language: string },
  text: string,
  settings: Pick<IndexSettings, 'chunking'>,
): Generator<NewPassage> {
  const { id, title, language } = document;
  for (const { n, headings, start, end, tokens } of chunksOf(text, settings.chunking)) {
    const body = text.slice(start, end);
    const heading = headings.join(' › ').slice(0, LONGEST_HEADING).toWellFormed();
    const headingWords = searchWords(headings.includes(title) ? heading : `${title} ${heading}`);
    const bodyWords = searchWords(body);
    yield {
      document: id,
      n,
      heading,
      body,
      start,
      end,
      tokens,
      words: headingWords.count + bodyWords.count,
      language,
      heading_words: headingWords.text,
      body_words: bodyWords.text,
    };
  }
}

/** The text search configuration that a document is read with. */
export function readingLanguage(text: string, { language }: Pick<IndexSettings, 'language'>): string {
  return language === 'auto' ? languageOf(text) : language;
}
