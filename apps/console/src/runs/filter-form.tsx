import { type ReactNode, type SubmitEvent, useState } from 'react';
import { Dialog, Popover } from 'react-aria-components';
import { fieldProblem } from '../data/api.js';
import type { Search } from '../data/search.js';
import { ERROR_CODES, word } from '../data/words.js';
import { Button } from '../ui/button.js';
import { Checklist, Choice, TextField } from '../ui/field.js';
import menu from '../ui/menu.module.css';
import { setShownTimeZone, type ShownTimeZone, TIME_ZONES, useShownTimeZone } from '../ui/time-zone.js';
import {
  choices,
  FILTER_FORMS,
  type FilterForm,
  type FurtherFilters,
  furtherFilters,
  RUN_STATUSES,
  withFurtherFilters,
} from './run-filters.js';
import styles from './runs.module.css';

export interface OpenForm {
  form: FilterForm;
  /** Element below which the form opens. */
  anchor: HTMLElement;
}

export interface FilterFormProps {
  open: OpenForm;
  search: Search;
  /** Error of the last request for the run list. If a filter caused the error, it is shown at this filter. */
  error: unknown;
  onApply: (next: Search) => void;
  onClose: () => void;
}

/** Form of one filter, below the element that opened it. The filter applies when the person submits the form. */
export function FilterFormPopover({ open, onClose, ...props }: FilterFormProps): ReactNode {
  const { form, anchor } = open;
  return (
    <Popover
      className={menu.popover}
      triggerRef={{ current: anchor }}
      isOpen
      placement="bottom start"
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Dialog className={styles.formDialog} aria-label={FILTER_FORMS[form].name}>
        <Form {...props} form={form} />
      </Dialog>
    </Popover>
  );
}

function Form(props: Omit<FilterFormProps, 'open' | 'onClose'> & { form: FilterForm }): ReactNode {
  const { form, search, error, onApply } = props;
  const zone = useShownTimeZone();
  const [entered, setEntered] = useState(() => furtherFilters(search, zone === 'UTC'));
  const set = (change: Partial<FurtherFilters>): void => setEntered({ ...entered, ...change });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onApply(withFurtherFilters(search, entered, zone === 'UTC'));
  };
  return (
    <form className={styles.form} aria-label={FILTER_FORMS[form].name} onSubmit={submit} noValidate>
      {FILTER_FORMS[form].fields.map((name, index) => (
        <Field
          key={name}
          name={name}
          isFirst={index === 0}
          entered={entered}
          onChange={set}
          problem={fieldProblem(error, `/query/${name}`)}
        />
      ))}
      {form === 'period' && <ZoneField zone={zone} />}
      <div>
        <Button type="submit" look="primary">
          Apply filter
        </Button>
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
  min_duration_ms: { label: 'At least', hint: 'Seconds.', inputMode: 'decimal' },
  max_duration_ms: { label: 'At most', hint: 'Seconds. Only runs that have ended match.', inputMode: 'decimal' },
  min_cost: { label: 'At least', inputMode: 'decimal' },
  max_cost: { label: 'At most', hint: 'In the currency of the run, for example 0.25.', inputMode: 'decimal' },
} as const;

interface FieldProps {
  name: keyof FurtherFilters;
  isFirst: boolean;
  entered: FurtherFilters;
  onChange: (change: Partial<FurtherFilters>) => void;
  problem: string | undefined;
}

function Field({ name, isFirst, entered, onChange, problem }: FieldProps): ReactNode {
  switch (name) {
    case 'status':
      return (
        <Checklist
          label="Any of these statuses"
          chosen={entered.status}
          onChange={(status) => onChange({ status })}
          options={RUN_STATUSES.map((value) => ({ value, label: word('status', value) }))}
          problem={problem}
        />
      );
    case 'error_code':
      return (
        <Choice
          label="Error"
          value={entered.error_code}
          onChange={(value) => onChange({ error_code: value })}
          options={choices(ERROR_CODES, entered.error_code, 'Any error', (code) => word('error', code))}
          problem={problem}
        />
      );
    case 'since':
    case 'until':
      return (
        <TimeField
          label={name === 'since' ? 'From' : 'To'}
          value={entered[name]}
          onChange={(value) => onChange({ [name]: value })}
        />
      );
    default:
      return (
        <TextField
          {...TEXTS[name]}
          autoFocus={isFirst}
          value={entered[name]}
          onChange={(value) => onChange({ [name]: value })}
          problem={problem}
        />
      );
  }
}

/** A change of the zone does not change the texts of the time fields. They then count as times in the new zone. */
function ZoneField({ zone }: { zone: ShownTimeZone }): ReactNode {
  return (
    <Choice
      label="Time zone"
      value={zone}
      onChange={(next) => setShownTimeZone(next as ShownTimeZone)}
      options={TIME_ZONES.map((value) => ({ value }))}
      hint="Applies to all times shown in the console."
    />
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
