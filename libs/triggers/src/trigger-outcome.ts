export interface TriggerEventFilter {
  triggerId?: string | undefined;
  outcomes?: readonly TriggerOutcome[] | undefined;
}

/**
 * The outcome of an event that arrived for a trigger.
 *
 * - `started`: the event started one run.
 * - `filtered`: the filter of the trigger, or `overlap` or `catch_up` of a schedule, ignored the event.
 * - `duplicate`: an earlier event with the same key was processed.
 * - `rate_limited`: too many events or runs at the same time.
 * - `refused`: the input does not match the agent's input schema.
 * - `error`: the filter or map failed, the mailbox cannot be watched, or a poll failed.
 */
export const TRIGGER_OUTCOMES = ['started', 'filtered', 'duplicate', 'rate_limited', 'refused', 'error'] as const;

export type TriggerOutcome = (typeof TRIGGER_OUTCOMES)[number];

export function isFailure(outcome: TriggerOutcome): boolean {
  return outcome === 'refused' || outcome === 'error';
}
