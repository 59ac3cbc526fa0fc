import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { Fragment, type ReactNode, useState } from 'react';
import { stepName } from '../live/trace-rows.js';
import { formatDuration } from '../ui/format-values.js';
import { StatusIcon } from '../ui/status.js';
import { Word } from '../ui/word.js';
import styles from './comparison.module.css';
import { lineDifference, type MarkedLine } from './line-difference.js';
import type { AnyStep } from './step-facts.js';
import { type ComparedStep, isDifferent } from './trace-comparison.js';

export interface ComparedLineProps {
  row: ComparedStep;
  run: string;
  /** Id of the run on the left. */
  other: string;
}

/** Shows a pair of compared steps, with a button that shows the values that differ. */
export function ComparedLine({ row, run, other }: ComparedLineProps): ReactNode {
  const { before, after, changed } = row;
  const [isOpen, setOpen] = useState(false);
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
              <Values key={member} member={member} before={before?.[member]} after={after?.[member]} />
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

/** Shows two values side by side and marks the lines that differ. */
export function Values({ member, before, after }: ValuesProps): ReactNode {
  const marked = lineDifference(textOf(before), textOf(after));
  return (
    <div className={styles.pair}>
      <Lines label={`${member} of the other run`} lines={marked.before} sign="−" />
      <Lines label={`${member} of this run`} lines={marked.after} sign="+" />
    </div>
  );
}

function Lines({ label, lines, sign }: { label: string; lines: readonly MarkedLine[]; sign: string }): ReactNode {
  return (
    <pre className={styles.value} tabIndex={0} role="region" aria-label={label} dir="auto">
      {lines.map(({ text, isChanged }, index) => (
        <span key={index} className={isChanged ? styles.changedLine : undefined} data-sign={sign}>
          {isChanged ? sign : ' '} {text}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
