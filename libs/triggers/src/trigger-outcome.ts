/** Selects trigger events. A missing member selects all. */
export interface TriggerEventFilter {
  triggerId?: string | undefined;
  outcomes?: readonly TriggerOutcome[] | undefined;
}

/**
 * The outcome of an event that arrived for a trigger.
 *
 * started: one run. filtered: the trigger's filter, or the overlap or catch_up of a schedule, ignores the event.
 * duplicate: the event was decided before. rate_limited: too many at a time. refused: the input does not fit the
 * agent's schema. error: the filter or map failed, or the mailbox cannot be watched.
 */
export const TRIGGER_OUTCOMES = ['started', 'filtered', 'duplicate', 'rate_limited', 'refused', 'error'] as const;

export type TriggerOutcome = (typeof TRIGGER_OUTCOMES)[number];

/** Whether a trigger whose latest event has this outcome has the health `error`. */
export function isFailure(outcome: TriggerOutcome): boolean {
  return outcome === 'refused' || outcome === 'error';
}
