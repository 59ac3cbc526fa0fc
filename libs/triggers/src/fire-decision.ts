import { FireTimes } from '@app/definition';

/** All times are times of the database's clock. */
export interface DueSchedule {
  workspaceId: string;
  agentId: string;
  triggerId: string;
  cron: string;
  timezone: string;
  catchUp: 'none' | 'last';
  fireAt: Date | null;
  activeSince: Date;
  /**
   * The value changes if the cron or the timezone changes, and if the schedule is resumed after a pause or after a stop
   * of the workspace.
   */
  generation: string;
  now: Date;
}

export type FireDecision =
  { kind: 'fire'; at: Date; next: Date | null } | { kind: 'plan'; missed: Date | null; next: Date | null };

/** A fire time that is at most this late does not count as missed, because workers may be busy or starting. */
const GRACE_MILLIS = 5 * 60_000;

/**
 * If several fire times have passed, only the latest of them counts. A fire time is missed if the schedule was paused
 * or stopped at that time, or if no worker fired it in time. A missed fire time starts a run only with `catch_up:
 * last`.
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
