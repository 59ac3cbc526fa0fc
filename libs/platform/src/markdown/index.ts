/** Markdown as text is read and cut: headings, fenced code, paragraphs. */
export { endOfCode, hasHeadings, type Heading, headingsOf } from './headings.js';
export { escapedParagraph, fencedCode, TextLines } from './text-lines.js';
