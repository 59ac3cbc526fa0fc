import type { CompiledDefinition, PromotionGate } from '@app/definition';
import type { EvaluationTrialEntity } from './evaluation-trial.entity.js';

export type PlannedTrial = Pick<EvaluationTrialEntity, 'n' | 'caseN' | 'caseName' | 'trial' | 'baseline' | 'sourceRun'>;

export function comparesWithProduction(gate: PromotionGate | null): boolean {
  if (!gate) return false;
  return [gate.maxRegressions, gate.maxCostIncrease, gate.maxLatencyIncrease].some((limit) => limit !== null);
}

/**
 * Plans `trials` trials for each case, and one trial for each recorded run. If `withBaseline` is true, plans the same
 * trials a second time, for the production version.
 */
export function plannedTrials(
  { evaluation }: CompiledDefinition,
  recordedRuns: readonly string[],
  withBaseline: boolean,
): PlannedTrial[] {
  const { cases = [], trials = 1 } = evaluation ?? {};
  const subjects = [
    ...cases.map(({ name }, caseN) => ({ caseName: name, caseN, sourceRun: null, trials })),
    ...recordedRuns.map((run) => ({ caseName: run, caseN: null, sourceRun: run, trials: 1 })),
  ];
  const rounds = (baseline: boolean): Omit<PlannedTrial, 'n'>[] =>
    subjects.flatMap(({ trials: times, ...subject }) =>
      Array.from({ length: times }, (_, round) => ({ ...subject, trial: round + 1, baseline })),
    );
  return [...rounds(false), ...(withBaseline ? rounds(true) : [])].map((trial, index) => ({ n: index + 1, ...trial }));
}
