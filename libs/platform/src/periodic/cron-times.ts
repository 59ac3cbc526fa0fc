/** The fire times of cron fields. One implementation serves all schedules of the service. */
export abstract class CronTimes {
  /** Describes in one sentence why the schedule is invalid. Undefined if the schedule is valid. */
  abstract problem(cron: string, timezone: string): string | undefined;

  /** Returns the first fire time after this instant, or undefined if the schedule never fires again. */
  abstract next(cron: string, timezone: string, after: Date): Date | undefined;
}
