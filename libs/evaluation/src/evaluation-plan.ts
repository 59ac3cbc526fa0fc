import type { CompiledDefinition, PromotionGate } from '@app/definition';
import type { EvaluationTrialEntity } from './evaluation-trial.entity.js';

/** A trial as it is planned: its run is started later. */
export type PlannedTrial = Pick<EvaluationTrialEntity, 'n' | 'caseN' | 'caseName' | 'trial' | 'baseline' | 'sourceRun'>;

/** Whether the gate asks how the production version does on the same cases. */
export function comparesWithProduction(gate: PromotionGate | null): boolean {
  if (!gate) return false;
  return [gate.maxRegressions, gate.maxCostIncrease, gate.maxLatencyIncrease].some((limit) => limit !== null);
}

/** Every trial of an evaluation: each case and each recorded run as often as asked for, and again for the baseline. */
export function plannedTrials(
  { evaluation }: CompiledDefinition,
  recordedRuns: readonly string[],
  withBaseline: boolean,
): PlannedTrial[] {
  const { cases = [], trials = 1 } = evaluation ?? {};
  const subjects = [
    ...cases.map(({ name }, caseN) => ({ caseName: name, caseN, sourceRun: null, trials })),
    // What is recorded does not change from one trial to the next.
    ...recordedRuns.map((run) => ({ caseName: run, caseN: null, sourceRun: run, trials: 1 })),
  ];
  const rounds = (baseline: boolean): Omit<PlannedTrial, 'n'>[] =>
    subjects.flatMap(({ trials: times, ...subject }) =>
      Array.from({ length: times }, (_, round) => ({ ...subject, trial: round + 1, baseline })),
    );
  return [...rounds(false), ...(withBaseline ? rounds(true) : [])].map((trial, index) => ({ n: index + 1, ...trial }));
}
