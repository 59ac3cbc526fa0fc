import { CronTimes } from '@app/platform/periodic';
import { Injectable } from '@nestjs/common';
import { cronProblem, FireTimes, isTimeZone } from '@app/definition';

/** Implements {@link CronTimes} with the cron parser that agent definitions use. */
@Injectable()
export class DefinitionCronTimesAdapter extends CronTimes {
  problem(cron: string, timezone: string): string | undefined {
    if (!isTimeZone(timezone))
      return `${JSON.stringify(timezone)} is not a valid time zone. Use an IANA name, for example Europe/Berlin.`;
    return /^\S+( +\S+){4}$/.test(cron.trim())
      ? cronProblem(cron)
      : 'cron must have five fields: minute, hour, day of month, month and day of week.';
  }

  next(cron: string, timezone: string, after: Date): Date | undefined {
    return new FireTimes(cron.trim(), timezone).next(after);
  }
}
