import type { TraceStep } from '../data/api.js';

interface Place {
  key: string;
  depth: number;
  /** Position among the rows with the same parent, from 1, and the number of these rows. */
  position: number;
  siblings: number;
}

/** A loop, an iteration, a branch or a step with several attempts. The rows of its steps follow this row. */
export interface GroupRow extends Place {
  kind: 'group';
  label: string;
  isOpen: boolean;
  /** Number of steps at all levels below. */
  count: number;
  /** Number of failed steps at all levels below. */
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
  /** Groups inside this group, by name. */
  groups: Map<string, Group>;
  children: (Group | TraceStep)[];
  count: number;
  failed: number;
  first?: TraceStep;
  last?: TraceStep;
}

/**
 * Returns the rows of the tree. Each step is below the loops and branches of its path. Groups and steps are in the
 * order in which they began. Steps of a closed group are omitted.
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
    // The attempts of one step form a group. The space in its name prevents a collision with the name of a loop.
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
  const label = isTries ? `${name.slice(0, -' tries'.length)}, ${tries} tries` : name;
  const child = newGroup(group.key === '' ? name : `${group.key}.${name}`, label);
  group.groups.set(name, child);
  group.children.push(child);
  return child;
}

/** Number of calls of each path. A retry calls the same path again. */
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
    // Does not occur, because a group is only created together with its first step.
    if (first === undefined || last === undefined) return;
    rows.push({ kind: 'group', key, ...place, label, isOpen, count: size, failed, first, last });
    if (isOpen) addRows(child, depth + 1, closed, rows);
  });
}

function isGroup(child: Group | TraceStep): child is Group {
  return 'children' in child;
}

/** An iteration with a single step has no row of its own. */
function isShort({ label, count: size }: Group): boolean {
  return label.startsWith('[') && size === 1;
}

/** The path without the part after `#`, which names an approval or a retry of the step. */
function basePath({ path }: TraceStep): string {
  return (path ?? '').split('#')[0] ?? '';
}

/** The groups that contain a step: `shelves[2].read` is in `shelves`, and inside it in `[2]`. */
function holdersOf(path: string): string[] {
  return path
    .split('.')
    .slice(0, -1)
    .flatMap((segment) => {
      const [, name = '', rounds = ''] = /^([^[]*)(.*)$/.exec(segment) ?? [];
      return rounds === '' ? [name] : [name, rounds];
    });
}

function idOf(path: string): string {
  return path.split('.').at(-1) ?? '';
}

/** Returns `[2]` for a step in the third iteration of a loop. */
export function roundOf(step: TraceStep): string | undefined {
  return holdersOf(basePath(step)).findLast((holder) => holder.startsWith('['));
}

/** Display name of a step: the tool or the type, then the id. */
export function stepName(step: TraceStep & { tool?: unknown }): string {
  const what = step.type !== 'retry' && typeof step.tool === 'string' ? step.tool : step.type;
  const id = idOf(basePath(step));
  return id === '' ? what : `${what} ${id}`;
}

/** Whether the step failed or its outcome is unknown. */
export function isFaulty({ type, status }: TraceStep): boolean {
  return status === 'failed' || status === 'denied' || status === 'in_doubt' || type === 'error' || type === 'in_doubt';
}

/** The step that made the run fail: the last failed step with this id, or the last failed step if none has it. */
export function failureStep(steps: readonly TraceStep[], id: string | null): TraceStep | undefined {
  const failed = steps.filter((step) => step.status === 'failed' && step.type !== 'error');
  return failed.findLast((step) => idOf(basePath(step)) === id) ?? failed.at(-1);
}
