import type { ReactNode } from 'react';
import { Choice } from '../ui/field.js';
import type { ReplayMode } from './bulk-order.js';
import styles from './runs.module.css';

/** The mode of a replay, and whether the person has confirmed that writes are made again. */
export interface ReplayModeChoice {
  mode: ReplayMode;
  isSure: boolean;
}

/** Writes are simulated. */
export const TEST_MODE: ReplayModeChoice = { mode: 'test', isSure: false };

/** Why the replay cannot be started yet. */
export function unsureRefusal({ mode, isSure }: ReplayModeChoice): string | null {
  return mode === 'production' && !isSure ? 'Confirm first that writes may be made again.' : null;
}

export interface ReplayModeFieldsProps {
  value: ReplayModeChoice;
  onChange: (value: ReplayModeChoice) => void;
  /** What the person confirms for mode production. */
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
