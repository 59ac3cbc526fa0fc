import type { Run } from '../data/api.js';
import { formatInstant } from '../ui/format-values.js';

const REASONS: Readonly<Record<string, string>> = {
  worker: 'waits for a worker',
  time: 'waits',
  approval: 'waits for an approval',
  retry: 'waits for the next attempt',
  child: 'waits for the run of another agent',
  callback: 'waits for a callback',
};

export function reasonText(reason: string): string {
  return REASONS[reason] ?? `waits for ${reason}`;
}

/** Describes why the run waits and until when. Returns undefined if the run does not wait. */
export function waitingText({ waiting }: Pick<Run, 'waiting'>): string | undefined {
  if (waiting === null) return undefined;
  const reason = reasonText(waiting.for);
  return waiting.until === undefined ? reason : `${reason} until ${formatInstant(waiting.until)}`;
}
