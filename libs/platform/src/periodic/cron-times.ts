/** When cron fields fire: whoever knows provides it, so that all schedules of the service mean the same. */
export abstract class CronTimes {
  /** Why there is no such schedule, in one sentence; undefined where there is. */
  abstract problem(cron: string, timezone: string): string | undefined;

  /** The first fire time after this instant; undefined where there is none, ever. */
  abstract next(cron: string, timezone: string, after: Date): Date | undefined;
}
