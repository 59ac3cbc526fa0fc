import type { TraceStep } from '../data/api.js';
import { word } from '../data/words.js';

interface Place {
  key: string;
  depth: number;
  /** Position of the row among the rows with the same parent, counted from 1. */
  position: number;
  /** Number of rows with the same parent, including this row. */
  siblings: number;
}

/** A row for a loop, an iteration, a branch or a step with several attempts. The rows of the steps inside it follow. */
export interface GroupRow extends Place {
  kind: 'group';
  label: string;
  isOpen: boolean;
  /** Number of steps in the group, at all levels. */
  count: number;
  /** Number of failed steps in the group, at all levels. */
  failed: number;
  first: TraceStep;
  last: TraceStep;
}

export interface StepRow extends Place {
  kind: 'step';
  step: TraceStep;
}

export type TraceRow = StepRow | GroupRow;

interface Group {
  key: string;
  label: string;
  /** Groups directly inside this group, by name. */
  groups: Map<string, Group>;
  children: (Group | TraceStep)[];
  count: number;
  failed: number;
  first?: TraceStep;
  last?: TraceStep;
}

/**
 * Returns the rows of the trace as a tree. A step is placed inside the loops and branches that its path names. Groups
 * and steps are in the order in which they began. The rows inside a closed group are omitted.
 */
export function traceRows(steps: readonly TraceStep[], closed: ReadonlySet<string>): TraceRow[] {
  const rows: TraceRow[] = [];
  addRows(treeOf(steps), 0, closed, rows);
  return rows;
}

function treeOf(steps: readonly TraceStep[]): Group {
  const root = newGroup('', '');
  const attempts = attemptsOf(steps);
  for (const step of steps) {
    const base = basePath(step);
    const tries = attempts.get(base) ?? 0;
    // The attempts of one step form a group. The name of this group contains a space, unlike the name of a loop.
    const names = tries > 1 ? [...holdersOf(base), `${idOf(base)} tries`] : holdersOf(base);
    const groups = [root];
    let group = root;
    for (const name of names) {
      group = childOf(group, name, tries);
      groups.push(group);
    }
    group.children.push(step);
    for (const each of groups) count(each, step);
  }
  return root;
}

function count(group: Group, step: TraceStep): void {
  group.count++;
  if (step.status === 'failed') group.failed++;
  group.first ??= step;
  group.last = step;
}

function newGroup(key: string, label: string): Group {
  return { key, label, groups: new Map(), children: [], count: 0, failed: 0 };
}

function childOf(group: Group, name: string, tries: number): Group {
  const known = group.groups.get(name);
  if (known) return known;
  const isTries = name.endsWith(' tries');
  const label = isTries ? `${pathText(name.slice(0, -' tries'.length))}, ${tries} tries` : name;
  const child = newGroup(group.key === '' ? name : `${group.key}.${name}`, label);
  group.groups.set(name, child);
  group.children.push(child);
  return child;
}

/**
 * Returns the number of attempts by path. Each tool call, model call and retrieval is one attempt. The attempts of a
 * retried step have the same path.
 */
function attemptsOf(steps: readonly TraceStep[]): ReadonlyMap<string, number> {
  const attempts = new Map<string, number>();
  for (const { type, path } of steps) {
    if (path === undefined || (type !== 'tool_call' && type !== 'model_call' && type !== 'retrieval')) continue;
    attempts.set(path, (attempts.get(path) ?? 0) + 1);
  }
  return attempts;
}

function addRows(group: Group, depth: number, closed: ReadonlySet<string>, rows: TraceRow[]): void {
  const children = group.children.flatMap((child) => (isGroup(child) && isShort(child) ? child.children : [child]));
  children.forEach((child, index) => {
    const place = { depth, position: index + 1, siblings: children.length };
    if (!isGroup(child)) {
      rows.push({ kind: 'step', key: child.id, ...place, step: child });
      return;
    }
    const { key, label, count: size, failed, first, last } = child;
    const isOpen = !closed.has(key);
    // Never true, because each group has at least one step. The check narrows the types of `first` and `last`.
    if (first === undefined || last === undefined) return;
    rows.push({ kind: 'group', key, ...place, label, isOpen, count: size, failed, first, last });
    if (isOpen) addRows(child, depth + 1, closed, rows);
  });
}

function isGroup(child: Group | TraceStep): child is Group {
  return 'children' in child;
}

/** Returns whether the group is an iteration that contains only one step. Such an iteration has no row of its own. */
function isShort({ label, count: size }: Group): boolean {
  return label.startsWith('[') && size === 1;
}

/** Returns the path without the part after `#`, which identifies an approval or a retry of the step. */
function basePath({ path }: TraceStep): string {
  return (path ?? '').split('#')[0] ?? '';
}

const OF_MODEL = /(^|\.)(turn|call)\[(\d+)\]/;
const TURN = /^turn\[(\d+)\]$/;

/**
 * Returns the names of the groups that contain a step, outermost first: `shelves` and `[2]` for `shelves[2].read`. The
 * call of a model and the calls that it requested are in one group.
 */
function holdersOf(path: string): string[] {
  const segments = path.split('.');
  const holders = TURN.test(segments.at(-1) ?? '') ? segments : segments.slice(0, -1);
  return holders.flatMap((segment) => {
    const turn = TURN.exec(segment);
    if (turn) return [`Turn ${turn[1]}`];
    const [, name = '', rounds = ''] = /^([^[]*)(.*)$/.exec(segment) ?? [];
    return rounds === '' ? [name] : [name, rounds];
  });
}

/** Returns whether the group with this key contains the step, at any level. */
export function isInGroup(step: TraceStep, key: string): boolean {
  const base = basePath(step);
  const names = [...holdersOf(base), `${idOf(base)} tries`].join('.');
  return names === key || names.startsWith(`${key}.`);
}

function idOf(path: string): string {
  return path.split('.').at(-1) ?? '';
}

/** Returns the iteration of a step in a loop, for example `[2]` for the third iteration. */
export function roundOf(step: TraceStep): string | undefined {
  return holdersOf(basePath(step)).findLast((holder) => holder.startsWith('['));
}

/** Returns `triage, turn 1, call 2` for the path `triage.turn[1].call[2]`. Returns the path of other steps unchanged. */
export function pathText(path: string): string {
  const [base = '', ...part] = path.split('#');
  if (!OF_MODEL.test(base)) return path;
  const words = base.split('.').map((segment) => segment.replace(OF_MODEL, '$1$2 $3'));
  return [words.join(', '), ...part].join('#');
}

/** Returns the id of the step in the definition, also for a step in a loop and for a further attempt. */
export function stepId(step: TraceStep): string {
  return idOf(basePath(step)).replace(/\[.*$/, '');
}

/** Returns the tool or type of a step, and its id. The id is empty if the step has none, or if it repeats the type. */
export function stepNameParts(step: TraceStep & { tool?: unknown }): { what: string; id: string } {
  const what = step.type !== 'retry' && typeof step.tool === 'string' ? step.tool : word('step', step.type);
  const id = pathText(idOf(basePath(step)));
  return { what, id: id === what || id === step.type ? '' : id };
}

/** Returns the display name of a step: its tool or type, then its id. */
export function stepName(step: TraceStep): string {
  const { what, id } = stepNameParts(step);
  return id === '' ? what : `${what} ${id}`;
}

/** Returns whether the step failed, was denied or has an unknown outcome. */
export function isFaulty({ type, status }: TraceStep): boolean {
  return status === 'failed' || status === 'denied' || status === 'in_doubt' || type === 'error' || type === 'in_doubt';
}

/**
 * Returns the step that made the run fail: the last failed step with the id `id`, or the last failed step of the run if
 * no failed step has this id.
 */
export function failureStep(steps: readonly TraceStep[], id: string | null): TraceStep | undefined {
  const failed = steps.filter((step) => step.status === 'failed' && step.type !== 'error');
  return failed.findLast((step) => idOf(basePath(step)) === id) ?? failed.at(-1);
}
