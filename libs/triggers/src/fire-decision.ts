import { FireTimes } from '@app/definition';

/** A schedule that is due, as the database handed it out. Every time is the database's. */
export interface DueSchedule {
  workspaceId: string;
  agentId: string;
  triggerId: string;
  cron: string;
  timezone: string;
  catchUp: 'none' | 'last';
  /** Null: not worked out yet. */
  fireAt: Date | null;
  /** Fire times before it were missed. */
  activeSince: Date;
  /** Names the state that it was handed out in. */
  generation: string;
  now: Date;
}

/** fire: for this fire time, now. plan: only set the next fire time; `missed` is the latest that is not caught up with. */
export type FireDecision =
  { kind: 'fire'; at: Date; next: Date | null } | { kind: 'plan'; missed: Date | null; next: Date | null };

/** A fire time is not missed yet while it is this late: whoever fires it may have much to do, or be about to start. */
const GRACE_MILLIS = 5 * 60_000;

/**
 * What is to be done about a schedule. Of several fire times that have passed only the latest counts; it was missed where the
 * schedule was not active then (paused, stopped) or nobody was there to fire it, and `catch_up` says what that means.
 */
export function decideFire(due: DueSchedule): FireDecision {
  const times = new FireTimes(due.cron, due.timezone);
  const next = times.next(due.now) ?? null;
  const at = latestFireTime(times, due);
  if (at === undefined) return { kind: 'plan', missed: null, next };
  const isMissed = at < due.activeSince || due.now.getTime() - at.getTime() > GRACE_MILLIS;
  return isMissed && due.catchUp === 'none' ? { kind: 'plan', missed: at, next } : { kind: 'fire', at, next };
}

function latestFireTime(times: FireTimes, { fireAt, activeSince, now }: DueSchedule): Date | undefined {
  if (!fireAt) return times.latest(activeSince, now);
  return fireAt <= now ? (times.latest(fireAt, now) ?? fireAt) : undefined;
}
