import { EXIT_CODE_MEANINGS } from '../errors/exit-codes.js';

const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['AAS_URL', 'address of the service; overrides the context in use'],
  ['AAS_API_KEY', 'API key; overrides the context in use'],
  ['NO_COLOR', 'any value switches colours off'],
  ['XDG_CONFIG_HOME', 'folder that contains aas/contexts.json; default ~/.config'],
  ['BROWSER', 'program that opens web pages'],
];

/** Returns the text of a topic of `aas help`, or undefined if there is no such topic. */
export function topicText(words: readonly string[]): string | undefined {
  if (words.length !== 1) return undefined;
  if (words[0] === 'exit-codes') return linesOf(EXIT_CODE_MEANINGS);
  return words[0] === 'environment' ? linesOf(ENVIRONMENT) : undefined;
}

function linesOf(entries: readonly (readonly [name: string | number, meaning: string])[]): string {
  const width = Math.max(...entries.map(([name]) => String(name).length));
  return entries.map(([name, meaning]) => `${String(name).padEnd(width)}  ${meaning}\n`).join('');
}
