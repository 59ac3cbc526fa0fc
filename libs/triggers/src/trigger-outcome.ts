/** An absent field does not filter. */
export interface TriggerEventFilter {
  triggerId?: string | undefined;
  outcomes?: readonly TriggerOutcome[] | undefined;
}

/**
 * The outcome of an event that arrived for a trigger.
 *
 * - `started`: the event started one run.
 * - `filtered`: the filter of the trigger, or `overlap` or `catch_up` of a schedule, ignored the event.
 * - `duplicate`: the event was decided before.
 * - `rate_limited`: too many events or runs at the same time.
 * - `refused`: the input does not match the agent's input schema.
 * - `error`: the filter or map failed, the mailbox cannot be watched, or a poll failed.
 */
export const TRIGGER_OUTCOMES = ['started', 'filtered', 'duplicate', 'rate_limited', 'refused', 'error'] as const;

export type TriggerOutcome = (typeof TRIGGER_OUTCOMES)[number];

/** Whether a trigger has the health `error` when this is the outcome of its latest event. */
export function isFailure(outcome: TriggerOutcome): boolean {
  return outcome === 'refused' || outcome === 'error';
}
