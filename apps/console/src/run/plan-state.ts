import type { aas, TraceStep } from '../data/api.js';
import type { PlanGroup, PlanNode } from '../plan/definition-plan.js';

export type RunPlan = Awaited<ReturnType<typeof aas.runs.plan>>;
type Decided = RunPlan['steps'][number];
export type Decision = Decided['conditions'][number];

/** What happened to a step, branch or loop of the plan in one run. */
export interface PlanState {
  /** The status of the most serious of its steps in the trace. `skipped` and `none` have no step. */
  status: string;
  /** How often the step was carried out, or how many rounds a loop and how many turns a model had. */
  count: number;
  /** Position of the trace step that a click on the node selects. It can be in another round. */
  n: number | undefined;
  /** What the conditions of the step or branch evaluated to. */
  decisions: readonly Decision[];
  /** Rounds of a loop that have a step in the trace. The nodes inside of the loop have the states of `shown`. */
  rounds?: { shown: number; all: ReadonlyMap<number, Round> };
}

/** The first of the most serious steps of a round. */
export interface Round {
  status: string;
  n: number;
}

export type PlanStates = ReadonlyMap<PlanNode, PlanState>;

export const NOT_REACHED: PlanState = { status: 'none', count: 0, n: undefined, decisions: [] };

/** The first of these statuses that a step of the node has is the status of the node. */
const SEVERITY = [
  ...['failed', 'in_doubt', 'running', 'awaiting_approval', 'waiting', 'open', 'pending', 'denied', 'rejected'],
  ...['expired', 'cancelled', 'succeeded', 'approved', 'answered', 'simulated', 'skipped', 'none'],
];
const IN_PROGRESS = new Set(['running', 'awaiting_approval', 'waiting', 'open', 'pending']);
/** Types that are about another step with the same path, which says more. */
const ABOUT_OTHERS = new Set(['approval', 'in_doubt', 'retry', 'error']);
/** Maximum number of rounds that a list offers on each side of the shown round, and of other rounds that did not succeed. */
const MAX_LISTED_ROUNDS = 100;

interface Place extends Round {
  isAboutOther: boolean;
  turn: number;
}

/** The trace by the keys of the nodes: the id of a step, and the operation of a model-driven agent. */
export interface TracedNodes {
  places: ReadonlyMap<string, ReadonlyMap<string, Place>>;
  /** The rounds of the loops by their paths, for example `lines` or `orders[1].lines`. */
  loops: ReadonlyMap<string, ReadonlyMap<number, Round>>;
}

interface Traced extends TracedNodes {
  /** Also has the steps that leave no step in the trace, for example `let`. */
  decided: ReadonlyMap<string, Decided>;
  /** Path of the selected step. The plan shows the rounds in which it is. */
  selected: string;
  states: Map<PlanNode, PlanState>;
}

/**
 * Returns the states of all nodes of the plan. A loop shows the round of the selected step, or else its most serious
 * round: one that failed or is in progress, or the last one.
 */
export function planStates(
  groups: readonly PlanGroup[],
  nodes: TracedNodes,
  { plan, selected = '' }: { plan?: RunPlan; selected?: string } = {},
): PlanStates {
  const decided = new Map(plan?.steps.map((step) => [step.step, step]));
  const traced = { ...nodes, decided, selected, states: new Map<PlanNode, PlanState>() };
  for (const group of groups) for (const node of group.nodes) addState(node, traced, '');
  return traced.states;
}

/** `at` is the path of the round that the node is in, for example `lines[2].`. It is empty outside of loops. */
function addState(node: PlanNode, traced: Traced, at: string): PlanState {
  const { kind, name, children } = node;
  const loop = traced.loops.get(at + name);
  const rounds = loop && { shown: shownRound(at + name, loop, traced.selected), all: loop };
  const inside = rounds ? `${at}${name}[${rounds.shown}].` : at;
  const inner = children.map((child) => addState(child, traced, child.kind === 'branch' ? at : inside));
  const own = ownState(node, traced, at);
  const state = kind === 'agent' ? own : { ...blockState(own, inner, loop), ...(rounds && { rounds }) };
  traced.states.set(node, state);
  if (kind === 'switch') addBranchDecisions(node, traced);
  return state;
}

function shownRound(path: string, rounds: ReadonlyMap<number, Round>, selected: string): number {
  const [, round] = selected.startsWith(`${path}[`) ? (/^\[(\d+)\]\./.exec(selected.slice(path.length)) ?? []) : [];
  if (round !== undefined && rounds.has(Number(round))) return Number(round);
  return [...rounds].reduce((a, b) => (severity(b[1]) <= severity(a[1]) ? b : a))[0];
}

function addBranchDecisions({ name, children }: PlanNode, { decided, states }: Traced): void {
  const conditions = decided.get(name)?.conditions ?? [];
  for (const [index, child] of children.entries()) {
    const decisions = conditions.filter(({ branch }) => branch === index);
    states.set(child, { ...(states.get(child) ?? NOT_REACHED), decisions });
  }
}

function blockState(
  own: PlanState,
  inner: readonly PlanState[],
  loop: ReadonlyMap<number, Round> = new Map(),
): PlanState {
  const all = [...inner, ...loop.values()];
  const { status } = all.reduce<Seen>(worse, own);
  const count = inner.length > 0 ? ([...loop.keys()].at(-1) ?? -1) + 1 : own.count;
  const { n } = all.reduce<Seen>((a, b) => (a.n === undefined ? b : b.n === undefined ? a : worse(a, b)), own);
  return { ...own, status, count, n: own.n ?? n };
}

type Seen = Pick<PlanState, 'status' | 'n'>;

function worse(a: Seen, b: Seen): Seen {
  return severity(b) < severity(a) ? b : a;
}

function severity({ status }: Seen): number {
  const at = SEVERITY.indexOf(status);
  return at < 0 ? SEVERITY.indexOf('cancelled') : at;
}

function ownState({ kind, name, children }: PlanNode, { places, decided }: Traced, at: string): PlanState {
  // The turns of a model that drives the whole agent belong to no step.
  const key = kind === 'agent' && children.length > 0 ? '' : name;
  const all = kind === 'branch' ? [] : [...(places.get(key) ?? [])];
  const found = all.filter(([path]) => path.startsWith(at)).map(([, place]) => place);
  const known = kind === 'branch' ? undefined : decided.get(name);
  const decisions = known?.conditions.filter(({ key }) => key !== 'when') ?? [];
  if (found.length === 0) {
    // The counts are about all rounds. A step that has places in other rounds was not carried out in this one.
    const counts = all.length > 0 && known ? { ...known, done: 0, failed: 0 } : known;
    return { ...untraced(counts), n: all.at(-1)?.[1].n, decisions };
  }
  const { status, n } = found.reduce((a, b) => (severity(b) <= severity(a) ? b : a));
  const turns = found.reduce((most, { turn }) => Math.max(most, turn), 0);
  return { status, n, count: kind === 'agent' ? turns : found.length, decisions };
}

function untraced(known: Decided | undefined): { status: string; count: number } {
  const { done = 0, failed = 0, skipped = 0 } = known ?? {};
  if (failed > 0) return { status: 'failed', count: done + failed };
  if (done > 0) return { status: 'succeeded', count: done };
  return { status: skipped > 0 ? 'skipped' : 'none', count: 0 };
}

/**
 * Returns the rounds that a list offers, with their statuses: of a long loop, the rounds near the shown one and the
 * first rounds that did not succeed.
 */
export function listedRounds(all: ReadonlyMap<number, Round>, shown: number): readonly [number, string][] {
  const rounds = [...all].map(([round, { status }]): [number, string] => [round, status]);
  const at = rounds.findIndex(([round]) => round === shown);
  const isNear = (index: number): boolean => Math.abs(index - at) <= MAX_LISTED_ROUNDS;
  const others = rounds
    .filter(([, status], index) => status !== 'succeeded' && !isNear(index))
    .slice(0, MAX_LISTED_ROUNDS);
  return rounds.filter((round, index) => isNear(index) || others.includes(round));
}

/** Returns the node to which a step of the trace belongs. */
export function nodeOfStep(nodes: readonly PlanNode[], step: TraceStep | undefined): PlanNode | undefined {
  const [path = ''] = (step?.path ?? '').split('#');
  if (step === undefined || path === '') return undefined;
  const { id } = ownerOf(path);
  if (id !== '') return nodes.find(({ kind, name }) => kind !== 'branch' && name === id);
  const called = calledBy(step);
  return (
    nodes.find(({ name }) => called.includes(name)) ??
    nodes.find(({ kind, children }) => kind === 'agent' && children.length > 0)
  );
}

/** The operation that a step called, or the knowledge bases that it searched. */
function calledBy(step: TraceStep): readonly string[] {
  if ('knowledge_bases' in step) return step.knowledge_bases ?? [];
  return 'tool' in step && typeof step.tool === 'string' ? [step.tool] : [];
}

/** Looks at each step of the trace once. */
export function traceByNode(steps: readonly TraceStep[]): TracedNodes {
  const places = new Map<string, Map<string, Place>>();
  const put = (key: string, path: string, place: Place): void => {
    const known = places.get(key);
    if (known === undefined) places.set(key, new Map([[path, place]]));
    else if (!place.isAboutOther || known.get(path)?.isAboutOther !== false) known.set(path, place);
  };
  for (const step of steps) {
    const [path = ''] = (step.path ?? '').split('#');
    if (path === '') continue;
    const { id, turn } = ownerOf(path);
    const place = { status: step.status, n: step.n, isAboutOther: ABOUT_OTHERS.has(step.type), turn };
    // A model can go on after a call that was denied or that failed.
    if (turn === 0 || step.type === 'model_call' || IN_PROGRESS.has(step.status)) put(id, path, place);
    if (id === '') for (const key of calledBy(step)) put(key, path, place);
  }
  return { places, loops: loopsOf(places) };
}

function loopsOf(places: TracedNodes['places']): TracedNodes['loops'] {
  const loops = new Map<string, Map<number, Round>>();
  for (const paths of places.values()) for (const [path, place] of paths) addRounds(path, place, loops);
  for (const [path, rounds] of loops) loops.set(path, new Map([...rounds].sort(([a], [b]) => a - b)));
  return loops;
}

function addRounds(path: string, { status, n }: Place, loops: Map<string, Map<number, Round>>): void {
  for (const { index, 1: name = '', 2: digits } of path.matchAll(/([^.[\]]+)\[(\d+)\]\./g)) {
    if (name === 'turn') continue;
    const loop = path.slice(0, index) + name;
    const [rounds, round] = [loops.get(loop) ?? new Map<number, Round>(), Number(digits)];
    const known = rounds.get(round);
    const isFirst = known === undefined || severity({ status, n }) < severity(known);
    if (isFirst || (known.status === status && n < known.n)) rounds.set(round, { status, n });
    loops.set(loop, rounds);
  }
}

/**
 * Returns the id of the step to which a path belongs: `triage` for `lines[2].triage.turn[1].call[1]`. It is empty for
 * the turns, calls and searches of a model that drives the whole agent.
 */
function ownerOf(path: string): { id: string; turn: number } {
  const [place = '', turn] = path.split(/(?:^|\.)(?:turn|knowledge(?=\[\d+\]$))\[(\d+)\]/);
  return { id: place.slice(place.lastIndexOf('.') + 1).replace(/\[\d+\]$/, ''), turn: Number(turn ?? 0) };
}
