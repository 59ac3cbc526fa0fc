import type { TriggerOutcome } from './trigger-outcome.js';

/** Which lines of the trigger log are asked for; what is left out does not matter. */
export interface TriggerEventFilter {
  triggerId?: string | undefined;
  outcomes?: readonly TriggerOutcome[] | undefined;
}
