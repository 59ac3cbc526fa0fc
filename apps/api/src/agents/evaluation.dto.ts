import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EVALUATION_STATUSES, type EvaluationStatus, GATE_RESULTS, type GateResult } from '@app/agents';
import { ASSERTION_KINDS, type AssertionKind } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import { TRIAL_STATUSES, type TrialStatus } from '@app/evaluation';
import { RunCost } from '../runs/run.dto.js';

const COUNT = { type: 'integer', minimum: 0 } as const;

export class EvaluationCases {
  @ApiProperty(COUNT)
  total: number;

  @ApiProperty({ ...COUNT, description: 'Every trial passed.' })
  passed: number;

  @ApiProperty({ ...COUNT, description: 'A trial failed.' })
  failed: number;

  @ApiProperty({ ...COUNT, description: 'A run did not come to an end of its own.' })
  errored: number;

  @ApiProperty({ ...COUNT, description: 'An assertion could not be decided.' })
  inconclusive: number;
}

export class EvaluationGate {
  @ApiProperty({ type: String, enum: GATE_RESULTS, nullable: true, description: 'Null before the end.' })
  result: GateResult | null;

  @ApiProperty({ type: [String], description: 'For people.' })
  reasons: string[];
}

@ApiSchema({ name: 'AssertionResult' })
export class AssertionResultResource {
  @ApiProperty({ enum: ASSERTION_KINDS })
  type: AssertionKind;

  @ApiProperty({ enum: ['passed', 'failed', 'inconclusive'] })
  result: string;

  @ApiProperty({ type: String, nullable: true, description: 'Why it did not pass.' })
  message: string | null;
}

const CALL = { type: 'object', additionalProperties: true, nullable: true } as const;

export class CallDifferenceResource {
  @ApiProperty({ enum: ['instead', 'additional', 'missing'] })
  kind: string;

  @ApiProperty({ description: 'The place in the plan.' })
  path: string;

  @ApiProperty({ ...CALL, description: '`{tool, request}` of the recorded run.' })
  recorded: JsonObject | null;

  @ApiProperty({ ...CALL, description: '`{tool, request}` of this version.' })
  made: JsonObject | null;

  @ApiProperty({
    example: 'This version would have called shop.refund with {"id":"8"} instead of shop.refund with {"id":"7"}.',
  })
  message: string;
}

export class EvaluationTrialResource {
  @ApiProperty({ type: 'integer', minimum: 1 })
  trial: number;

  @ApiProperty({ type: String, nullable: true, description: 'Id of the run; null before it is started.' })
  run: string | null;

  @ApiProperty({ enum: TRIAL_STATUSES })
  status: TrialStatus;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Active time.' })
  duration_ms: number | null;

  @ApiProperty({ type: RunCost })
  cost: RunCost;

  @ApiProperty({ type: String, nullable: true, description: 'Why it could not be graded.' })
  error: string | null;

  @ApiProperty({ type: [AssertionResultResource] })
  assertions: AssertionResultResource[];

  @ApiProperty({
    type: [CallDifferenceResource],
    description: 'Of a recorded run: what this version would have called instead.',
  })
  differences: CallDifferenceResource[];
}

export class EvaluationResult {
  @ApiProperty({ description: 'Name of the case, or id of the recorded run.' })
  case: string;

  @ApiProperty({ enum: ['case', 'recorded_run'] })
  kind: string;

  @ApiProperty({ enum: TRIAL_STATUSES })
  status: TrialStatus;

  @ApiProperty({ type: [EvaluationTrialResource] })
  trials: EvaluationTrialResource[];

  @ApiProperty({
    type: [EvaluationTrialResource],
    description: 'The same with the production version, where the gate compares.',
  })
  baseline: EvaluationTrialResource[];
}

@ApiSchema({ name: 'Evaluation' })
export class EvaluationResource {
  @ApiProperty({ example: 'evl_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' })
  agent: string;

  @ApiProperty({ type: 'integer' })
  version: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The production version that it is compared with.' })
  baseline_version: number | null;

  @ApiProperty({ enum: EVALUATION_STATUSES })
  status: EvaluationStatus;

  @ApiProperty({ type: EvaluationCases })
  cases: EvaluationCases;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Of the trials that could be graded, the share that passed.',
  })
  pass_rate: number | null;

  @ApiProperty({ type: Number, nullable: true, description: 'One-sided Wilson lower bound of it.' })
  confidence_low: number | null;

  @ApiProperty({ type: EvaluationGate })
  gate: EvaluationGate;

  @ApiProperty({ type: RunCost, description: 'Of all its runs, those of the baseline included.' })
  cost: RunCost;

  @ApiProperty({ description: 'E-mail address.' })
  created_by: string;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  ended_at: string | null;

  @ApiProperty({ type: [EvaluationResult] })
  results: EvaluationResult[];
}
