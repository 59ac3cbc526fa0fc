export { endOfCode, hasHeadings, type Heading, headingsOf } from './headings.js';
export { escapedParagraph, fencedCode, TextLines } from './text-lines.js';
