/**
 * What became of an event that arrived for a trigger.
 *
 * started: one run. filtered: the trigger's filter, or the overlap or catch_up of a schedule, ignores it. duplicate: it had been
 * decided before. rate_limited: too many at a time. refused: what it gives is no input for the agent. error: the filter or map
 * failed, or what brings the events did.
 */
export const TRIGGER_OUTCOMES = ['started', 'filtered', 'duplicate', 'rate_limited', 'refused', 'error'] as const;

export type TriggerOutcome = (typeof TRIGGER_OUTCOMES)[number];

/** Whether a trigger whose latest event ended like this needs somebody to look at it. */
export function isFailure(outcome: TriggerOutcome): boolean {
  return outcome === 'refused' || outcome === 'error';
}
