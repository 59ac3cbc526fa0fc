import type { ReactNode } from 'react';
import type { TraceStep } from '../data/api.js';
import { stepNameParts } from './trace-rows.js';
import styles from './step-name.module.css';

/**
 * The name of a step. Screen readers read the tool first, as in the API. The page shows the id first, except an id that
 * the author did not choose, such as `call 1`.
 */
export function StepName({ step }: { step: TraceStep }): ReactNode {
  const { what, id } = stepNameParts(step);
  if (id === '') return <strong className={styles.name}>{what}</strong>;
  const [first, second] = /[[ ]/.test(id) ? [styles.main, styles.quiet] : [styles.quiet, styles.main];
  return (
    <span className={styles.name}>
      <span className={first}>{what}</span> <span className={second}>{id}</span>
    </span>
  );
}
