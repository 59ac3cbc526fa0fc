import type { EvaluationEntity } from './evaluation.entity.js';

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
