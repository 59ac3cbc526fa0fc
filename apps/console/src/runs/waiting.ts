import type { Run } from '../data/api.js';
import { formatInstant } from '../ui/format-values.js';
import { word } from '../data/words.js';

/** Describes why the run waits and until when. Returns undefined if the run does not wait. */
export function waitingText({ waiting }: Pick<Run, 'waiting'>): string | undefined {
  if (waiting === null) return undefined;
  const reason = word('waiting', waiting.for);
  return waiting.until === undefined ? reason : `${reason} until ${formatInstant(waiting.until)}`;
}
