import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { type GroupRow, roundOf, type StepRow } from '../live/trace-rows.js';
import { formatDuration } from '../ui/format-values.js';
import { StatusIcon } from '../ui/status.js';
import { word } from '../data/words.js';
import { StepName } from '../live/step-name.js';
import styles from './trace.module.css';

/** Types of steps during which the run only waits. */
const WAITS = new Set(['wait', 'approval', 'in_doubt']);
const INDENT = 16;

interface LineProps {
  /** True for the only line of the tree that the Tab key focuses. */
  isEntry: boolean;
  /** Start of the bar as a share of the timeline width, 0 to 1. */
  left: number;
  /** End of the bar as a share of the timeline width, 0 to 1. */
  right: number;
  top: number | undefined;
  onFocus: (key: string) => void;
}

interface GroupLineProps extends LineProps {
  row: GroupRow;
  onToggle: (key: string) => void;
}

export function GroupLine({ row, onToggle, isEntry, left, right, top, onFocus }: GroupLineProps): ReactNode {
  const Icon = row.isOpen ? ChevronDown : ChevronRight;
  return (
    <div
      role="treeitem"
      aria-level={row.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={row.isOpen}
      aria-selected={false}
      tabIndex={isEntry ? 0 : -1}
      className={top === undefined ? styles.row : `${styles.row} ${styles.placed}`}
      style={{ top }}
      data-key={row.key}
      onFocus={() => onFocus(row.key)}
      onClick={() => onToggle(row.key)}
    >
      <span className={styles.label} style={{ paddingInlineStart: 12 + row.depth * INDENT }}>
        <Icon size={14} aria-hidden />
        <strong className={styles.stepName}>{row.label}</strong>{' '}
        <span className={styles.quiet}>
          {row.count}
          <span className="visually-hidden"> steps</span>
        </span>{' '}
        {row.failed > 0 && <span className={styles.failedCount}>{row.failed} failed</span>}
      </span>
      <span className={styles.track} aria-hidden>
        <span className={styles.groupBar} style={placeOf(left, right)} />
      </span>
    </div>
  );
}

interface StepLineProps extends LineProps {
  run: string;
  row: StepRow;
  isSelected: boolean;
}

export const StepLine = memo(function StepLine(props: StepLineProps): ReactNode {
  const { run, row, isSelected, isEntry, left, right, top, onFocus } = props;
  const { step, depth } = row;
  const time = step.duration_ms === null ? word('status', step.status) : formatDuration(step.duration_ms);
  const attempt = (step as { try?: unknown }).try;
  return (
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={isSelected}
      className={top === undefined ? styles.row : `${styles.row} ${styles.placed}`}
      style={{ top }}
      data-selected={isSelected}
    >
      <Link
        to="/runs/$id"
        params={{ id: run }}
        search={(before) => ({ ...before, step: String(step.n) })}
        resetScroll={false}
        preload={false}
        className={styles.label}
        style={{ paddingInlineStart: 12 + depth * INDENT }}
        tabIndex={isEntry ? 0 : -1}
        data-key={row.key}
        title={`${word('status', step.status)}, ${time}`}
        onFocus={() => onFocus(row.key)}
      >
        <StatusIcon value={step.status} />
        <span className={styles.stepName}>
          <StepName step={step} />
        </span>
        <span className={styles.quiet} aria-hidden>
          {roundOf(step)}
        </span>
        {typeof attempt === 'number' && attempt > 1 && (
          <span className={styles.quiet} aria-hidden>
            try {attempt}
          </span>
        )}
        <span className={styles.time} aria-hidden>
          {time}
        </span>
      </Link>
      <span className={styles.track} aria-hidden>
        <span
          className={styles.bar}
          data-status={step.status}
          data-wait={WAITS.has(step.type)}
          style={placeOf(left, right)}
        />
      </span>
    </div>
  );
}, isSameLine);

/**
 * Compares rows by their fields, because each render creates new row objects. Compares steps by reference, because a
 * changed step is a new object.
 */
function isSameLine(before: StepLineProps, after: StepLineProps): boolean {
  return (
    before.row.step === after.row.step &&
    before.row.depth === after.row.depth &&
    before.row.position === after.row.position &&
    before.row.siblings === after.row.siblings &&
    before.isSelected === after.isSelected &&
    before.isEntry === after.isEntry &&
    before.left === after.left &&
    before.right === after.right &&
    before.top === after.top
  );
}

function placeOf(left: number, right: number): { left: string; width: string } {
  return { left: `${(left * 100).toFixed(2)}%`, width: `max(3px, ${((right - left) * 100).toFixed(2)}%)` };
}
