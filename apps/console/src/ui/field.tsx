import { type ReactNode, useId, useState } from 'react';
import styles from './controls.module.css';

interface FieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  /** Error of the API for this field. */
  problem?: string;
  /** True to hide the label visually. It remains the accessible name. */
  compact?: boolean;
}

export interface TextFieldProps extends FieldProps {
  /**
   * True to show dots instead of the characters. The field still has the type `text`, so that password managers do not
   * save the value.
   */
  masked?: boolean;
  multiline?: boolean;
  code?: boolean;
  autoFocus?: boolean;
  inputMode?: 'text' | 'email' | 'numeric' | 'decimal';
  autoComplete?: string;
  placeholder?: string;
}

export function TextField(props: TextFieldProps): ReactNode {
  const { label, value, onChange, hint, problem, masked = false, multiline = false, code = false } = props;
  const id = useId();
  const looks = [styles.input, masked && styles.masked, code && styles.code].filter(Boolean).join(' ');
  const shared = {
    id,
    value,
    className: looks,
    autoFocus: props.autoFocus,
    placeholder: props.placeholder,
    spellCheck: !masked && !code,
    autoComplete: props.autoComplete ?? 'off',
    'aria-invalid': problem !== undefined || undefined,
    'aria-describedby': hint !== undefined || problem !== undefined ? `${id}-text` : undefined,
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={props.compact === true ? 'visually-hidden' : undefined}>
        {label}
      </label>
      {multiline ? (
        <textarea {...shared} rows={3} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input {...shared} type="text" inputMode={props.inputMode} onChange={(event) => onChange(event.target.value)} />
      )}
      <FieldText id={`${id}-text`} hint={hint} problem={problem} />
    </div>
  );
}

/**
 * A field for a day. Its value is a day such as `2026-01-31`, or an empty string. `onChange` gets complete days only:
 * while a person types the year 2026, the browser reports the years 2, 20 and 202.
 */
export function DayField({ label, value, onChange }: FieldProps): ReactNode {
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const change = (day: string): void => {
    const isComplete = day === '' || /^[12]\d{3}-/.test(day);
    setTyped(isComplete ? undefined : day);
    if (isComplete) onChange(day);
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="date"
        className={styles.input}
        value={typed ?? value}
        onChange={(event) => change(event.target.value)}
      />
    </div>
  );
}

type Options = readonly { value: string; label?: string }[];

export interface ChoiceProps extends FieldProps {
  options: Options;
}

/** Returns the label of an option, or the value itself if it is none of them. */
export function labelOf(options: Options, value: string): string {
  return options.find((option) => option.value === value)?.label ?? value;
}

export function Choice({ label, value, onChange, options, hint, problem, compact = false }: ChoiceProps): ReactNode {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={compact ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <select
        id={id}
        className={styles.select}
        value={value}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={hint !== undefined || problem !== undefined ? `${id}-text` : undefined}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label ?? option.value}
          </option>
        ))}
      </select>
      <FieldText id={`${id}-text`} hint={hint} problem={problem} />
    </div>
  );
}

function FieldText({ id, hint, problem }: { id: string; hint?: string; problem?: string }): ReactNode {
  if (problem === undefined && hint === undefined) return null;
  return (
    <div id={id} className={problem === undefined ? styles.hint : styles.invalid}>
      {problem ?? hint}
    </div>
  );
}

export interface ChecklistProps {
  label: string;
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  options: readonly { value: string; label?: string }[];
  hint?: string;
  problem?: string;
}

/** A group of checkboxes. `onChange` receives the chosen values in the order of the options. */
export function Checklist({ label, chosen, onChange, options, hint, problem }: ChecklistProps): ReactNode {
  const id = useId();
  const toggle = (value: string): void =>
    onChange(
      options
        .map((option) => option.value)
        .filter((each) => (each === value ? !chosen.includes(each) : chosen.includes(each))),
    );
  return (
    <div
      role="group"
      aria-labelledby={id}
      aria-describedby={hint !== undefined || problem !== undefined ? `${id}-text` : undefined}
      className={styles.field}
    >
      <span id={id} className={styles.label}>
        {label}
      </span>
      <div className={styles.checks}>
        {options.map((option) => (
          <label key={option.value} className={styles.check}>
            <input
              type="checkbox"
              value={option.value}
              checked={chosen.includes(option.value)}
              onChange={() => toggle(option.value)}
            />
            <span>{option.label ?? option.value}</span>
          </label>
        ))}
      </div>
      <FieldText id={`${id}-text`} hint={hint} problem={problem} />
    </div>
  );
}
