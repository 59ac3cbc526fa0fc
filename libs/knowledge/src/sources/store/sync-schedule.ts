import type { JsonValue } from '@app/kernel';
import type { CronTimes } from '@app/platform/periodic';
import { invalidRequest, jsonShape } from '@app/platform/json-shape';

export const NAMED_SCHEDULES = ['manual', 'hourly', 'daily', 'weekly'] as const;

/** The named schedules use UTC: `hourly` at the full hour, `daily` at midnight, `weekly` on Monday at midnight. */
export type SyncSchedule = (typeof NAMED_SCHEDULES)[number] | { cron: string; timezone: string };

const CRON_OF = { hourly: '0 * * * *', daily: '0 0 * * *', weekly: '0 0 * * 1' } as const;

const WRONG_SCHEDULE = `A schedule is one of ${NAMED_SCHEDULES.join(', ')}, or a cron expression such as {"cron": "0 6 * * 1-5", "timezone": "Europe/Berlin"}.`;
const FIELDS = jsonShape<{ cron: string; timezone: string }>({
  type: 'object',
  additionalProperties: false,
  required: ['cron'],
  properties: {
    cron: { type: 'string', minLength: 1, maxLength: 100 },
    timezone: { type: 'string', minLength: 1, maxLength: 64, default: 'UTC' },
  },
});

/**
 * Reads a schedule; the default is `manual`.
 * @throws DomainError `invalid_request` with pointers below `at`
 */
export function readSchedule(given: JsonValue | undefined, at: string, times: CronTimes): SyncSchedule {
  if (given === undefined) return 'manual';
  if (typeof given !== 'object' || given === null) return named(given, at);
  const fields = FIELDS.read(given, at);
  const wrongZone = times.problem(CRON_OF.daily, fields.timezone);
  if (wrongZone !== undefined) throw invalidRequest([{ pointer: `${at}/timezone`, detail: wrongZone }]);
  const wrongCron = times.problem(fields.cron, fields.timezone);
  if (wrongCron !== undefined) throw invalidRequest([{ pointer: `${at}/cron`, detail: wrongCron }]);
  return fields;
}

function named(given: JsonValue, at: string): (typeof NAMED_SCHEDULES)[number] {
  const name = NAMED_SCHEDULES.find((each) => each === given);
  if (name === undefined) throw invalidRequest([{ pointer: at, detail: WRONG_SCHEDULE }]);
  return name;
}

/** Returns the next time of the schedule after `after`; null for `manual`. */
export function nextSyncAt(schedule: SyncSchedule, after: Date, times: CronTimes): Date | null {
  if (schedule === 'manual') return null;
  const { cron, timezone } = typeof schedule === 'string' ? { cron: CRON_OF[schedule], timezone: 'UTC' } : schedule;
  return times.next(cron, timezone, after) ?? null;
}
