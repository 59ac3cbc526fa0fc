import type { Response } from 'express';
import type { EvaluatedVersion } from '@app/agents';
import { formatMicros } from '@app/kernel';
import { caseStatus, type EvaluationTrial, type EvaluationWithTrials, type VersionEvaluations } from '@app/evaluation';
import { accepted, markReplayed } from '../http/answers.js';
import type { ListSource } from '../http/list-pages.js';
import type { RunCost } from '../runs/run.dto.js';
import type { EvaluationResource, EvaluationResult, EvaluationTrialResource } from './evaluation.dto.js';

/** The list of a version's evaluations. */
export function evaluationList(
  evaluations: VersionEvaluations,
  evaluated: EvaluatedVersion,
): ListSource<EvaluationWithTrials, EvaluationResource> {
  const { workspaceId, agentId, version } = evaluated;
  return {
    list: `agents/${agentId}/versions/${version}/evaluations`,
    workspaceId,
    read: (page) => evaluations.list(evaluated, page),
    present: presentEvaluation,
  };
}

/** 202 for a new evaluation; 200 for the one that is under way already. */
export function presentBegun(
  response: Response,
  { created, replayed, ...evaluation }: EvaluationWithTrials & { created: boolean; replayed: boolean },
): EvaluationResource {
  if (replayed) markReplayed(response);
  const body = presentEvaluation(evaluation);
  accepted(response, `/v1/evaluations/${body.id}`, body);
  response.status(created ? 202 : 200);
  return body;
}

export function presentEvaluation({ evaluation, trials }: EvaluationWithTrials): EvaluationResource {
  return {
    id: evaluation.id,
    agent: evaluation.agentId,
    version: evaluation.version,
    baseline_version: evaluation.baselineVersion,
    status: evaluation.status,
    cases: evaluation.cases,
    pass_rate: evaluation.passRate,
    confidence_low: evaluation.confidenceLow,
    gate: evaluation.gate ?? { result: null, reasons: [] },
    cost: costOf(evaluation.costMicros, evaluation.currency),
    created_by: evaluation.createdBy,
    created_at: evaluation.createdAt.toISOString(),
    ended_at: evaluation.endedAt?.toISOString() ?? null,
    results: presentResults(trials, evaluation.currency),
  };
}

/** One result for each case, in the order of the evaluation. */
function presentResults(trials: readonly EvaluationTrial[], currency: string): EvaluationResult[] {
  const results = new Map<string, EvaluationTrial[]>();
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

function presentTrial(trial: EvaluationTrial, currency: string): EvaluationTrialResource {
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
