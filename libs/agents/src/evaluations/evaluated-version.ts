import type { Evaluation } from './evaluation.entity.js';

/** What a version is tested by, by the ids of agent and version. */
export interface EvaluatedVersion {
  workspaceId: string;
  agentId: string;
  version: number;
}

export type NewEvaluation = EvaluatedVersion &
  Pick<Evaluation, 'id' | 'baselineVersion' | 'cases' | 'currency' | 'createdBy'>;

export type EvaluationChange = Partial<Pick<Evaluation, 'status' | 'settled'>>;

export type EvaluationOutcome = Pick<
  Evaluation,
  'status' | 'cases' | 'passRate' | 'confidenceLow' | 'gate' | 'costMicros' | 'settled'
>;
