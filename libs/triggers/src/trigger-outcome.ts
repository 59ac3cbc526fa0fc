/** Filter of trigger events. An absent field does not filter. */
export interface TriggerEventFilter {
  triggerId?: string | undefined;
  outcomes?: readonly TriggerOutcome[] | undefined;
}

/**
 * The outcome of an event that arrived for a trigger.
 *
 * `started`: the event started one run. `filtered`: the trigger's filter, or `overlap` or `catch_up` of a schedule,
 * ignores the event. `duplicate`: the event was decided before. `rate_limited`: too many events or runs at the same
 * time. `refused`: the input does not match the input schema of the agent. `error`: the filter or map failed, or the
 * mailbox cannot be watched.
 */
export const TRIGGER_OUTCOMES = ['started', 'filtered', 'duplicate', 'rate_limited', 'refused', 'error'] as const;

export type TriggerOutcome = (typeof TRIGGER_OUTCOMES)[number];

/** Returns true if a trigger has the health `error` when its latest event has this outcome. */
export function isFailure(outcome: TriggerOutcome): boolean {
  return outcome === 'refused' || outcome === 'error';
}
