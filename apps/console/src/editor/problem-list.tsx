import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { upTo99 } from '../ui/format-values.js';
import { Card } from '../ui/page.js';
import { CodeText } from '../ui/word.js';
import { actionLink, Button } from '../ui/button.js';
import type { CodeFix } from '../ui/code-editor.js';
import type { DefinitionProblem } from './definition-checks.js';
import styles from './editor.module.css';

export interface ProblemListProps {
  errors: readonly DefinitionProblem[];
  warnings: readonly DefinitionProblem[];
  isEmpty: boolean;
  isChecked: boolean;
  onOpen: (problem: DefinitionProblem) => void;
  onCorrect: (fix: CodeFix) => void;
}

/** Lists errors and warnings of the definition. Only errors prevent saving. */
export function ProblemList({ errors, warnings, isEmpty, isChecked, ...actions }: ProblemListProps): ReactNode {
  return (
    <>
      <Card title="Problems" flush actions={<Count count={errors.length} />}>
        {errors.length > 0 ? (
          <Entries problems={errors} {...actions} />
        ) : (
          <p className={styles.noProblem}>{isEmpty ? 'The definition is empty.' : isChecked ? 'None.' : 'Checking …'}</p>
        )}
      </Card>
      {warnings.length > 0 && (
        <Card title="Warnings" flush actions={<Count count={warnings.length} />}>
          <Entries problems={warnings} {...actions} />
        </Card>
      )}
    </>
  );
}

function Count({ count }: { count: number }): ReactNode {
  return (
    <span role="status" className={styles.quiet}>
      {count > 0 && upTo99(count)}
    </span>
  );
}

/** What the API suggests if a group does not exist. */
const CREATED_GROUP = /`aas groups create ([^`]+)`/;

interface EntriesProps extends Pick<ProblemListProps, 'onOpen' | 'onCorrect'> {
  problems: readonly DefinitionProblem[];
}

function Entries({ problems, onOpen, onCorrect }: EntriesProps): ReactNode {
  return (
    <ol className={styles.problems}>
      {problems.map((problem, index) => (
        <li key={`${index} ${problem.line} ${problem.message}`} data-severity={problem.severity}>
          <button type="button" className={styles.problem} onClick={() => onOpen(problem)}>
            <strong>Line {problem.line}:</strong> <CodeText text={problem.message} />
            {problem.suggestion !== undefined && problem.fix === undefined && (
              <span>
                {' '}
                <CodeText text={problem.suggestion} />
              </span>
            )}
          </button>
          {CREATED_GROUP.exec(problem.suggestion ?? '')
            ?.slice(1)
            .map((name) => (
              <Link key={name} to="/settings/groups" search={{ name }} hash="create-group" className={actionLink}>
                Create group
              </Link>
            ))}
          {problem.fix !== undefined && <Correction fix={problem.fix} onCorrect={onCorrect} />}
        </li>
      ))}
    </ol>
  );
}

function Correction({ fix, onCorrect }: { fix: CodeFix; onCorrect: (fix: CodeFix) => void }): ReactNode {
  return (
    <Button onClick={() => onCorrect(fix)}>
      Change to <code>{fix.with}</code>
    </Button>
  );
}
