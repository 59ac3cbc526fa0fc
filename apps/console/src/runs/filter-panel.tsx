import { type ReactNode, type SubmitEvent, useState } from 'react';
import { fieldProblem } from '../data/api.js';
import type { Search } from '../data/search.js';
import { Button } from '../ui/button.js';
import { Choice, TextField } from '../ui/field.js';
import { setShownTimeZone, type ShownTimeZone, TIME_ZONES, useShownTimeZone } from '../ui/time-zone.js';
import { Word } from '../ui/word.js';
import { word } from '../data/words.js';
import {
  choices,
  ERROR_CODES,
  type FurtherFilters,
  furtherFilters,
  RUN_STATUSES,
  withFurtherFilters,
} from './run-filters.js';
import styles from './runs.module.css';

export interface FilterPanelProps {
  search: Search;
  /** Error of the last request for the run list. If a filter caused the error, it is shown at this filter. */
  error: unknown;
  onApply: (next: Search) => void;
  onClose: () => void;
}

/** Form for the filters that have no select field. The filters apply when the person submits the form. */
export function FilterPanel({ search, error, onApply, onClose }: FilterPanelProps): ReactNode {
  const zone = useShownTimeZone();
  const [entered, setEntered] = useState(() => furtherFilters(search, zone === 'UTC'));
  const set = (change: Partial<FurtherFilters>): void => setEntered({ ...entered, ...change });
  const field = (name: keyof FurtherFilters & keyof typeof TEXTS): ReactNode => (
    <TextField
      {...TEXTS[name]}
      value={entered[name]}
      onChange={(value) => set({ [name]: value })}
      problem={fieldProblem(error, `/query/${name}`)}
    />
  );
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onApply(withFurtherFilters(search, entered, zone === 'UTC'));
  };
  const changeZone = (next: string): void => {
    // Does not change the texts of the time fields. They then count as times in the new time zone.
    setShownTimeZone(next as ShownTimeZone);
  };
  return (
    <form className={styles.panel} aria-label="More filters" onSubmit={submit} noValidate>
      <Statuses chosen={entered.status} onChange={(status) => set({ status })} />
      <div className={styles.fields}>
        {field('version')}
        {field('initiator')}
        <Choice
          label="Error"
          value={entered.error_code}
          onChange={(value) => set({ error_code: value })}
          options={choices(ERROR_CODES, entered.error_code, 'Any error', (code) => word('error', code))}
        />
        {field('replay_of')}
        {field('parent')}
        {field('label')}
        {field('id')}
        <TimeField label="From" value={entered.since} onChange={(since) => set({ since })} />
        <TimeField label="To" value={entered.until} onChange={(until) => set({ until })} />
        <Choice
          label="Time zone"
          value={zone}
          onChange={changeZone}
          options={TIME_ZONES.map((value) => ({ value }))}
          hint="Applies to all times shown in the console."
        />
      </div>
      <div className={styles.filters}>
        <Button type="submit" look="primary">
          Apply filters
        </Button>
        <Button onClick={onClose}>Close filters</Button>
      </div>
    </form>
  );
}

const TEXTS = {
  version: { label: 'Version', inputMode: 'numeric' },
  initiator: { label: 'Started by', hint: 'E-mail address of the person.', inputMode: 'email' },
  replay_of: { label: 'Replay of', hint: 'Id of the replayed run.' },
  parent: { label: 'Child run of', hint: 'Id of the run that started the runs.' },
  label: { label: 'Labels', hint: 'One key=value per line. A run must match all of them.', multiline: true },
  id: { label: 'Run ids', hint: 'One id per line, at most 100.', multiline: true },
} as const;

function Statuses(props: { chosen: readonly string[]; onChange: (chosen: string[]) => void }): ReactNode {
  const { chosen, onChange } = props;
  return (
    <fieldset className={styles.statuses}>
      <legend>Any of these statuses</legend>
      {RUN_STATUSES.map((status) => (
        <label key={status}>
          <input
            type="checkbox"
            checked={chosen.includes(status)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, status] : chosen.filter((each) => each !== status))
            }
          />
          <Word kind="status" value={status} />
        </label>
      ))}
    </fieldset>
  );
}

function TimeField(props: { label: string; value: string; onChange: (value: string) => void }): ReactNode {
  const { label, value, onChange } = props;
  return (
    <label className={styles.time}>
      {label}
      <input type="datetime-local" value={value} onChange={(event) => onChange(event.target.value)} />
    </label>
  );
}
