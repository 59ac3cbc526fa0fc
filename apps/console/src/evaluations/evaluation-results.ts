import type { aas } from '../data/api.js';
import { word } from '../data/words.js';

export type Evaluation = Awaited<ReturnType<typeof aas.evaluations.get>>;
export type CaseResult = Evaluation['results'][number];
export type Trial = CaseResult['trials'][number];

export const RESULT_FILTERS = ['failed', 'changed'] as const;
export type ResultFilter = (typeof RESULT_FILTERS)[number] | '';

export function isResultFilter(value: string): value is ResultFilter {
  return value === '' || RESULT_FILTERS.some((filter) => filter === value);
}

export function filterResults(results: readonly CaseResult[], filter: ResultFilter): readonly CaseResult[] {
  if (filter === 'failed') return results.filter(({ status }) => !['passed', 'pending', 'running'].includes(status));
  return filter === 'changed' ? results.filter(isChanged) : results;
}

/**
 * Whether a trial differs from its recorded run, or only one of the evaluated and production versions passes the case.
 */
export function isChanged({ trials, baseline }: CaseResult): boolean {
  const differs = trials.some(({ differences }) => differences.length > 0);
  return differs || (baseline.length > 0 && passes(trials) !== passes(baseline));
}

function passes(trials: readonly Trial[]): boolean {
  return trials.every(({ status }) => status === 'passed');
}

/**
 * Counts the graded trials, which determine the pass rate. Trials that were not graded, for example because of an
 * error, do not count.
 */
export function gradedTrials(results: readonly CaseResult[]): { passed: number; trials: number } {
  const graded = results.flatMap(({ trials }) => trials).filter(({ status }) => isGraded(status));
  return { passed: graded.filter(({ status }) => status === 'passed').length, trials: graded.length };
}

function isGraded(status: Trial['status']): boolean {
  return status === 'passed' || status === 'failed';
}

/** Returns texts that say why a trial did not pass and where it differs from the recorded run. */
export function trialFindings({ error, assertions, differences }: Trial): string[] {
  return [
    ...(error === null ? [] : [error]),
    ...assertions
      .filter(({ result }) => result !== 'passed')
      .map(
        ({ type, result, message }) =>
          `${word('assertion', type)} (${word('status', result)})${message === null ? '' : `: ${message}`}`,
      ),
    ...differences.map(({ message }) => message),
  ];
}

export interface Finding {
  /** For example `Trial 2` or `Trials 1, 2, 3`. */
  trials: string;
  text: string;
}

/** Returns the findings of all trials, each text once with its trials. */
export function caseFindings(trials: readonly Trial[]): Finding[] {
  const found = new Map<string, number[]>();
  for (const each of trials)
    for (const text of new Set(trialFindings(each))) found.set(text, [...(found.get(text) ?? []), each.trial]);
  return Array.from(found, ([text, numbers]) => ({
    text,
    trials: numbers.length === 1 ? `Trial ${numbers[0]}` : `Trials ${numbers.join(', ')}`,
  }));
}

export function isRunning({ status }: Pick<Evaluation, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}
