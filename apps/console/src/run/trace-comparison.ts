import type { AnyStep } from './step-facts.js';

/** A pair of steps with the same path in two runs. If only one run has the step, `before` or `after` is absent. */
export interface ComparedStep {
  key: string;
  /** Step of the run that the person chose for the comparison, usually the run that was replayed. */
  before?: AnyStep;
  /** Step of the run that the page shows. */
  after?: AnyStep;
  /** Names of the fields that differ. Empty if the steps are equal or if one of them is missing. */
  changed: readonly string[];
}

/** Fields that are compared. Times, ids and costs are omitted, because they differ between any two runs. */
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
 * Pairs the steps of two runs by path. Steps with the same path are paired in order: the first with the first, and so
 * on. A step that exists only in `before` is listed after the preceding step that both runs have.
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

/**
 * Returns the steps that only the run `old` has. The page lists each of them after the preceding step that both runs
 * have. The result groups the steps by the key of this preceding step, or by '' if there is none.
 */
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

/** Serialises the value as JSON with sorted keys, so that equal values have equal texts. */
export function canonical(value: unknown = null): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
