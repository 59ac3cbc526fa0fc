import type { ReactNode } from 'react';
import { Choice } from '../ui/field.js';
import type { ReplayMode } from './bulk-order.js';
import styles from './runs.module.css';

/** Mode of a replay. `isSure` is true if the person has confirmed that the replay executes writes again. */
export interface ReplayModeChoice {
  mode: ReplayMode;
  isSure: boolean;
}

export const TEST_MODE: ReplayModeChoice = { mode: 'test', isSure: false };

/** Returns why the replay cannot be started yet, or null if it can. */
export function unsureRefusal({ mode, isSure }: ReplayModeChoice): string | null {
  return mode === 'production' && !isSure ? 'First confirm that write operations may be executed again.' : null;
}

export interface ReplayModeFieldsProps {
  value: ReplayModeChoice;
  onChange: (value: ReplayModeChoice) => void;
  /** Label of the checkbox that the person must tick for mode `production`. */
  question: string;
}

export function ReplayModeFields({ value, onChange, question }: ReplayModeFieldsProps): ReactNode {
  return (
    <>
      <Choice
        label="Mode"
        value={value.mode}
        onChange={(mode) => onChange({ mode: mode as ReplayMode, isSure: false })}
        options={[{ value: 'test' }, { value: 'production' }]}
      />
      {value.mode === 'production' && (
        <label className={styles.sure}>
          <input
            type="checkbox"
            checked={value.isSure}
            onChange={(event) => onChange({ ...value, isSure: event.target.checked })}
          />
          {question}
        </label>
      )}
    </>
  );
}
