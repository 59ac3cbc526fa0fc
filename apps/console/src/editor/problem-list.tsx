import type { ReactNode } from 'react';
import { Card } from '../ui/page.js';
import type { DefinitionProblem } from './definition-checks.js';
import styles from './editor.module.css';

export interface ProblemListProps {
  errors: readonly DefinitionProblem[];
  warnings: readonly DefinitionProblem[];
  isEmpty: boolean;
  onOpen: (problem: DefinitionProblem) => void;
}

/** Lists errors and warnings of the definition. Only errors prevent saving. */
export function ProblemList({ errors, warnings, isEmpty, onOpen }: ProblemListProps): ReactNode {
  return (
    <>
      <Card title="Problems" flush actions={<Count count={errors.length} />}>
        {errors.length > 0 ? (
          <Entries problems={errors} onOpen={onOpen} />
        ) : (
          <p className={styles.noProblem}>{isEmpty ? 'The definition is empty.' : 'None.'}</p>
        )}
      </Card>
      {warnings.length > 0 && (
        <Card title="Warnings" flush actions={<Count count={warnings.length} />}>
          <Entries problems={warnings} onOpen={onOpen} />
        </Card>
      )}
    </>
  );
}

function Count({ count }: { count: number }): ReactNode {
  return (
    <span role="status" className={styles.quiet}>
      {count > 0 && (count > 99 ? '99+' : count)}
    </span>
  );
}

function Entries({ problems, onOpen }: Pick<ProblemListProps, 'onOpen'> & { problems: readonly DefinitionProblem[] }) {
  return (
    <ol className={styles.problems}>
      {problems.map((problem, index) => (
        <li key={`${index} ${problem.line} ${problem.message}`}>
          <button type="button" data-severity={problem.severity} onClick={() => onOpen(problem)}>
            <strong>Line {problem.line}:</strong> {problem.message}
            {problem.suggestion !== undefined && <span> {problem.suggestion}</span>}
          </button>
        </li>
      ))}
    </ol>
  );
}
