import { Link, useNavigate } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { Run, TraceStep } from '../data/api.js';
import type { PlanGroup, PlanNode } from '../plan/definition-plan.js';
import { PlanIcon } from '../plan/plan-icon.js';
import { StatusIcon } from '../ui/status.js';
import { word } from '../data/words.js';
import {
  type Decision,
  listedRounds,
  nodeOfStep,
  NOT_REACHED,
  type PlanState,
  planStates,
  traceByNode,
} from './plan-state.js';
import styles from './run-plan.module.css';
import { useDecisions, useRunPlan } from './use-run-plan.js';

export interface RunPlanProps {
  run: Run;
  steps: readonly TraceStep[];
  /** Position of the selected step, or 0 if no step is selected. */
  selected: number;
}

const wide = matchMedia('(min-width: 1200px)');

/** The plan of the version that the run executes. What the run has carried out is in colour. */
export function RunPlan(props: RunPlanProps): ReactNode {
  const [isOpen, setOpen] = useState(wide.matches);
  const groups = useRunPlan(props.run);
  if (groups?.length === 0) return null;
  return (
    <details className={styles.plan} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Plan</summary>
      {isOpen && groups && <Picture {...props} groups={groups} />}
    </details>
  );
}

interface Drawing {
  /** Id of the run. */
  run: string;
  stateOf: (node: PlanNode) => PlanState;
  /** The node of the selected step. */
  chosen: PlanNode | undefined;
  /** The only node that the Tab key focuses. */
  entry: PlanNode | undefined;
}

function Picture(props: RunPlanProps & { groups: readonly PlanGroup[] }): ReactNode {
  const { run, steps, selected, groups } = props;
  const decided = useDecisions(run, steps.length);
  const traced = useMemo(() => traceByNode(steps), [steps]);
  const all = useMemo(() => groups.flatMap(({ nodes }) => withInner(nodes)), [groups]);
  const step = steps.find(({ n }) => n === selected);
  const path = step?.path ?? '';
  const states = useMemo(
    () => planStates(groups, traced, { plan: decided, selected: path }),
    [groups, traced, decided, path],
  );
  const chosen = useMemo(() => nodeOfStep(all, step), [all, step]);
  const scroller = useRef<HTMLDivElement>(null);
  useShown(scroller, chosen);
  const stateOf = (node: PlanNode): PlanState => states.get(node) ?? NOT_REACHED;
  const entry = chosen ?? all.find((node) => stateOf(node).n !== undefined);
  return (
    <div ref={scroller} className={styles.scroller} onKeyDown={onKeyDown}>
      {decided?.redacted === true && <p className={styles.remark}>The definition redacts values, so none are shown.</p>}
      {decided?.complete === false && <p className={styles.remark}>The run is too large to show all its decisions.</p>}
      {groups.map(({ title, nodes }) => (
        <section key={title}>
          {groups.length > 1 && <h2>{title}</h2>}
          <Nodes label={title} nodes={nodes} drawing={{ run: run.id, stateOf, chosen, entry }} />
        </section>
      ))}
    </div>
  );
}

function withInner(nodes: readonly PlanNode[]): PlanNode[] {
  return nodes.flatMap((node) => [node, ...withInner(node.children)]);
}

function Nodes({ label, nodes, drawing }: { label: string; nodes: readonly PlanNode[]; drawing: Drawing }): ReactNode {
  return (
    <ol aria-label={label} className={styles.nodes}>
      {nodes.map((node, at) => (
        <Node key={`${at} ${node.name}`} node={node} drawing={drawing} />
      ))}
    </ol>
  );
}

function Node({ node, drawing }: { node: PlanNode; drawing: Drawing }): ReactNode {
  const { kind, name, children } = node;
  const state = drawing.stateOf(node);
  return (
    <li className={styles.node} data-kind={kind} data-status={state.status}>
      <Box node={node} state={state} drawing={drawing} />
      {state.rounds && state.rounds.all.size > 1 && <Rounds name={name} rounds={state.rounds} drawing={drawing} />}
      {children.length > 0 && (
        <Nodes label={`Inside of ${name === '' ? kind : name}`} nodes={children} drawing={drawing} />
      )}
    </li>
  );
}

interface RoundsProps {
  name: string;
  rounds: NonNullable<PlanState['rounds']>;
  drawing: Drawing;
}

/** Chooses the round of a loop that the plan shows. It is the round of the selected step. */
function Rounds({ name, rounds: { shown, all }, drawing: { run, chosen } }: RoundsProps): ReactNode {
  const navigate = useNavigate();
  const show = (round: number | undefined): void => {
    const target = round === undefined ? undefined : all.get(round);
    if (target === undefined) return;
    void navigate({
      to: '/runs/$id',
      params: { id: run },
      search: (before) => ({ ...before, step: String(target.n) }),
      replace: chosen !== undefined,
      resetScroll: false,
    });
  };
  const numbers = [...all.keys()];
  const at = numbers.indexOf(shown);
  const move = (label: string, round: number | undefined, icon: ReactNode): ReactNode => (
    <button
      type="button"
      aria-label={`${label} of ${name}`}
      aria-disabled={round === undefined}
      onClick={() => show(round)}
    >
      {icon}
    </button>
  );
  return (
    <div className={styles.rounds} role="group" aria-label={`Rounds of ${name}`}>
      {move('Previous round', numbers[at - 1], <ChevronLeft size={16} aria-hidden />)}
      <select aria-label={`Round of ${name}`} value={shown} onChange={({ target }) => show(Number(target.value))}>
        {listedRounds(all, shown).map(([round, status]) => (
          <option key={round} value={round}>
            {`[${round}] ${word('status', status)}`}
          </option>
        ))}
      </select>
      {move('Next round', numbers[at + 1], <ChevronRight size={16} aria-hidden />)}
    </div>
  );
}

/** Is a link if the run has a step for it. */
function Box({ node, state, drawing }: { node: PlanNode; state: PlanState; drawing: Drawing }): ReactNode {
  const { kind, name } = node;
  const { n, status, decisions } = state;
  const { run, chosen, entry } = drawing;
  const content = (
    <>
      <PlanIcon kind={kind} />
      <span className={styles.name}>{name === '' ? kind : name}</span> <Count node={node} state={state} />
      {n !== undefined && <StatusIcon value={status} />}
      <span className="visually-hidden">{`, ${kind}, ${stateText(state)}${node === chosen ? ', selected' : ''}`}</span>{' '}
      <Detail node={node} />
      {decisions.map((decision) => (
        <Verdict key={decision.key} decision={decision} />
      ))}
    </>
  );
  if (n === undefined)
    return (
      <div className={styles.box} data-node={name}>
        {content}
      </div>
    );
  return (
    <Link
      to="/runs/$id"
      params={{ id: run }}
      search={(before) => ({ ...before, step: String(n) })}
      replace={chosen !== undefined}
      resetScroll={false}
      preload={false}
      className={styles.box}
      data-node={name}
      data-chosen={node === chosen}
      tabIndex={node === entry ? 0 : -1}
    >
      {content}
    </Link>
  );
}

function stateText({ status }: PlanState): string {
  return status === 'none' ? 'not reached' : word('status', status);
}

const BLOCKS = new Set(['switch', 'for_each', 'repeat', 'parallel', 'branch']);

function Detail({ node: { kind, name, detail, notes } }: { node: PlanNode }): ReactNode {
  return (
    <>
      {kind !== 'branch' && name !== '' && (
        <span className={styles.detail}>
          {BLOCKS.has(kind) || detail === '' ? kind : ''} {detail !== '' && <code>{detail}</code>}
        </span>
      )}
      {conditionsIn(notes).map((note) => (
        <span key={note} className={styles.detail}>
          {note}
        </span>
      ))}
    </>
  );
}

function Verdict({ decision }: { decision: Decision }): ReactNode {
  return (
    <span className={styles.verdict} data-holds={decision.holds}>
      <strong>{verdictOf(decision)}</strong>
      {valuesOf(decision).map((value) => (
        <code key={value}>{value}</code>
      ))}
    </span>
  );
}

const LOOP_KEYS = new Set(['while', 'until']);

function verdictOf({ key, holds, true_count: yes, false_count: no }: Decision): string {
  const name = LOOP_KEYS.has(key) ? `${key} ` : '';
  if (yes === 0 || no === 0) return `${name}${holds}${yes + no > 1 ? ` ${yes + no}×` : ''}`;
  return `${name}true ${yes}×, false ${no}×, last ${holds}`;
}

const MAX_VALUE = 120;

function valuesOf({ values }: Decision): string[] {
  return Object.entries(values).map(([path, value]) => {
    const text = JSON.stringify(value);
    return `${path} = ${text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text}`;
  });
}

/** What retries and policies may do says nothing about this run. */
function conditionsIn(notes: readonly string[]): readonly string[] {
  return notes.filter((note) => note.startsWith('if '));
}

function Count({ node, state: { count } }: { node: PlanNode; state: PlanState }): ReactNode {
  const text = countOf(node, count);
  return text !== '' && <span className={styles.count}>{text}</span>;
}

function countOf({ kind, children }: PlanNode, count: number): string {
  if (kind === 'agent') return count === 0 ? '' : `${count} ${count === 1 ? 'turn' : 'turns'}`;
  if (children.length > 0) return count === 0 ? '' : `${count} ${count === 1 ? 'round' : 'rounds'}`;
  return count > 1 ? `${count} times` : '';
}

/** The arrow keys move the focus through the links. */
function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a[data-node]')];
  const at = links.findIndex((link) => link === document.activeElement);
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: links.length - 1,
  };
  const to = moves[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  links[to]?.focus();
}

/** Scrolls only inside of the picture, so that the page stays where the person reads. */
function useShown(scroller: RefObject<HTMLElement | null>, chosen: PlanNode | undefined): void {
  useEffect(() => {
    const frame = scroller.current;
    const box = frame?.querySelector('[data-chosen="true"]');
    if (!frame || !box) return;
    const [outer, inner] = [frame.getBoundingClientRect(), box.getBoundingClientRect()];
    if (inner.top < outer.top) frame.scrollTop -= outer.top - inner.top + MARGIN;
    if (inner.bottom > outer.bottom) frame.scrollTop += inner.bottom - outer.bottom + MARGIN;
  }, [scroller, chosen]);
}

const MARGIN = 24;
