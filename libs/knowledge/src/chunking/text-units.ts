import { endOfCode } from '@app/platform/markdown';
import { endWithin, tokensIn } from './token-atoms.js';

/**
 * A piece of text that is never divided between two chunks. It is a short paragraph, a code block that fits into a
 * chunk, a sentence or a line. A sentence or line that does not fit into a chunk is cut into several units.
 */
export interface TextUnit {
  start: number;
  end: number;
  tokens: number;
}

const LINE_BREAK = 10;
const SENTENCE_ENDS = codesOf('.!?…');
/** Characters that end a sentence even if no space follows. */
const WIDE_SENTENCE_ENDS = codesOf('。！？');
const CLOSING = '"\')]}»”’」』';

/** No unit has more than `max` tokens. */
export function* unitsOf(text: string, from: number, to: number, max: number): Generator<TextUnit> {
  const short = Math.ceil(max / 4);
  for (const { isCode, ...paragraph } of paragraphsOf(text, from, to)) {
    const tokens = tokensIn(text, paragraph.start, paragraph.end);
    if (tokens <= (isCode ? max : short)) yield { ...paragraph, tokens };
    else if (isCode) for (const line of linesOf(text, paragraph)) yield* piecesOf(text, line, max);
    else for (const sentence of sentencesOf(text, paragraph)) yield* piecesOf(text, sentence, max);
  }
}

interface Stretch {
  start: number;
  end: number;
}

function* paragraphsOf(text: string, from: number, to: number): Generator<Stretch & { isCode: boolean }> {
  let start = from;
  for (let line = from; line < to;) {
    const lineEnd = endOfLine(text, line, to);
    const codeEnd = endOfCode(text, { start: line, end: lineEnd }, to);
    const isEnd = codeEnd > 0 || lineEnd === to || isBlankLineAt(text, lineEnd, to);
    const paragraph = isEnd && trimmed(text, start, codeEnd > 0 ? line : lineEnd);
    if (paragraph) yield { ...paragraph, isCode: false };
    const code = codeEnd > 0 && trimmed(text, line, codeEnd);
    if (code) yield { ...code, isCode: true };
    line = codeEnd > 0 ? codeEnd : lineEnd;
    if (isEnd) start = line;
  }
}

function* linesOf(text: string, { start: from, end: to }: Stretch): Generator<Stretch> {
  for (let start = from; start < to; start = endOfLine(text, start, to)) {
    const line = trimmed(text, start, endOfLine(text, start, to));
    if (line) yield line;
  }
}

function endOfLine(text: string, at: number, to: number): number {
  const found = text.indexOf('\n', at);
  return found < 0 || found >= to ? to : found + 1;
}

function isBlankLineAt(text: string, at: number, to: number): boolean {
  let place = at;
  while (place < to && (text[place] === ' ' || text[place] === '\t' || text[place] === '\r')) place += 1;
  return place >= to || text[place] === '\n';
}

function* sentencesOf(text: string, { start: from, end: to }: Stretch): Generator<Stretch> {
  let start = from;
  for (let at = from; at < to; at += 1) {
    if (!endsSentence(text, at, to)) continue;
    let end = at + 1;
    while (end < to && CLOSING.includes(text.charAt(end))) end += 1;
    const sentence = trimmed(text, start, end);
    if (sentence) yield sentence;
    start = end;
    at = end - 1;
  }
  const rest = trimmed(text, start, to);
  if (rest) yield rest;
}

function endsSentence(text: string, at: number, to: number): boolean {
  const code = text.charCodeAt(at);
  if (code === LINE_BREAK) return !continues(text, at + 1, to);
  if (WIDE_SENTENCE_ENDS.has(code)) return true;
  if (!SENTENCE_ENDS.has(code)) return false;
  let after = at + 1;
  if (after < to && CLOSING.includes(text.charAt(after))) after += 1;
  return after >= to || isSpace(text.charCodeAt(after));
}

/** If so, its line continues the sentence of the previous line. */
function continues(text: string, at: number, to: number): boolean {
  const code = at < to ? text.charCodeAt(at) : 0;
  return (code >= 97 && code <= 122) || (code >= 0xdf && code < 0x250);
}

function* piecesOf(text: string, { start: from, end: to }: Stretch, max: number): Generator<TextUnit> {
  for (let start = from; start < to;) {
    // A text has at most one token per character, so at most `max` characters fit without an estimate.
    const end = to - start <= max ? to : endWithin(text, start, to, max);
    const piece = trimmed(text, start, end);
    if (piece) yield { ...piece, tokens: tokensIn(text, piece.start, piece.end) };
    start = end;
  }
}

function trimmed(text: string, from: number, to: number): Stretch | undefined {
  let start = from;
  let end = to;
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return start < end ? { start, end } : undefined;
}

function isSpace(code: number): boolean {
  return code <= 32 || code === 0xa0 || code === 0xfeff || (code >= 0x2000 && code <= 0x200b) || code === 0x3000;
}

function codesOf(chars: string): ReadonlySet<number> {
  return new Set([...chars].map((char) => char.charCodeAt(0)));
}
