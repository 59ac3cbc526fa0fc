import type { TriggerOutcome } from './trigger-outcome.js';

/** Selects trigger events. A missing member selects all. */
export interface TriggerEventFilter {
  triggerId?: string | undefined;
  outcomes?: readonly TriggerOutcome[] | undefined;
}
