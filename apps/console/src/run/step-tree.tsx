import { type ReactNode, useMemo, useState } from 'react';
import type { Run, TraceStep } from '../data/api.js';
import { isFaulty, isInGroup, stepName, traceRows } from '../live/trace-rows.js';
import type { TraceStore } from '../live/trace-store.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';
import { formatCount } from '../ui/format-values.js';
import { useNow } from '../ui/time.js';
import { GroupLine, StepLine } from './step-lines.js';
import { endOf, startOf, timeScale } from './time-scale.js';
import { TimelineAxis, TimelineGaps } from './timeline-axis.js';
import styles from './trace.module.css';
import { useTreeFocus } from './use-tree-focus.js';
import { useVisibleRows } from './use-visible-rows.js';

export interface StepTreeProps {
  run: Run;
  store: TraceStore;
  steps: readonly TraceStep[];
  /** Number of the selected step, or 0 if no step is selected. */
  selected: number;
  /** True to show only steps that failed, were denied, or have an unknown outcome. */
  errorsOnly: boolean;
  /** If not empty, only steps whose name or path contains this text are shown. */
  find: string;
  onSelect: (n: number) => void;
  onErrorsOnly: (errorsOnly: boolean) => void;
  onFind: (text: string) => void;
}

/** Shows the steps as a tree. The bar in each line shows when the step ran. */
export function StepTree(props: StepTreeProps): ReactNode {
  const { run, store, steps, selected, errorsOnly, onSelect } = props;
  // The search field has its own state, because the page URL is updated only when the person has stopped typing.
  const [find, setFind] = useState(props.find);
  const onFind = (text: string): void => {
    setFind(text);
    props.onFind(text);
  };
  const [closed, setClosed] = useClosedGroups(steps, selected);
  const now = useClock(run);
  const faulty = useMemo(() => steps.filter(isFaulty), [steps]);
  const shown = useMemo(() => matching(errorsOnly ? faulty : steps, find), [errorsOnly, faulty, steps, find]);
  const rows = useMemo(() => traceRows(shown, closed), [shown, closed]);
  const scale = useMemo(() => timeScale(steps, now, run.approvals), [steps, now, run.approvals]);
  const toggle = (key: string): void => setClosed((before) => toggled(before, key));
  const list = useVisibleRows(rows, shown.length);
  const focus = useTreeFocus({ rows, selected, onSelect, toggle, show: list.show });
  return (
    <section className={styles.tree} aria-label="Steps">
      <Toolbar
        {...props}
        find={find}
        onFind={onFind}
        count={steps.length}
        faulty={faulty.length}
        shown={shown.length}
      />
      <TimelineAxis scale={scale} />
      <div ref={list.scroller} className={styles.scroller}>
        <div
          ref={focus.tree}
          role="tree"
          aria-label="Trace"
          className={styles.rows}
          style={{ height: list.height }}
          onKeyDown={focus.onKeyDown}
        >
          <TimelineGaps scale={scale} />
          {list.visible.map(({ row, top }) => {
            const isEntry = row.key === focus.entry;
            const span = row.kind === 'group' ? [row.first, row.last] : [row.step, row.step];
            const [left, right] = [startOf(span[0] as TraceStep), endOf(span[1] as TraceStep, now)].map(scale.position);
            const shared = { isEntry, left: left ?? 0, right: right ?? 0, top, onFocus: focus.remember };
            return row.kind === 'group' ? (
              <GroupLine key={row.key} row={row} onToggle={toggle} {...shared} />
            ) : (
              <StepLine key={row.key} run={run.id} row={row} isSelected={row.step.n === selected} {...shared} />
            );
          })}
        </div>
        {rows.length === 0 && <p className={styles.none}>{emptyText(store, errorsOnly, find)}</p>}
      </div>
    </section>
  );
}

interface ToolbarProps extends StepTreeProps {
  count: number;
  faulty: number;
  shown: number;
}

function Toolbar(props: ToolbarProps): ReactNode {
  const { store, count, faulty, shown, errorsOnly, find, onErrorsOnly, onFind } = props;
  return (
    <div className={styles.toolbar}>
      <span className={styles.quiet}>
        {formatCount(count)} {count === 1 ? 'step' : 'steps'}
        {!store.isRead && ', reading …'} <span role="status">{shown < count && `${formatCount(shown)} shown`}</span>
      </span>
      <span className={styles.tools}>
        <TextField compact label="Find step" placeholder="Find step" value={find} onChange={onFind} />
        {(faulty > 0 || errorsOnly) && (
          <Button look="quiet" aria-pressed={errorsOnly} onClick={() => onErrorsOnly(!errorsOnly)}>
            Errors only ({formatCount(faulty)})
          </Button>
        )}
      </span>
    </div>
  );
}

function matching(steps: readonly TraceStep[], find: string): readonly TraceStep[] {
  const sought = find.trim().toLowerCase();
  if (sought === '') return steps;
  return steps.filter((step) => `${stepName(step)} ${step.path ?? ''}`.toLowerCase().includes(sought));
}

function emptyText({ isRead, isEnded }: TraceStore, errorsOnly: boolean, find: string): string {
  if (!isRead) return 'Reading the steps …';
  if (find !== '') return 'No results';
  if (errorsOnly) return 'No step has failed.';
  return isEnded ? 'No step was recorded.' : 'No step yet.';
}

/** Returns the current time, or the end time of the run if it has ended. */
function useClock({ ended_at: endedAt }: Run): number {
  const now = useNow();
  return endedAt === null ? now : Date.parse(endedAt);
}

/** The keys of the closed groups. A step that becomes the selected one opens the groups that contain it. */
function useClosedGroups(steps: readonly TraceStep[], selected: number) {
  const state = useState<ReadonlySet<string>>(new Set());
  const [closed, setClosed] = state;
  const [last, setLast] = useState(selected);
  if (last === selected) return state;
  setLast(selected);
  const step = closed.size > 0 ? steps.find(({ n }) => n === selected) : undefined;
  if (step) setClosed(new Set([...closed].filter((key) => !isInGroup(step, key))));
  return state;
}

function toggled(before: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(key)) after.add(key);
  return after;
}
