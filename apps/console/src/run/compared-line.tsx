import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { Fragment, lazy, type ReactNode, Suspense, useState } from 'react';
import { stepName } from '../live/trace-rows.js';
import { formatDuration } from '../ui/format-values.js';
import { useMedia } from '../ui/media.js';
import { StatusIcon } from '../ui/status.js';
import { Word } from '../ui/word.js';
import styles from './comparison.module.css';
import type { AnyStep } from './step-facts.js';
import { type ComparedStep, isDifferent } from './trace-comparison.js';

const TextDiff = lazy(() => import('../ui/text-diff.js').then(({ TextDiff: component }) => ({ default: component })));

const wide = matchMedia('(min-width: 900px)');

export interface ComparedLineProps {
  row: ComparedStep;
  isOpenFirst: boolean;
  run: string;
  /** Id of the run on the left. */
  other: string;
}

/** Shows a pair of compared steps, with a button that shows the values that differ. */
export function ComparedLine({ row, isOpenFirst, run, other }: ComparedLineProps): ReactNode {
  const { before, after, changed } = row;
  const [isOpen, setOpen] = useState(isOpenFirst);
  const name = nameOf(row);
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <li className={styles.line} data-different={isDifferent(row)}>
      <div className={styles.pair}>
        <StepCell step={before} run={other} side="other" />
        <StepCell step={after} run={run} side="this" />
      </div>
      {changed.length > 0 && (
        <>
          <button
            type="button"
            className={styles.changed}
            aria-expanded={isOpen}
            aria-label={`Differences of ${name}: ${changed.join(' ')}`}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon size={14} aria-hidden />
            {changed.map((member) => (
              <Fragment key={member}>
                {' '}
                <span className={styles.member}>{member}</span>
              </Fragment>
            ))}
          </button>
          {isOpen &&
            changed.map((member) => (
              <Fragment key={member}>
                {changed.length > 1 && <p className={styles.note}>{member}</p>}
                <Values member={member} before={before?.[member]} after={after?.[member]} />
              </Fragment>
            ))}
        </>
      )}
    </li>
  );
}

function nameOf({ before, after }: ComparedStep): string {
  const step = after ?? before;
  return step === undefined ? '' : stepName(step);
}

function StepCell({ step, run, side }: { step: AnyStep | undefined; run: string; side: 'this' | 'other' }): ReactNode {
  if (step === undefined) return <div className={styles.missing}>not in {side} run</div>;
  return (
    <div className={styles.cell}>
      <StatusIcon value={step.status} />
      <Link to="/runs/$id" params={{ id: run }} search={{ step: String(step.n) }} className={styles.name}>
        {stepName(step)}
      </Link>
      <span className={styles.quiet}>
        <Word kind="status" value={step.status} />
        {step.duration_ms !== null && `, ${formatDuration(step.duration_ms)}`}
      </span>
    </div>
  );
}

interface ValuesProps {
  member: string;
  before: unknown;
  after: unknown;
}

/** Shows two values beside each other, or in one column on a phone. Marks the lines that differ, and folds the others. */
export function Values({ member, before, after }: ValuesProps): ReactNode {
  const isWide = useMedia(wide);
  return (
    <Suspense fallback={<p className={styles.note}>Comparing the values …</p>}>
      <TextDiff
        split={isWide}
        before={{ label: `${member} of the other run`, text: textOf(before) }}
        after={{ label: `${member} of this run`, text: textOf(after) }}
      />
    </Suspense>
  );
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
