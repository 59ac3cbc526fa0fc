import {
  type CaseCounts,
  type EvaluationOutcome,
  type EvaluationStatus,
  type GradedTrial,
  judgeGate,
} from '@app/agents';
import type { CompiledDefinition } from '@app/definition';
import type { EvaluationTrialEntity } from './evaluation-trial.entity.js';
import type { TrialStatus } from './trial-status.js';

export type OutcomeTrial = Pick<
  EvaluationTrialEntity,
  'caseN' | 'caseName' | 'baseline' | 'status' | 'costMicros' | 'judgeCostMicros' | 'durationMs'
>;

/** Computes the outcome of an evaluation. All its trials must have a final status. */
export function evaluationOutcome(
  { evaluation }: CompiledDefinition,
  trials: readonly OutcomeTrial[],
): EvaluationOutcome {
  const graded = (baseline: boolean): GradedTrial[] =>
    trials
      .filter((trial) => trial.baseline === baseline)
      .flatMap((trial) => gradedTrial(trial, evaluation?.cases ?? []));
  const { verdict, passRate, confidenceLow } = judgeGate(evaluation?.gate ?? null, {
    trials: graded(false),
    baseline: graded(true),
  });
  const cases = caseCounts(trials);
  const status: EvaluationStatus = cases.total > 0 && cases.errored === cases.total ? 'errored' : verdict.result;
  return { status, cases, passRate, confidenceLow, gate: verdict, costMicros: costOf(trials), settled: true };
}

/** A case without a final status counts only in `total`. */
export function caseCounts(trials: readonly OutcomeTrial[]): CaseCounts {
  const byCase = new Map<string, TrialStatus[]>();
  for (const { caseName, baseline, status } of trials) {
    if (!baseline) byCase.set(caseName, [...(byCase.get(caseName) ?? []), status]);
  }
  const counts: CaseCounts = { total: byCase.size, passed: 0, failed: 0, errored: 0, inconclusive: 0 };
  for (const each of byCase.values()) {
    const status = caseStatus(each);
    if (status !== 'pending' && status !== 'running' && status !== 'cancelled') counts[status] += 1;
  }
  return counts;
}

/** Statuses in order of precedence. A case has the first of these statuses that at least one of its trials has. */
const BY_PRECEDENCE = ['cancelled', 'running', 'pending', 'failed', 'errored', 'inconclusive', 'passed'] as const;

export function caseStatus(statuses: readonly TrialStatus[]): TrialStatus {
  return BY_PRECEDENCE.find((status) => statuses.includes(status)) ?? 'pending';
}

export function costOf(trials: readonly Pick<OutcomeTrial, 'costMicros' | 'judgeCostMicros'>[]): string {
  return trials
    .reduce((sum, { costMicros, judgeCostMicros }) => sum + BigInt(costMicros) + BigInt(judgeCostMicros), 0n)
    .toString();
}

function gradedTrial(
  { caseN, caseName, status, costMicros, durationMs }: OutcomeTrial,
  cases: readonly { tags: readonly string[] }[],
): GradedTrial[] {
  if (status === 'pending' || status === 'running' || status === 'cancelled') return [];
  const tags = caseN === null ? [] : (cases[caseN]?.tags ?? []);
  const duration = durationMs === null ? null : Number(durationMs);
  return [{ caseName, tags, grade: status, costMicros: BigInt(costMicros), durationMs: duration }];
}
