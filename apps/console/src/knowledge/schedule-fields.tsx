import type { ReactNode } from 'react';
import { fieldProblem } from '../data/api.js';
import { Choice, TextField } from '../ui/field.js';
import { word, wordOptions } from '../data/words.js';
import type { Source } from './knowledge-types.js';

const NAMED_SCHEDULES = ['manual', 'hourly', 'daily', 'weekly'] as const;

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
  return typeof schedule === 'string' ? word('schedule', schedule) : `${schedule.cron} (${schedule.timezone ?? 'UTC'})`;
}

const OPTIONS = [...wordOptions('schedule', NAMED_SCHEDULES), { value: 'cron', label: 'by a cron expression' }];

export interface ScheduleFieldsProps {
  schedule: ScheduleTexts;
  onChange: (schedule: ScheduleTexts) => void;
  error: unknown;
}

/** Sync schedule of a source: a named schedule such as `daily`, or a cron expression. */
export function ScheduleFields({ schedule, onChange, error }: ScheduleFieldsProps): ReactNode {
  return (
    <>
      <Choice
        label="Schedule"
        value={schedule.name}
        onChange={(name) => onChange({ ...schedule, name })}
        options={OPTIONS}
        hint="hourly syncs at each full hour, daily at midnight, weekly on Monday at midnight. Times are in UTC."
        problem={schedule.name === 'cron' ? undefined : fieldProblem(error, '/schedule')}
      />
      {schedule.name === 'cron' && (
        <>
          <TextField
            label="cron"
            value={schedule.cron}
            onChange={(cron) => onChange({ ...schedule, cron })}
            hint="Cron expression with five fields, for example 0 6 * * 1-5."
            problem={fieldProblem(error, '/schedule/cron')}
            code
          />
          <TextField
            label="timezone"
            value={schedule.timezone}
            onChange={(timezone) => onChange({ ...schedule, timezone })}
            hint="IANA time zone, for example Europe/Berlin. Default: UTC."
            problem={fieldProblem(error, '/schedule/timezone')}
          />
        </>
      )}
    </>
  );
}
