import type { Transcript, Turn } from './transcript-types.js';

/** The turns of the same conversation before this one. `isPart`: the latest of them were not read. */
export interface EarlierTurns {
  turns: readonly Turn[];
  messages: number;
  isPart: boolean;
}

export function earlierTurns({ turns: read, next_after_n: next }: Transcript, { n, path }: Turn): EarlierTurns {
  const turns = read.filter((turn) => turn.n < n && placeOf(turn.path) === placeOf(path));
  const messages = turns.reduce(
    (sum, { messages: added, answer }) => sum + (added?.length ?? 0) + (answer === null ? 0 : 1),
    0,
  );
  return { turns, messages, isPart: next !== undefined && next < n };
}

/** Place of a conversation: the path of its turns up to `turn[…]`. Empty for an agent without steps. */
export function placeOf(path: string): string {
  return path.replace(/\.?turn\[\d+\]$/, '');
}
