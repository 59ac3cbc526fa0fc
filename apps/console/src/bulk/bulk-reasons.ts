import type { BulkResult } from './bulk-query.js';

/** Codes of rejections that a repetition cannot change. */
const FINAL: ReadonlySet<string> = new Set(['run_not_cancellable', 'not_found', 'unknown_reference', 'agent_archived']);

/** Returns the reasons of the rejections with their numbers, the most frequent first. */
export function reasonsOf(results: readonly BulkResult[]): [code: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { code } of results) if (code !== undefined) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}

/** Returns the rejected runs for which a repetition can succeed. */
export function repeatableRuns(results: readonly BulkResult[]): string[] {
  return results.flatMap(({ run, code }) => (code === undefined || FINAL.has(code) ? [] : run));
}
