import { Cron } from 'croner';
import { instantOf, wallTime } from '@app/cel';

/**
 * The fire times of a schedule: the local times in a time zone that match five cron fields. A local time that the
 * clocks skip fires at the first instant after the gap. A local time that occurs twice fires at its first occurrence.
 * Fire times at the same instant count as one.
 */
export class FireTimes {
  /**
   * The cron fields, evaluated as if local times were UTC, because each time exists exactly once in UTC.
   * {@link instantOf} converts the result from a local time to an instant.
   */
  private readonly fields: Cron;

  /** @throws Error if croner cannot parse the fields */
  constructor(
    cron: string,
    private readonly zone: string,
  ) {
    this.fields = cronFields(cron);
  }

  /** Returns the first fire time after this instant; undefined if there is none. */
  next(after: Date): Date | undefined {
    for (let wall = this.fields.nextRun(wallTime(after, this.zone)); wall !== null; wall = this.fields.nextRun(wall)) {
      const instant = instantOf(wall, this.zone);
      if (instant > after) return instant;
    }
    return undefined;
  }

  /** Returns the last fire time after `after` and not after `until`; undefined if there is none. */
  latest(after: Date, until: Date): Date | undefined {
    let found = this.next(after);
    if (found === undefined || found > until) return undefined;
    // The search starts at a fire time close to `until`. Near a change of the clocks, this fire time may not be the
    // last one before `until`. The search then advances one fire time at a time.
    const [near] = this.fields.previousRuns(1, wallTime(until, this.zone));
    const start = near && instantOf(near, this.zone);
    if (start && start > found && start <= until) found = start;
    for (let next = this.next(found); next !== undefined && next <= until; next = this.next(found)) found = next;
    return found;
  }
}

function cronFields(cron: string): Cron {
  const fields = cron.trim().split(/\s+/).join(' ');
  return new Cron(fields, { timezone: 'UTC', mode: '5-part', paused: true, sloppyRanges: true });
}

/** Returns the reason if valid cron fields never fire (for example on 30 February); undefined if they do fire. */
export function neverFires(cron: string): string | undefined {
  const fields = cronFields(cron);
  // Between 2000 and 2100, every combination of month, day and leap year occurs within each period of eight years.
  if (fields.nextRun(new Date(Date.UTC(2023, 11, 31))) !== null) return undefined;
  return 'This schedule never fires, because none of its months has the given day.';
}
