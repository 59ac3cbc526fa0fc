/** A stretch of a document below one heading, the line of the heading left out. */
export interface Section {
  /** The headings it stands below, outermost first. */
  headings: readonly string[];
  start: number;
  end: number;
}

/** Characters of the line. What is longer is text. */
const LONGEST_HEADING = 300;
const HASH = 35;
const SPACE = 32;
const TAB = 9;

/** The document as one section, without a look at headings. */
export function* wholeText(text: string): Generator<Section> {
  yield { headings: [], start: 0, end: text.length };
}

/** The sections of a Markdown text by its ATX headings (CommonMark 4.2), those in fenced code left alone. Without empty ones. */
export function* markdownSections(text: string): Generator<Section> {
  const path: { level: number; title: string }[] = [];
  const headings = (): string[] => path.map(({ title }) => title);
  let start = 0;
  let fence = '';
  for (const line of linesOf(text)) {
    const mark = fenceAt(text, line.start);
    if (mark !== '') fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence;
    const heading = fence === '' ? headingAt(text, line) : undefined;
    if (!heading) continue;
    if (line.start > start) yield { headings: headings(), start, end: line.start };
    while (path.length > 0 && (path.at(-1)?.level ?? 0) >= heading.level) path.pop();
    path.push(heading);
    start = line.end;
  }
  if (start < text.length) yield { headings: headings(), start, end: text.length };
}

/** Whether a line of the text is a heading. */
export function hasHeadings(text: string): boolean {
  for (const { headings } of markdownSections(text)) if (headings.length > 0) return true;
  return false;
}

interface Line {
  start: number;
  /** Behind the line break. */
  end: number;
}

function* linesOf(text: string): Generator<Line> {
  for (let start = 0; start < text.length;) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found + 1;
    yield { start, end };
    start = end;
  }
}

function headingAt(text: string, line: Line): { level: number; title: string } | undefined {
  if (line.end - line.start > LONGEST_HEADING) return undefined;
  let at = line.start;
  while (at < line.start + 3 && text.charCodeAt(at) === SPACE) at += 1;
  let level = 0;
  while (level < 7 && text.charCodeAt(at + level) === HASH) level += 1;
  const behind = text.charCodeAt(at + level);
  if (level === 0 || level > 6 || (behind !== SPACE && behind !== TAB)) return undefined;
  const title = text.slice(at + level, line.end).trim();
  return { level, title: withoutClosing(title) };
}

function withoutClosing(title: string): string {
  let end = title.length;
  while (end > 0 && title.charCodeAt(end - 1) === HASH) end -= 1;
  const isClosing = end === 0 || title.charCodeAt(end - 1) === SPACE;
  return isClosing ? title.slice(0, end).trim() : title;
}

/** The run of backticks or tildes that the line begins with, if it opens or closes a fence. */
function fenceAt(text: string, start: number): string {
  let at = start;
  while (at < start + 3 && text.charCodeAt(at) === SPACE) at += 1;
  const mark = text.charAt(at);
  if (mark !== '`' && mark !== '~') return '';
  let end = at;
  while (end < at + 32 && text.charAt(end) === mark) end += 1;
  return end - at >= 3 ? text.slice(at, end) : '';
}
