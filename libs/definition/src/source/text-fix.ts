import { closest, proposedName, type TextFix } from '@app/kernel';
import type { SourceDocument, SourcePath } from './source-document.js';

interface Mistake {
  readonly path: SourcePath;
  readonly target: 'key' | 'value';
  readonly detail: string;
  readonly suggestion?: string | undefined;
}

/** Words joined by dots, such as `steps.order.output`, or one word. */
const CHAIN = /[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*/g;

/**
 * Returns the change of the text that the suggestion "Did you mean …" proposes. Returns undefined for any other
 * suggestion, or if the wrong name does not stand in the text as the message names it. `offset` is the offset at which
 * the problem is reported.
 */
export function textFix(mistake: Mistake, offset: number, source: SourceDocument): TextFix | undefined {
  const meant = mistake.suggestion === undefined ? undefined : proposedName(mistake.suggestion);
  if (meant === undefined) return undefined;
  const end = source.endOf(mistake.path, mistake.target);
  const mentioned = new Set(Array.from(mistake.detail.matchAll(/[`"]([^`"]+)[`"]/g), ([, name = '']) => name));
  const words = wordsIn(source.text.slice(offset, end)).filter(
    ({ word }) => word !== meant && (mentioned.has(word) || word.split('.').some((part) => mentioned.has(part))),
  );
  const wrong =
    words.find(({ word }) => closest(word, [meant]) !== undefined || meant.startsWith(`${word}.`)) ??
    words.find(({ word }) => mistake.target === 'key' && word === mistake.path.at(-1));
  if (wrong === undefined) return undefined;
  const { line, column } = source.position(offset + wrong.at);
  return { line, column, replace: wrong.word, with: meant };
}

/** Returns each chain of words, then its words, from left to right; and the whole text, without its quotes. */
function wordsIn(text: string): { word: string; at: number }[] {
  const [, quote = '', whole = ''] = /^(["']?)(.*?)\1:?\s*$/.exec(text) ?? [];
  const chains = Array.from(text.matchAll(CHAIN), ({ 0: word, index }) => ({ word, at: index }));
  const single = chains.flatMap(({ word, at }) =>
    word.includes('.') ? Array.from(word.matchAll(/[^.]+/g), (part) => ({ word: part[0], at: at + part.index })) : [],
  );
  return [{ word: whole, at: quote.length }, ...chains, ...single];
}
