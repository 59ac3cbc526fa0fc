import { type Heading, headingsOf } from '@app/platform/markdown';

/** A stretch of a document below one heading, the line of the heading left out. */
export interface Section {
  /** The headings it stands below, outermost first. */
  headings: readonly string[];
  start: number;
  end: number;
}

/** The document as one section, without a look at headings. */
export function* wholeText(text: string): Generator<Section> {
  yield { headings: [], start: 0, end: text.length };
}

/** The sections of a Markdown text by its headings. Without empty ones. */
export function* markdownSections(text: string): Generator<Section> {
  const path: Heading[] = [];
  const headings = (): string[] => path.map(({ title }) => title);
  let start = 0;
  for (const heading of headingsOf(text)) {
    if (heading.start > start) yield { headings: headings(), start, end: heading.start };
    while (path.length > 0 && (path.at(-1)?.level ?? 0) >= heading.level) path.pop();
    path.push(heading);
    start = heading.end;
  }
  if (start < text.length) yield { headings: headings(), start, end: text.length };
}
