/**
 * `npm run language [path ...]`: finds the unwanted phrases that phrases.mjs defines. Without paths, prints for each
 * folder, as JSON, the numbers of its unwanted phrases, of its comments and of the words in its comments. With paths,
 * prints the unwanted phrases below these paths, one per line. The test `test/boundaries/language.int-spec.ts` fails if
 * a folder has more unwanted phrases than known-violations.json allows.
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import ts from 'typescript-eslint';

import { metaphorsIn, MOST_COLUMNS, phrasesIn } from './phrases.mjs';

const IGNORED = new Set(['node_modules', 'dist', '.data', '.git', 'coverage', 'generated']);
/** Paths of files that are not searched: the list of phrases itself, and files with planted violations. */
const EXEMPT = /^test\/(structure\/phrases\.mjs|boundaries\/.*plants\.ts)$/;
const DECLARED = /\b(?:class|interface|type|function|enum)\s+([A-Za-z]\w+)/g;

const root = process.cwd();
const paths = (await filesBelow('')).filter((path) => !EXEMPT.test(path)).sort();
const read = await Promise.all(paths.map(async (path) => measure(path, await readFile(join(root, path), 'utf8'))));
const wanted = process.argv.slice(2);
process.stdout.write(wanted.length > 0 ? listed(wanted) : `${JSON.stringify(summary(), null, 2)}\n`);

function listed(folders) {
  const shown = read.filter(({ path }) => folders.some((folder) => path === folder || path.startsWith(folder)));
  const line = ({ path, findings }) =>
    findings.map((found) => `${path}:${found.line} ${found.phrase}: write ${found.instead}\n`);
  return shown.flatMap(line).join('');
}

function summary() {
  const folders = {};
  const comments = {};
  for (const { path, findings, comments: found } of read) {
    const folder = folderOf(path);
    if (findings.length > 0) folders[folder] = (folders[folder] ?? 0) + findings.length;
    const sum = (comments[extname(path).slice(1)] ??= { blocks: 0, lines: 0, words: 0 });
    for (const key of Object.keys(sum)) sum[key] += found[key];
  }
  const byPhrase = {};
  for (const { findings } of read)
    for (const { phrase } of findings) byPhrase[phrase.toLowerCase()] = (byPhrase[phrase.toLowerCase()] ?? 0) + 1;
  return { folders, byPhrase: sorted(byPhrase), comments };
}

function sorted(counts) {
  return Object.fromEntries(Object.entries(counts).sort(([, a], [, b]) => b - a));
}

/** Returns the folder under which a path is counted, for example `libs/runs`, `test/e2e`, `docs` or `README.md`. */
function folderOf(path) {
  const [first, second, third] = path.split('/');
  return third !== undefined && ['apps', 'libs', 'test'].includes(first) ? `${first}/${second}` : first;
}

function measure(path, text) {
  const { comments, prose } = texts(path, text);
  const found = [
    ...[...comments, ...prose].flatMap(({ line, text: part }) =>
      phrasesIn(part).map(({ index, ...rest }) => ({ line: line + lineBreaks(part.slice(0, index)), ...rest })),
    ),
    ...namesIn(path, text),
    ...comments.flatMap(wideLines),
  ];
  return { path, findings: found.sort((a, b) => a.line - b.line), comments: size(comments) };
}

/**
 * Returns the names in a file that contain metaphors. Omits names of migrations, which must never change because
 * databases have recorded them.
 */
function namesIn(path, text) {
  if (/\/migrations\//.test(path)) return [];
  const declared = /\.[cm]?[jt]s$/.test(path)
    ? [...text.matchAll(DECLARED)].map(({ index, 1: name }) => ({ name, line: 1 + lineBreaks(text.slice(0, index)) }))
    : [];
  return [{ name: basename(path), line: 1 }, ...declared].flatMap(({ name, line }) =>
    metaphorsIn(name).map(({ instead }) => ({ line, phrase: name, instead })),
  );
}

function wideLines({ line, column, text }) {
  return text.split('\n').flatMap((each, n) => {
    const width = each.length + (n === 0 ? column : 0);
    return width > MOST_COLUMNS
      ? [{ line: line + n, phrase: 'wide comment', instead: `at most ${MOST_COLUMNS} columns` }]
      : [];
  });
}

function size(comments) {
  const words = comments.reduce((sum, { text }) => sum + (text.match(/[A-Za-z][A-Za-z'’-]*/g) ?? []).length, 0);
  const lines = comments.reduce((sum, { text }) => sum + 1 + lineBreaks(text), 0);
  return { blocks: comments.length, lines, words };
}

/** Returns the texts of a file, with the line and column where each begins. */
function texts(path, text) {
  if (/\.[cm]?ts$/.test(path) || /\.[cm]?js$/.test(path)) return ofCode(text);
  if (path.endsWith('.sql'))
    return { comments: matches(text, /'(?:[^']|'')*'|(--.*(?:\n\s*--.*)*|\/\*[^]*?\*\/)/g), prose: [] };
  if (path.endsWith('.md')) return { comments: [], prose: [{ line: 1, column: 0, text: withoutFences(text) }] };
  return { comments: matches(text, /(?:^|\s)(#.*(?:\n\s*#.*)*)/g), prose: [] };
}

function ofCode(text) {
  const { ast } = ts.parser.parseForESLint(text, { comment: true, tokens: true, loc: true, range: true });
  const part = ({ loc, range }) => ({ line: loc.start.line, column: loc.start.column, text: text.slice(...range) });
  const strings = ast.tokens.filter(({ type }) => type === 'String' || type === 'Template');
  return { comments: blocks(ast.comments, text).map(part), prose: strings.map(part) };
}

/** Combines consecutive line comments into one comment. */
function blocks(comments, text) {
  const found = [];
  for (const { type, loc, range } of comments) {
    const last = found.at(-1);
    if (type === 'Line' && last?.type === 'Line' && /^\n[ \t]*$/.test(text.slice(last.range[1], range[0])))
      last.range = [last.range[0], range[1]];
    else found.push({ type, loc, range });
  }
  return found;
}

function matches(text, pattern) {
  return [...text.matchAll(pattern)]
    .filter(([, comment]) => comment !== undefined)
    .map(({ index, 0: whole, 1: comment }) => {
      const start = index + whole.length - comment.length;
      const before = text.slice(0, start);
      return { line: 1 + lineBreaks(before), column: start - before.lastIndexOf('\n') - 1, text: comment };
    });
}

function withoutFences(text) {
  return text.replace(/^```[^]*?^```/gm, (fence) => '\n'.repeat(lineBreaks(fence)));
}

function lineBreaks(text) {
  return text.split('\n').length - 1;
}

async function filesBelow(folder) {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter(({ name }) => !IGNORED.has(name))
      .map((entry) => {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) return filesBelow(path);
        return /\.([cm]?[jt]s|sql|md|ya?ml)$|^\.env\.example$|Dockerfile$/.test(path) ? [path] : [];
      }),
  );
  return found.flat();
}
