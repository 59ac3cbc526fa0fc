import type { TraceStep } from '../data/api.js';

/**
 * A long period of the run in which no step was active. The timeline shortens this period. Times are in milliseconds
 * since 1970.
 */
export interface Gap {
  start: number;
  end: number;
}

export interface TimeScale {
  /** Converts a time to its position on the timeline, as a share of the width, 0 to 1. */
  position: (time: number) => number;
  gaps: readonly Gap[];
  /**
   * Returns what the run waited for in a gap, for example `for finance`, or undefined if unknown. Each call is slow,
   * because it checks all waits of the run.
   */
  reasonOf: (gap: Gap) => string | undefined;
}

const WAITS = new Set(['wait', 'approval', 'in_doubt']);
const AWAITED = new Set(['awaiting_approval', 'pending', 'waiting']);
/**
 * The timeline shortens an idle period only if its length exceeds this share of the total time in which steps were
 * active.
 */
const LONG_SHARE = 0.25;
/** Minimum length, in milliseconds, of an idle period that the timeline shortens. */
const LONG_MILLIS = 1_000;
/**
 * Width of a shortened idle period, as a share of the width of the rest of the timeline. All shortened periods together
 * take at most half the width of the rest.
 */
const GAP_SHARE = 0.08;

type Interval = [start: number, end: number];

export function startOf(step: TraceStep): number {
  return Date.parse(step.at);
}

export function endOf(step: TraceStep, now: number): number {
  return step.duration_ms === null ? Math.max(now, startOf(step)) : startOf(step) + step.duration_ms;
}

/** An approval that the run waits or waited for. Contains the approvers, which the summary of a step lacks. */
export interface AwaitedApproval {
  opened_at: string;
  decided_at: string | null;
  approvers: readonly string[];
}

/** Creates a time scale that shortens long idle periods, so that short steps remain visible in a run of hours. */
export function timeScale(
  steps: readonly TraceStep[],
  now: number,
  approvals: readonly AwaitedApproval[] = [],
): TimeScale {
  const busy = merged(steps.filter(isActive).map((step): Interval => [startOf(step), endOf(step, now)]));
  const end = steps.reduce((latest, step) => Math.max(latest, endOf(step, now)), busy.at(-1)?.[1] ?? 0);
  if (busy.length > 0 && end > (busy.at(-1)?.[1] ?? 0)) busy.push([end, end]);
  const active = busy.reduce((sum, [from, to]) => sum + to - from, 0);
  const longest = Math.max(LONG_MILLIS, active * LONG_SHARE);
  const gaps = gapsOf(busy).filter((gap) => gap.end - gap.start > longest);
  const waits = steps.filter(({ type }) => WAITS.has(type));
  return { gaps, position: piecewise(busy, gaps), reasonOf: (gap) => reasonOf(gap, waits, approvals) };
}

function isActive({ type, status }: TraceStep): boolean {
  return !WAITS.has(type) && !AWAITED.has(status);
}

function merged(intervals: Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const [start, end] of intervals.sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

function gapsOf(busy: readonly Interval[]): Gap[] {
  return busy.slice(1).map(([start], index) => ({ start: busy[index]?.[1] ?? start, end: start }));
}

/**
 * Returns a function from a time to its position on the timeline, 0 to 1. All gaps have the same width. Between gaps,
 * the position grows at the same rate everywhere.
 */
function piecewise(busy: readonly Interval[], gaps: readonly Gap[]): (time: number) => number {
  const begin = busy[0]?.[0] ?? 0;
  const end = busy.at(-1)?.[1] ?? begin;
  const skipped = gaps.reduce((sum, gap) => sum + gap.end - gap.start, 0);
  const drawn = Math.max(1, end - begin - skipped);
  const width = Math.min(GAP_SHARE, 0.5 / Math.max(1, gaps.length)) * drawn;
  const total = drawn + width * gaps.length;
  return (time) => {
    let place = Math.min(Math.max(time, begin), end) - begin;
    for (const gap of gaps) {
      if (time >= gap.end) place += width - (gap.end - gap.start);
      else if (time > gap.start) place += ((time - gap.start) / (gap.end - gap.start)) * width - (time - gap.start);
    }
    return place / total;
  };
}

function reasonOf(gap: Gap, waits: readonly TraceStep[], approvals: readonly AwaitedApproval[]): string | undefined {
  const middle = (gap.start + gap.end) / 2;
  const wait = waits.find((step) => startOf(step) <= middle && endOf(step, gap.end) >= middle);
  const approval = approvals.find(
    ({ opened_at: from, decided_at: until }) =>
      Date.parse(from) <= middle && (until === null || Date.parse(until) >= middle),
  );
  const approvers = (wait as { approvers?: readonly string[] } | undefined)?.approvers ?? approval?.approvers ?? [];
  if (approvers.length > 0) return `for ${approvers.join(', ')}`;
  const isDecision = approval !== undefined || (wait !== undefined && wait.type !== 'wait');
  return isDecision ? 'for a decision' : undefined;
}
