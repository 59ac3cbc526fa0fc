import { caseStatus, type EvaluationTrialEntity, type EvaluationWithTrials } from '@app/evaluation';
import { formatMicros } from '@app/kernel';
import { consolePage, type ConsoleUrl } from '@app/runs';
import { type RunCost } from '../runs/runs.api.js';
import { type EvaluationResource, type EvaluationResult, type EvaluationTrialResource } from './evaluations.api.js';

export function presentEvaluation(
  { evaluation, trials }: EvaluationWithTrials,
  consoleUrl: ConsoleUrl,
): EvaluationResource {
  return {
    id: evaluation.id,
    agent: evaluation.agentId,
    agent_name: evaluation.agentName,
    version: evaluation.version,
    baseline_version: evaluation.baselineVersion,
    status: evaluation.status,
    cases: evaluation.cases,
    pass_rate: evaluation.passRate,
    confidence_low: evaluation.confidenceLow,
    gate: evaluation.gate ?? { result: null, reasons: [] },
    fixtures: Object.fromEntries(Object.entries(evaluation.fixtures).map(([name, { sha256 }]) => [name, sha256])),
    cost: costOf(evaluation.costMicros, evaluation.currency),
    created_by: evaluation.createdBy,
    created_at: evaluation.createdAt.toISOString(),
    ended_at: evaluation.endedAt?.toISOString() ?? null,
    results: presentResults(trials, evaluation.currency),
    ...consolePage(consoleUrl, 'evaluations', evaluation.id),
  };
}

/** Returns one result for each case, in the order in which the cases first occur in `trials`. */
function presentResults(trials: readonly EvaluationTrialEntity[], currency: string): EvaluationResult[] {
  const results = new Map<string, EvaluationTrialEntity[]>();
  for (const trial of trials) results.set(trial.caseName, [...(results.get(trial.caseName) ?? []), trial]);
  return [...results].map(([name, each]) => {
    const [own, baseline] = [each.filter((one) => !one.baseline), each.filter((one) => one.baseline)];
    return {
      case: name,
      kind: each[0]?.sourceRun === null ? 'case' : 'recorded_run',
      status: caseStatus(own.map(({ status }) => status)),
      trials: own.map((trial) => presentTrial(trial, currency)),
      baseline: baseline.map((trial) => presentTrial(trial, currency)),
    };
  });
}

function presentTrial(trial: EvaluationTrialEntity, currency: string): EvaluationTrialResource {
  return {
    trial: trial.trial,
    run: trial.runId,
    status: trial.status,
    duration_ms: trial.durationMs === null ? null : Number(trial.durationMs),
    cost: costOf(trial.costMicros, currency),
    error: trial.grade?.error ?? null,
    assertions: trial.grade?.assertions ?? [],
    differences: trial.grade?.differences ?? [],
  };
}

function costOf(micros: string, currency: string): RunCost {
  return { amount: formatMicros(BigInt(micros)), currency };
}
