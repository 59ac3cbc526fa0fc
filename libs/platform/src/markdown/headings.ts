/** A longer line is treated as text. */
const MAX_HEADING = 300;
const HASH = 35;
const SPACE = 32;
const TAB = 9;

/** Lines of fenced code are never headings. */
export function* headingsOf(text: string): Generator<Heading> {
  let codeEnd = 0;
  for (const line of linesOf(text)) {
    if (line.start < codeEnd) continue;
    codeEnd = endOfCode(text, line, text.length);
    const heading = codeEnd > 0 ? undefined : headingAt(text, line);
    if (heading) yield { ...heading, ...line };
  }
}

/** Returns `to` if the block is not closed, and 0 if no block begins with the line. */
export function endOfCode(text: string, { start, end }: Line, to: number): number {
  const fence = fenceAt(text, start);
  if (fence === '' || (fence.startsWith('`') && text.slice(start, end).trim().replace(/^`+/, '').includes('`')))
    return 0;
  for (const line of linesOf(text, end, to)) {
    const mark = fenceAt(text, line.start);
    if (mark.startsWith(fence) && text.slice(line.start, line.end).trim() === mark) return line.end;
  }
  return to;
}

export function hasHeadings(text: string): boolean {
  return headingsOf(text).next().done === false;
}

export interface Line {
  start: number;
  end: number;
}

export interface Heading extends Line {
  level: number;
  title: string;
}

function* linesOf(text: string, from = 0, to = text.length): Generator<Line> {
  for (let start = from; start < to;) {
    const found = text.indexOf('\n', start);
    const end = found < 0 || found >= to ? to : found + 1;
    yield { start, end };
    start = end;
  }
}

function headingAt(text: string, line: Line): { level: number; title: string } | undefined {
  if (line.end - line.start > MAX_HEADING) return undefined;
  let at = line.start;
  while (at < line.start + 3 && text.charCodeAt(at) === SPACE) at += 1;
  let level = 0;
  while (level < 7 && text.charCodeAt(at + level) === HASH) level += 1;
  const following = text.charCodeAt(at + level);
  if (level === 0 || level > 6 || (following !== SPACE && following !== TAB)) return undefined;
  const title = text.slice(at + level, line.end).trim();
  return { level, title: withoutClosing(title) };
}

function withoutClosing(title: string): string {
  let end = title.length;
  while (end > 0 && title.charCodeAt(end - 1) === HASH) end -= 1;
  const isClosing = end === 0 || title.charCodeAt(end - 1) === SPACE;
  return isClosing ? title.slice(0, end).trim() : title;
}

function fenceAt(text: string, start: number): string {
  let at = start;
  while (at < start + 3 && text.charCodeAt(at) === SPACE) at += 1;
  const mark = text.charAt(at);
  if (mark !== '`' && mark !== '~') return '';
  let end = at;
  while (end < at + 32 && text.charAt(end) === mark) end += 1;
  return end - at >= 3 ? text.slice(at, end) : '';
}
