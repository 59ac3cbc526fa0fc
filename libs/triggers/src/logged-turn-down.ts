import type { CompiledDefinition } from '@app/definition';
import type { TurnDown } from './trigger-decision.js';

const NOT_SHOWN = 'Values are not shown, because the definition redacts some.';

/**
 * The reason why an event started no run, as the trigger log stores it. Error messages quote values, so for an agent
 * with `redact.paths` the log stores only the pointers. The sender of the event still gets the full messages.
 */
export function loggedTurnDown(turnDown: TurnDown, { redactPaths }: Pick<CompiledDefinition, 'redactPaths'>): TurnDown {
  if (redactPaths.length === 0 || turnDown.kind === 'filtered') return turnDown;
  const what = turnDown.kind === 'error' ? 'Its filter or map fails' : "What it gives does not fit the agent's input";
  const errors = turnDown.errors.map(({ pointer }) => ({ pointer, detail: `This does not fit. ${NOT_SHOWN}` }));
  return { kind: turnDown.kind, reason: `${what}. ${NOT_SHOWN}`, errors };
}
