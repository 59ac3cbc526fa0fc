import { Cron } from 'croner';
import { instantOf, wallTime } from './wall-clock.js';

/**
 * When a schedule fires: at the local times that five cron fields name, in a time zone. A local time that clocks skip
 * fires at the next instant that they show, one that they show twice fires the first time; fire times that fall
 * together are one.
 */
export class FireTimes {
  /** In UTC, where every local time exists once; {@link instantOf} knows the zone. */
  private readonly fields: Cron;

  /** @throws Error where croner cannot read the fields */
  constructor(
    cron: string,
    private readonly zone: string,
  ) {
    this.fields = new Cron(cron, { timezone: 'UTC', mode: '5-part', paused: true, sloppyRanges: true });
  }

  /** The first fire time after this instant; undefined if there is none. */
  next(after: Date): Date | undefined {
    for (let wall = this.fields.nextRun(wallTime(after, this.zone)); wall !== null; wall = this.fields.nextRun(wall)) {
      const instant = instantOf(wall, this.zone);
      if (instant > after) return instant;
    }
    return undefined;
  }

  /** The last fire time after `after` and not after `until`; undefined if there is none. */
  latest(after: Date, until: Date): Date | undefined {
    let found = this.next(after);
    if (found === undefined || found > until) return undefined;
    // Jumps close to the end, then counts one by one, which is exact across clock changes.
    const [near] = this.fields.previousRuns(1, wallTime(until, this.zone));
    const start = near && instantOf(near, this.zone);
    if (start && start > found && start <= until) found = start;
    for (let next = this.next(found); next !== undefined && next <= until; next = this.next(found)) found = next;
    return found;
  }
}

/** Why well-formed fields never fire; undefined if they do. */
export function neverFires(cron: string): string | undefined {
  const fields = new Cron(cron, { timezone: 'UTC', mode: '5-part', paused: true, sloppyRanges: true });
  // Eight years hold every combination of day, month and leap year that there is between 2000 and 2100.
  if (fields.nextRun(new Date(Date.UTC(2023, 11, 31))) !== null) return undefined;
  return 'This schedule never fires, because no month in it has such a day.';
}
