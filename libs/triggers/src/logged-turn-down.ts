import type { CompiledDefinition } from '@app/definition';
import type { TurnDown } from './trigger-decision.js';

const NOT_SHOWN = 'Values are not shown, because the definition redacts some.';

/**
 * What the log keeps of an event that started nothing. Mistakes quote the values that they are about, so of an agent with
 * `redact.paths` it keeps their places only. Whoever sent the event is answered in full: they know what they sent.
 */
export function loggedTurnDown(turnDown: TurnDown, { redactPaths }: Pick<CompiledDefinition, 'redactPaths'>): TurnDown {
  if (redactPaths.length === 0 || turnDown.kind === 'filtered') return turnDown;
  const what = turnDown.kind === 'error' ? 'Its filter or map fails' : "What it gives does not fit the agent's input";
  const errors = turnDown.errors.map(({ pointer }) => ({ pointer, detail: `This does not fit. ${NOT_SHOWN}` }));
  return { kind: turnDown.kind, reason: `${what}. ${NOT_SHOWN}`, errors };
}
