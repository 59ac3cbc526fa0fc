import { ApiSchema } from '@nestjs/swagger';
import { EVALUATION_STATUSES, type EvaluationStatus, GATE_RESULTS, type GateResult } from '@app/agents';
import { ASSERTION_KINDS, type AssertionKind } from '@app/definition';
import { TRIAL_STATUSES, type TrialStatus } from '@app/evaluation';
import type { JsonObject } from '@app/kernel';
import { AnyObject, ConsolePage, Field, Id, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { RunCost } from '../runs/runs.api.js';

@ApiSchema({ description: 'Number of cases of an evaluation, by result.' })
export class EvaluationCases {
  @Whole({ minimum: 0, description: 'Number of cases, including recorded runs.', example: 12 }) total: number;
  @Whole({ minimum: 0, description: 'Number of cases in which every trial passed.', example: 12 }) passed: number;
  @Whole({ minimum: 0, description: 'Number of cases with a failed trial.' }) failed: number;
  @Whole({ minimum: 0, description: 'Number of cases with a run that could not be graded.' }) errored: number;
  @Whole({ minimum: 0, description: 'Number of cases with an assertion that could not be decided.' })
  inconclusive: number;
}

@ApiSchema({ description: 'The verdict of the promotion gate.' })
export class EvaluationGate {
  @OneOf(GATE_RESULTS, {
    nullable: true,
    description:
      'Verdict; null until the evaluation has ended. `passed`: promotion is allowed. `failed`: a rule of the ' +
      'gate is broken. `inconclusive`: there is too little evidence, which blocks promotion.',
  })
  result: GateResult | null;
  @Text({ list: true, description: 'Reasons for the verdict, for people.', example: [] }) reasons: string[];
}

@ApiSchema({ name: 'AssertionResult', description: 'The result of one assertion of a case.' })
export class AssertionResultResource {
  @OneOf(ASSERTION_KINDS, { description: 'Type of the assertion in the definition.', example: 'status' })
  type: AssertionKind;
  @OneOf(['passed', 'failed', 'inconclusive'], {
    description: 'Result; `inconclusive` if the assertion could not be decided.',
  })
  result: string;
  @Text({ nullable: true, description: 'Reason why the assertion did not pass; null if it passed.', example: null })
  message: string | null;
}

@ApiSchema({
  name: 'CallDifference',
  description: 'A tool call in which the tested version differs from a recorded run.',
})
export class CallDifferenceResource {
  @OneOf(['instead', 'additional', 'missing'], {
    description:
      'Kind. `instead`: the tested version makes another call at this place. `additional`: only the tested version makes a call. `missing`: only the recorded run made a call.',
  })
  kind: string;
  @Text({ description: 'Path of the step in the plan.', example: 'refund' }) path: string;
  @AnyObject({
    nullable: true,
    description: 'Call that the recorded run made, as `{tool, request}`; null for `additional`.',
    example: { tool: 'shop.refund', request: { id: '7' } },
  })
  recorded: JsonObject | null;
  @AnyObject({
    nullable: true,
    description: 'Call that the tested version made, as `{tool, request}`; null for `missing`.',
    example: { tool: 'shop.refund', request: { id: '8' } },
  })
  made: JsonObject | null;
  @Text({
    description: 'Explanation for people.',
    example: 'This version would have called shop.refund with {"id":"8"} instead of shop.refund with {"id":"7"}.',
  })
  message: string;
}

@ApiSchema({ name: 'EvaluationTrial', description: 'One run of a case, or one replay of a recorded run.' })
export class EvaluationTrialResource {
  @Whole({ minimum: 1, description: 'Number of the trial, from 1.' }) trial: number;
  @Id('run', { nullable: true, description: 'Id of the run; null until it is started.' }) run: string | null;
  @OneOf(TRIAL_STATUSES, { description: 'Status of the trial.', example: 'passed' }) status: TrialStatus;
  @Whole({ nullable: true, description: 'Active time of the run in milliseconds; null until it ends.', example: 840 })
  duration_ms: number | null;
  @Nested(RunCost, { description: 'Cost of the run.' }) cost: RunCost;
  @Text({
    nullable: true,
    description: 'Reason why the trial could not be graded; null if it was graded.',
    example: null,
  })
  error: string | null;
  @Nested(AssertionResultResource, {
    list: true,
    description: 'Results of the assertions, in the order of the definition.',
  })
  assertions: AssertionResultResource[];
  @Nested(CallDifferenceResource, {
    list: true,
    description: 'Differences from the recorded run; empty for a case.',
    example: [],
  })
  differences: CallDifferenceResource[];
}

@ApiSchema({ description: 'The trials of one case or recorded run.' })
export class EvaluationResult {
  @Text({ description: 'Name of the case, or id of the recorded run.', example: 'big refund stops for finance' })
  case: string;
  @OneOf(['case', 'recorded_run'], { description: 'Kind: a case of the definition, or a run from `from_runs`.' })
  kind: string;
  @OneOf(TRIAL_STATUSES, { description: 'Status of the case, which its trials determine.', example: 'passed' })
  status: TrialStatus;
  @Nested(EvaluationTrialResource, { list: true, description: 'Trials of the tested version.' })
  trials: EvaluationTrialResource[];
  @Nested(EvaluationTrialResource, {
    list: true,
    description: 'Trials of the production version, if the gate compares with it.',
  })
  baseline: EvaluationTrialResource[];
}

@ApiSchema({ name: 'Evaluation', description: 'A test of a version against its evaluation set.' })
export class EvaluationResource {
  @Id('evaluation') id: string;
  @Id('agent') agent: string;
  @Text({ description: 'Current name of the agent.', example: 'refund-desk' }) agent_name: string;
  @Whole({ description: 'Number of the tested version.', example: 4 }) version: number;
  @Whole({
    nullable: true,
    description: 'Number of the production version that the gate compares with; null if it does not compare.',
    example: 3,
  })
  baseline_version: number | null;
  @OneOf(EVALUATION_STATUSES, {
    description:
      'Status. `passed`, `failed` and `inconclusive` are verdicts of the gate. `errored`: no case could be graded.',
    example: 'passed',
  })
  status: EvaluationStatus;
  @Nested(EvaluationCases, { description: 'Number of cases by result.' }) cases: EvaluationCases;
  @Field({
    nullable: true,
    type: Number,
    description: 'Share of graded trials that passed, 0 to 1; null until a trial is graded.',
    example: 1,
  })
  pass_rate: number | null;
  @Field({
    nullable: true,
    type: Number,
    description: 'One-sided Wilson lower bound of the pass rate, 0 to 1; null until a trial is graded.',
    example: 0.91,
  })
  confidence_low: number | null;
  @Nested(EvaluationGate, { description: 'Verdict of the promotion gate.' }) gate: EvaluationGate;
  @AnyObject({
    description: 'SHA-256 of the files that the cases use, by the names of their fixtures.',
    example: { 'invoice.pdf': '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
  })
  fixtures: JsonObject;
  @Nested(RunCost, {
    description:
      'Cost of all runs, including those of the production version, and of the model that judges assertions.',
  })
  cost: RunCost;
  @Text({ description: 'E-mail address of the member who started the evaluation.', example: 'ada@example.com' })
  created_by: string;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
  @Timestamp({ nullable: true, description: 'Time at which the evaluation ended; null until then.' }) ended_at:
    string | null;
  @Nested(EvaluationResult, { list: true, description: 'Results so far, one for each case or recorded run.' })
  results: EvaluationResult[];
  @ConsolePage('evaluations/evl') console_url?: string;
}
