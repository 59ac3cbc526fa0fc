import { ApiSchema } from '@nestjs/swagger';
import { EVALUATION_STATUSES, type EvaluationStatus, GATE_RESULTS, type GateResult } from '@app/agents';
import { ASSERTION_KINDS, type AssertionKind } from '@app/definition';
import { TRIAL_STATUSES, type TrialStatus } from '@app/evaluation';
import type { JsonObject } from '@app/kernel';
import { AnyObject, Field, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { RunCost } from '../runs/runs.api.js';

export class EvaluationCases {
  @Whole({ minimum: 0 }) total: number;
  @Whole({ minimum: 0, description: 'Every trial passed.' }) passed: number;
  @Whole({ minimum: 0, description: 'A trial failed.' }) failed: number;
  @Whole({ minimum: 0, description: 'A run did not come to an end of its own.' }) errored: number;
  @Whole({ minimum: 0, description: 'An assertion could not be decided.' }) inconclusive: number;
}

export class EvaluationGate {
  @OneOf(GATE_RESULTS, { nullable: true, description: 'Null before the end.' }) result: GateResult | null;
  @Text({ list: true, description: 'For people.' }) reasons: string[];
}

@ApiSchema({ name: 'AssertionResult' })
export class AssertionResultResource {
  @OneOf(ASSERTION_KINDS) type: AssertionKind;
  @OneOf(['passed', 'failed', 'inconclusive']) result: string;
  @Text({ nullable: true, description: 'Why it did not pass.' }) message: string | null;
}

export class CallDifferenceResource {
  @OneOf(['instead', 'additional', 'missing']) kind: string;
  @Text({ description: 'The place in the plan.' }) path: string;
  @AnyObject({ nullable: true, description: '`{tool, request}` of the recorded run.' }) recorded: JsonObject | null;
  @AnyObject({ nullable: true, description: '`{tool, request}` of this version.' }) made: JsonObject | null;
  @Text({
    example: 'This version would have called shop.refund with {"id":"8"} instead of shop.refund with {"id":"7"}.',
  })
  message: string;
}

export class EvaluationTrialResource {
  @Whole({ minimum: 1 }) trial: number;
  @Text({ nullable: true, description: 'Id of the run; null before it is started.' }) run: string | null;
  @OneOf(TRIAL_STATUSES) status: TrialStatus;
  @Whole({ nullable: true, description: 'Active time.' }) duration_ms: number | null;
  @Nested(RunCost) cost: RunCost;
  @Text({ nullable: true, description: 'Why it could not be graded.' }) error: string | null;
  @Nested(AssertionResultResource, { list: true }) assertions: AssertionResultResource[];
  @Nested(CallDifferenceResource, {
    list: true,
    description: 'Of a recorded run: what this version would have called instead.',
  })
  differences: CallDifferenceResource[];
}

export class EvaluationResult {
  @Text({ description: 'Name of the case, or id of the recorded run.' }) case: string;
  @OneOf(['case', 'recorded_run']) kind: string;
  @OneOf(TRIAL_STATUSES) status: TrialStatus;
  @Nested(EvaluationTrialResource, { list: true }) trials: EvaluationTrialResource[];
  @Nested(EvaluationTrialResource, {
    list: true,
    description: 'The same with the production version, where the gate compares.',
  })
  baseline: EvaluationTrialResource[];
}

@ApiSchema({ name: 'Evaluation' })
export class EvaluationResource {
  @Text({ example: 'evl_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' }) agent: string;
  @Whole() version: number;
  @Whole({ nullable: true, description: 'The production version that it is compared with.' }) baseline_version:
    number | null;
  @OneOf(EVALUATION_STATUSES) status: EvaluationStatus;
  @Nested(EvaluationCases) cases: EvaluationCases;
  @Field({ nullable: true, type: Number, description: 'Of the trials that could be graded, the share that passed.' })
  pass_rate: number | null;
  @Field({ nullable: true, type: Number, description: 'One-sided Wilson lower bound of it.' }) confidence_low:
    number | null;
  @Nested(EvaluationGate) gate: EvaluationGate;
  @Nested(RunCost, { description: 'Of all its runs, those of the baseline included.' }) cost: RunCost;
  @Text({ description: 'E-mail address.' }) created_by: string;
  @Timestamp() created_at: string;
  @Timestamp({ nullable: true }) ended_at: string | null;
  @Nested(EvaluationResult, { list: true }) results: EvaluationResult[];
}
