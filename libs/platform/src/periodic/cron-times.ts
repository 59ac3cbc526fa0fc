/** The fire times of cron fields. One implementation serves all schedules of the service. */
export abstract class CronTimes {
  /** Why the schedule is invalid, in one sentence; undefined if it is valid. */
  abstract problem(cron: string, timezone: string): string | undefined;

  /** The first fire time after this instant; undefined if the schedule never fires again. */
  abstract next(cron: string, timezone: string, after: Date): Date | undefined;
}
