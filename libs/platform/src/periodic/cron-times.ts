/** All schedules of the service use the same implementation. */
export abstract class CronTimes {
  abstract problem(cron: string, timezone: string): string | undefined;

  /** Returns the first fire time after the given instant, or undefined if the schedule never fires again. */
  abstract next(cron: string, timezone: string, after: Date): Date | undefined;
}
