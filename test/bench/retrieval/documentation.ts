import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IncomingDocument } from '@app/connectors';
import { searchWords } from '../../../libs/knowledge/src/documents/search-words.js';
import { extract } from '../../../libs/platform/src/extraction/extract.js';
import { type DocumentationQuestion, POSTGRESQL_QUESTIONS, PYTHON_QUESTIONS } from './documentation-questions.js';
import type { Library } from './library.js';
import { PlainBm25 } from './plain-bm25.js';

/** Number of passages that a search returns. It is the default of a knowledge base. */
const TOP_K = 8;
const RECALL_DEPTH = 5;
/** Matches the names of generated index pages, which do not answer questions. */
const IS_INDEX = /^(genindex|bookindex|search|contents|py-modindex)/;

/** Quality of the search results. Each value is a mean over all questions. */
export interface Answers {
  recall: number;
  /** Mean reciprocal rank, which is the mean of 1 divided by the rank of the first correct page. */
  mrr: number;
  missed: string[];
}

export interface DocumentationReport {
  pages: number;
  passages: number;
  bm25OfPages: Answers;
  bm25OfPassages: Answers;
  ours: Answers;
  languages: { language: string; pages: number }[];
}

const INSTALLED = '/usr/share/doc';
/** Locations of the pages in Debian's packages `postgresql-doc` and `python3-doc`. */
const MANUALS = [
  { name: 'PostgreSQL', folder: /^postgresql-doc-\d+$/, questions: POSTGRESQL_QUESTIONS },
  { name: 'Python', folder: /^python3\.\d+$/, questions: PYTHON_QUESTIONS },
] as const;

export interface Manual {
  name: string;
  root: string;
  questions: readonly DocumentationQuestion[];
}

export async function installedManuals(folder = INSTALLED): Promise<Manual[]> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  return MANUALS.flatMap(({ name, folder: pattern, questions }) => {
    const roots = names.filter((each) => pattern.test(each)).map((each) => join(folder, each, 'html'));
    const root = roots.filter((each) => existsSync(each)).at(-1);
    return root === undefined ? [] : [{ name, root, questions }];
  });
}

/** Compares the search of the service with plain BM25 on a manual. Returns the lines of a report. */
export async function documentationLines(library: Library, { name, root, questions }: Manual): Promise<string[]> {
  const report = await measureDocumentation(library, root, questions);
  const row = (label: string, { recall, mrr }: Answers): string =>
    `  ${label.padEnd(42)}${recall.toFixed(4)}     ${mrr.toFixed(4)}`;
  const bm25 = Math.max(report.bm25OfPages.mrr, report.bm25OfPassages.mrr);
  return [
    `\nmanual of ${name}, ${report.pages} pages, ${report.passages} passages, ${questions.length} questions:   recall@5   MRR`,
    row('plain BM25 of pages', report.bm25OfPages),
    row('plain BM25 of passages', report.bm25OfPassages),
    row('keyword, default settings', report.ours),
    `  keyword / better plain BM25                          ${(report.ours.mrr / bm25).toFixed(4)}`,
    `  read as: ${report.languages.map(({ language, pages }) => `${language} ${pages}`).join(', ')}`,
    ...report.ours.missed.map((question) => `  not among the first five: ${question}`),
  ];
}

/** Measures the search of the service with default settings, and plain BM25, on the HTML pages below a folder. */
async function measureDocumentation(
  library: Library,
  root: string,
  questions: readonly DocumentationQuestion[],
): Promise<DocumentationReport> {
  const documents = await readPages(root);
  const base = await library.aBase();
  await library.put(base, documents);
  await library.tidy();
  const ours = await answersTo(questions, async (question) => {
    const found = await library.find(base.knowledgeBaseId, question, TOP_K);
    return found.map(({ document }) => document.url ?? '');
  });
  const passages = await library.query<{ key: string; text: string }>(
    `select d.key, d.title || ' ' || c.heading || ' ' || c.body as text from knowledge_chunks c
      join knowledge_documents d on d.id = c.document_id where c.knowledge_base_id = $1 order by c.document_id, c.n`,
    [base.knowledgeBaseId],
  );
  const pages = documents.map(({ key, title, text }) => ({ key, text: `${title} ${text}` }));
  const terms = await englishTerms(library, [...pages.map(({ text }) => text), ...questions.map(([text]) => text)]);
  const languages = await library.query<{ language: string; pages: number }>(
    `select language, count(*)::integer as pages from knowledge_documents where knowledge_base_id = $1 group by 1 order by 2 desc`,
    [base.knowledgeBaseId],
  );
  const counts = { pages: pages.length, passages: passages.length };
  const [bm25OfPages, bm25OfPassages] = [await reference(pages, terms), await reference(passages, terms)];
  return { ...counts, bm25OfPages, bm25OfPassages, ours, languages };

  function reference(texts: readonly { key: string; text: string }[], termsOf: (text: string) => string[]) {
    const bm25 = new PlainBm25(termsOf);
    for (const { key, text } of texts) bm25.add(key, text);
    return answersTo(questions, (question) => Promise.resolve(bm25.search(question, TOP_K)));
  }
}

async function readPages(root: string): Promise<IncomingDocument[]> {
  const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.html')).sort();
  const documents: IncomingDocument[] = [];
  for (const file of files) {
    const key = file.slice(0, -'.html'.length);
    if (IS_INDEX.test(key)) continue;
    const bytes = await readFile(join(root, file));
    const { title, text } = await extract({ bytes, contentType: 'text/html', url: `https://example.com/${file}` });
    const hash = createHash('sha256').update(bytes).digest('hex');
    documents.push({ key, title: title ?? key, url: key, contentType: 'text/html', text, hash, validator: null });
  }
  return documents;
}

async function answersTo(
  questions: readonly DocumentationQuestion[],
  search: (question: string) => Promise<string[]>,
): Promise<Answers> {
  let [found, reciprocal] = [0, 0];
  const missed: string[] = [];
  for (const [question, pages] of questions) {
    const right = new Set(pages.split(' '));
    const answers = [...new Set(await search(question))];
    const rank = answers.findIndex((page) => right.has(page)) + 1;
    if (rank > 0) reciprocal += 1 / rank;
    if (rank > 0 && rank <= RECALL_DEPTH) found += 1;
    else missed.push(question);
  }
  return { recall: found / questions.length, mrr: reciprocal / questions.length, missed };
}

/**
 * Returns a function that splits a text into stems without stop words. Like the service, uses the English text search
 * configuration of Postgres.
 */
async function englishTerms(library: Library, texts: readonly string[]): Promise<(text: string) => string[]> {
  const wordsOf = (text: string): string[] => searchWords(text).text.toLowerCase().split(' ');
  const words = [...new Set(texts.flatMap(wordsOf))];
  const rows = await library.query<{ word: string; stem: string | null }>(
    `select word, (ts_lexize('english_stem', word))[1] as stem from unnest($1::text[]) word`,
    [words],
  );
  const stems = new Map(rows.map(({ word, stem }) => [word, stem]));
  return (text) => wordsOf(text).flatMap((word) => stems.get(word) ?? []);
}
