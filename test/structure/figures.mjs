/** Computes the figures of size that `budget.json` limits. The caller passes product files, without tests. */
import { parseSync } from 'rolldown/utils';

const WORD = /[A-Za-z][A-Za-z'’-]*/g;

/**
 * @param {readonly {path: string, text: string}[]} files
 * @param {number} operations number of operations of the API
 * @returns {Record<string, number>} figures by name, for example `lines of libs/runs`
 */
export function figuresOf(files, operations) {
  const parts = {};
  for (const file of files) {
    const [part] = /^\w+\/[\w-]+(?=\/)/.exec(file.path) ?? [];
    if (part !== undefined) (parts[part] ??= []).push(file);
  }
  const linesOf = (part) => total(parts[part] ?? [], ({ text }) => text.split('\n').length - 1);
  const byPart = Object.keys(parts).map((part) => {
    const code = parts[part].filter(({ path }) => !path.endsWith('.sql'));
    const measured = code.map(({ path, text }) => measureComments(path, text));
    const words = (100 * total(measured, (each) => each.words)) / total(measured, (each) => each.codeLines);
    return [
      [`lines of ${part}`, linesOf(part)],
      [`words of comments in 100 lines of code of ${part}`, Math.ceil(words)],
    ];
  });
  return Object.fromEntries([
    ...byPart.flat(),
    ['lines of apps/api for each operation', Math.ceil(linesOf('apps/api') / operations)],
    ['Nest modules', files.filter(({ path }) => path.endsWith('.module.ts')).length],
  ]);
}

/** SQL is left out: the head of a statement is its only documentation. */
function measureComments(path, text) {
  const { comments } = parseSync(path, text);
  let [code, position] = ['', 0];
  for (const { start, end } of comments) {
    code += text.slice(position, start);
    position = end;
  }
  code += text.slice(position);
  return {
    words: total(comments, ({ value }) => (value.match(WORD) ?? []).length),
    codeLines: code.split('\n').filter((line) => line.trim() !== '').length,
  };
}

function total(items, count) {
  return items.reduce((sum, item) => sum + count(item), 0);
}
