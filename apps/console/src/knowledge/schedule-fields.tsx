import type { ReactNode } from 'react';
import { fieldProblem } from '../data/api.js';
import { Choice, TextField } from '../ui/field.js';
import { NAMED_SCHEDULES, type ScheduleTexts } from './source-schedule.js';

const OPTIONS = [...NAMED_SCHEDULES, 'cron'].map((value) => ({ value }));

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
