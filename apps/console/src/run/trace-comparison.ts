import type { AnyStep } from './step-facts.js';

/** A step of one run beside the step at the same place of another run. */
export interface ComparedStep {
  key: string;
  /** The step of the other run, which is usually the replayed one. */
  before?: AnyStep;
  /** The step of this run. */
  after?: AnyStep;
  /** Members that differ, by their name; empty if the steps are alike or if one is missing. */
  changed: readonly string[];
}

/** Members that say what a step did. Times, ids and cost differ between any two runs. */
const COMPARED = [
  'type',
  'tool',
  'status',
  'request',
  'response_summary',
  'http_status',
  'output',
  'summary',
  'error',
  'decision',
  'documents',
  'expression',
  'policy',
  'reason',
] as const;

/**
 * The steps of two runs beside each other, by their paths: the third call of a path belongs to the third call of the
 * same path. Steps that only the other run has come after the step that they followed there.
 */
export function compareTraces(before: readonly AnyStep[], after: readonly AnyStep[]): ComparedStep[] {
  const old = keyed(before);
  const young = keyed(after);
  const removed = followers(old, young);
  const rows = [...(removed.get('') ?? [])];
  for (const [key, step] of young) {
    const counterpart = old.get(key);
    rows.push({
      key,
      after: step,
      ...(counterpart && { before: counterpart }),
      changed: counterpart ? changedMembers(counterpart, step) : [],
    });
    rows.push(...(removed.get(key) ?? []));
  }
  return rows;
}

export function isDifferent({ before, after, changed }: ComparedStep): boolean {
  return before === undefined || after === undefined || changed.length > 0;
}

function keyed(steps: readonly AnyStep[]): Map<string, AnyStep> {
  const counts = new Map<string, number>();
  return new Map(
    steps.map((step) => {
      const place = `${step.path ?? ''} ${step.path === undefined ? step.type : ''}`;
      const count = (counts.get(place) ?? 0) + 1;
      counts.set(place, count);
      return [`${place} ${count}`, step];
    }),
  );
}

/** The steps that are missing in the second run, by the key of the last common step before them. */
function followers(old: Map<string, AnyStep>, young: Map<string, AnyStep>): Map<string, ComparedStep[]> {
  const result = new Map<string, ComparedStep[]>();
  let last = '';
  for (const [key, step] of old) {
    if (young.has(key)) last = key;
    else result.set(last, [...(result.get(last) ?? []), { key, before: step, changed: [] }]);
  }
  return result;
}

function changedMembers(before: AnyStep, after: AnyStep): string[] {
  return COMPARED.filter((name) => canonical(before[name]) !== canonical(after[name]));
}

/** The value as text, with the members of objects in alphabetical order. */
function canonical(value: unknown = null): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
