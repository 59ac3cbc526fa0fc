import type { Source } from './knowledge-types.js';

export const NAMED_SCHEDULES = ['manual', 'hourly', 'daily', 'weekly'] as const;

/** The fields of a schedule: a name, or `cron` with an expression and a time zone. */
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

/** The schedule as it is sent. The service checks the expression. */
export function scheduleOf({ name, cron, timezone }: ScheduleTexts): Schedule {
  if (name === 'cron') return { cron, ...(timezone !== '' && { timezone }) };
  return name as Schedule;
}

/** `daily`, or the expression with its time zone. */
export function scheduleName(schedule: Schedule): string {
  return typeof schedule === 'string' ? schedule : `${schedule.cron} (${schedule.timezone ?? 'UTC'})`;
}
