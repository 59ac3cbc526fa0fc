import type { EvaluationEntity } from './evaluation.entity.js';

/** What a version is tested by, by the ids of agent and version. */
export interface EvaluatedVersion {
  workspaceId: string;
  agentId: string;
  version: number;
}

export type NewEvaluation = EvaluatedVersion &
  Pick<EvaluationEntity, 'id' | 'baselineVersion' | 'cases' | 'currency' | 'createdBy'>;

export type EvaluationChange = Partial<Pick<EvaluationEntity, 'status' | 'settled'>>;

export type EvaluationOutcome = Pick<
  EvaluationEntity,
  'status' | 'cases' | 'passRate' | 'confidenceLow' | 'gate' | 'costMicros' | 'settled'
>;
