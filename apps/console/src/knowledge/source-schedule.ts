import type { Source } from './knowledge-types.js';

export const NAMED_SCHEDULES = ['manual', 'hourly', 'daily', 'weekly'] as const;

/** Texts of the schedule fields. `cron` and `timezone` are used only if `name` is `cron`. */
export interface ScheduleTexts {
  name: string;
  cron: string;
  timezone: string;
}

type Schedule = Source['schedule'];

export function scheduleTexts(schedule: Schedule = 'manual'): ScheduleTexts {
  if (typeof schedule === 'string') return { name: schedule, cron: '', timezone: '' };
  return { name: 'cron', cron: schedule.cron, timezone: schedule.timezone ?? '' };
}

/** Converts the texts to a schedule. The API checks the cron expression. */
export function scheduleOf({ name, cron, timezone }: ScheduleTexts): Schedule {
  if (name === 'cron') return { cron, ...(timezone !== '' && { timezone }) };
  return name as Schedule;
}

/** Formats a schedule, for example `daily` or `0 6 * * 1-5 (UTC)`. */
export function scheduleName(schedule: Schedule): string {
  return typeof schedule === 'string' ? schedule : `${schedule.cron} (${schedule.timezone ?? 'UTC'})`;
}
