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
  /** Position of the trace step that a click on the node selects. */
  n: number | undefined;
  /** What the conditions of the step or branch evaluated to. */
  decisions: readonly Decision[];
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

interface Place {
  status: string;
  n: number;
  isAboutOther: boolean;
}

/**
 * The trace by the keys of the nodes: the id of a step, and the operation of a model-driven agent. `decided` has the
 * steps that leave no step in the trace too, for example `let`.
 */
interface Traced {
  decided: ReadonlyMap<string, Decided>;
  places: ReadonlyMap<string, ReadonlyMap<string, Place>>;
  rounds: ReadonlyMap<string, number>;
}

/** Returns the states of all nodes of the plan. Looks at each step of the trace once. */
export function planStates(groups: readonly PlanGroup[], steps: readonly TraceStep[], plan?: RunPlan): PlanStates {
  const decided = new Map(plan?.steps.map((step) => [step.step, step]));
  const traced = { ...traceByNode(steps), decided };
  const states = new Map<PlanNode, PlanState>();
  for (const { nodes } of groups) for (const node of nodes) addState(node, traced, states);
  return states;
}

function addState(node: PlanNode, traced: Traced, states: Map<PlanNode, PlanState>): PlanState {
  const inner = node.children.map((child) => addState(child, traced, states));
  const state = node.kind === 'agent' ? ownState(node, traced) : blockState(node, inner, traced);
  states.set(node, state);
  if (node.kind === 'switch') addBranchDecisions(node, traced, states);
  return state;
}

function addBranchDecisions({ name, children }: PlanNode, { decided }: Traced, states: Map<PlanNode, PlanState>): void {
  const conditions = decided.get(name)?.conditions ?? [];
  for (const [index, child] of children.entries()) {
    const decisions = conditions.filter(({ branch }) => branch === index);
    states.set(child, { ...(states.get(child) ?? NOT_REACHED), decisions });
  }
}

function blockState(node: PlanNode, inner: readonly PlanState[], traced: Traced): PlanState {
  const own = ownState(node, traced);
  const { status } = [own, ...inner].reduce(worse);
  const count = inner.length > 0 ? (traced.rounds.get(node.name) ?? 0) : own.count;
  const { n } = [own, ...inner].reduce((a, b) => (a.n === undefined ? b : b.n === undefined ? a : worse(a, b)));
  return { ...own, status, count, n: own.n ?? n };
}

function worse(a: PlanState, b: PlanState): PlanState {
  return severity(b) < severity(a) ? b : a;
}

function severity({ status }: PlanState): number {
  const at = SEVERITY.indexOf(status);
  return at < 0 ? SEVERITY.indexOf('cancelled') : at;
}

function ownState({ kind, name, children }: PlanNode, { places, rounds, decided }: Traced): PlanState {
  // The turns of a model that drives the whole agent belong to no step.
  const key = kind === 'agent' && children.length > 0 ? '' : name;
  const found = kind === 'branch' ? undefined : places.get(key);
  const known = kind === 'branch' ? undefined : decided.get(name);
  const decisions = known?.conditions.filter(({ key }) => key !== 'when') ?? [];
  if (!found) return { ...untraced(known), n: undefined, decisions };
  const all = [...found.values()].map(({ status, n }) => ({ status, n, count: 0, decisions }));
  const worst = all.reduce((a, b) => (severity(b) <= severity(a) ? b : a));
  return { ...worst, count: kind === 'agent' ? (rounds.get(key) ?? 0) : found.size };
}

function untraced(known: Decided | undefined): { status: string; count: number } {
  const { done = 0, failed = 0, skipped = 0 } = known ?? {};
  if (failed > 0) return { status: 'failed', count: done + failed };
  if (done > 0) return { status: 'succeeded', count: done };
  return { status: skipped > 0 ? 'skipped' : 'none', count: 0 };
}

/** Returns the node to which a step of the trace belongs. */
export function nodeOfStep(nodes: readonly PlanNode[], step: TraceStep | undefined): PlanNode | undefined {
  const [path = ''] = (step?.path ?? '').split('#');
  if (step === undefined || path === '') return undefined;
  const { id } = ownerOf(path);
  if (id !== '') return nodes.find(({ kind, name }) => kind !== 'branch' && name === id);
  const tool = 'tool' in step ? nodes.find(({ name }) => name === step.tool) : undefined;
  return tool ?? nodes.find(({ kind, children }) => kind === 'agent' && children.length > 0);
}

function traceByNode(steps: readonly TraceStep[]): Omit<Traced, 'decided'> {
  const places = new Map<string, Map<string, Place>>();
  const rounds = new Map<string, number>();
  const put = (key: string, path: string, place: Place): void => {
    const known = places.get(key);
    if (known === undefined) places.set(key, new Map([[path, place]]));
    else if (!place.isAboutOther || known.get(path)?.isAboutOther !== false) known.set(path, place);
  };
  for (const step of steps) {
    const [path = ''] = (step.path ?? '').split('#');
    if (path === '') continue;
    const place = { status: step.status, n: step.n, isAboutOther: ABOUT_OTHERS.has(step.type) };
    const { id, turn } = ownerOf(path);
    // A model can go on after a call that was denied or that failed.
    if (turn === 0 || step.type === 'model_call' || IN_PROGRESS.has(step.status)) put(id, path, place);
    if (id === '' && 'tool' in step && typeof step.tool === 'string') put(step.tool, path, place);
    if (turn > 0) rounds.set(id, Math.max(turn, rounds.get(id) ?? 0));
    addRounds(path, rounds);
  }
  return { places, rounds };
}

function addRounds(path: string, rounds: Map<string, number>): void {
  for (const [, name = '', round] of path.matchAll(/([^.[\]]+)\[(\d+)\]\./g))
    if (name !== 'turn') rounds.set(name, Math.max(Number(round) + 1, rounds.get(name) ?? 0));
}

/**
 * Returns the id of the step to which a path belongs: `triage` for `lines[2].triage.turn[1].call[1]`. It is empty for
 * the turns and calls of a model that drives the whole agent.
 */
function ownerOf(path: string): { id: string; turn: number } {
  const [place = '', turn] = path.split(/(?:^|\.)turn\[(\d+)\]/);
  return { id: place.slice(place.lastIndexOf('.') + 1).replace(/\[\d+\]$/, ''), turn: Number(turn ?? 0) };
}
