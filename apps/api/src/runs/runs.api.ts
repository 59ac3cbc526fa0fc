import { ApiSchema } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import type { JsonObject } from '@app/kernel';
import {
  RUN_ERROR_CODES,
  RUN_MODES,
  RUN_STATUSES,
  type RunErrorCode,
  type RunMode,
  type RunStatus,
  TOOL_RESULTS,
  type TracePart,
  type ToolResults,
  TRIGGER_TYPES,
  type TriggerType,
  WAIT_REASONS,
  type WaitReason,
} from '@app/runs';
import { ApprovalResource } from '../approvals/approvals.api.js';
import { CallbackUrl } from '../callbacks/callbacks.api.js';
import { AnyObject, ConsolePage, Field, Flag, Id, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { IsObjectOrText } from '../http/request-validation.js';
import { LIMIT_WORDS } from '../http/route-inputs.js';

const MAX_NUMBER = 2 ** 31 - 1;

@ApiSchema({ description: 'A run to start.' })
export class StartRunBody {
  @AnyObject({
    optional: true,
    description: `Input, validated against the \`input\` schema of the definition. At most ${LIMIT_WORDS.input} as JSON.`,
    example: { name: 'Ada' },
  })
  input: JsonObject = {};
  @OneOf(RUN_MODES, {
    optional: true,
    description: 'Mode. `test` simulates write operations. Default: `production` for live keys, `test` for test keys.',
  })
  mode?: RunMode;
  @Whole({
    optional: true,
    minimum: 1,
    maximum: MAX_NUMBER,
    description: 'Number of the version. Default: the production version.',
    example: 3,
  })
  version?: number;
}

@ApiSchema({ description: 'A definition, and the input of its run.' })
export class StartDraftRunBody {
  @IsObjectOrText()
  @Field({
    description: `Agent definition in the format \`agent/v1\`, as an object or as YAML text. At most ${LIMIT_WORDS.definition}.`,
    oneOf: [{ $ref: '#/components/schemas/AgentDefinition' }, { type: 'string' }],
    example: { name: 'greeter', steps: [{ id: 'result', output: { greeting: 'Hello' } }] },
  })
  definition: JsonObject | string;
  @AnyObject({
    optional: true,
    description: `Input, validated against the \`input\` schema of the definition. At most ${LIMIT_WORDS.input} as JSON.`,
    example: { name: 'Ada' },
  })
  input: JsonObject = {};
  @AnyObject({
    optional: true,
    description: `Responses of tools, by operation, as in the cases of an evaluation. The run uses them instead of calling the tool. At most ${LIMIT_WORDS.input} as JSON.`,
    example: { 'shop.get_order': { total: 40 } },
  })
  mock: JsonObject = {};
}

@ApiSchema({ description: 'Options of a cancellation.' })
export class CancelRunBody {
  @Text({
    optional: true,
    maxLength: 1_000,
    description: 'Reason, shown as `cancel_reason` of the run.',
    example: 'Wrong customer',
  })
  reason?: string;
}

export class StepsAfterQuery {
  @Whole({
    optional: true,
    message: 'after_n must be a whole number from 0',
    minimum: 0,
    default: 0,
    description: 'Returns only the steps after this position in the trace.',
  })
  after_n = 0;
}

export const REVEAL = {
  optional: true,
  default: false,
  description:
    '`true` returns the original values in place of `[redacted]`. Requires the scope `runs:reveal`. The ' +
    'audit log records the access.',
} as const;

export class RevealQuery {
  @Flag(REVEAL) reveal = false;
}

const TRACE_FIELDS = ['summary'] as const;

export class TraceQuery extends StepsAfterQuery {
  @Flag(REVEAL) reveal = false;
  @Whole({
    optional: true,
    minimum: 1,
    maximum: 1_000,
    description: 'Maximum number of steps to return. Default: all.',
    message: 'limit must be a whole number from 1 to 1000',
  })
  limit?: number;
  @OneOf(TRACE_FIELDS, {
    optional: true,
    description:
      '`summary` returns only `n`, `type`, `id`, `path`, `at`, `duration_ms`, `status`, `tool`, `scope` and ' +
      '`knowledge_bases` of each step. Default: all fields.',
  })
  fields?: (typeof TRACE_FIELDS)[number];
}

export function tracePart({ after_n: afterN, limit, fields }: TraceQuery): TracePart {
  return { afterN, ...(limit !== undefined && { limit }), summary: fields === 'summary' };
}

@ApiSchema({ description: 'An amount of money.' })
export class RunCost {
  @Text({ example: '0.0125', description: 'Amount as a decimal number.' }) amount: string;
  @Text({ example: 'EUR', description: 'Currency code (ISO 4217).' }) currency: string;
  @Flag({
    optional: true,
    description: '`true` if the price of a model call is unknown and not part of the amount.',
  })
  partial?: boolean;
}

@ApiSchema({ description: 'Numbers of tokens.' })
export class TurnUsage {
  @Whole({ description: 'Input, including cached tokens.', example: 812 }) input_tokens: number;
  @Whole({ description: 'Output, including reasoning.', example: 64 }) output_tokens: number;
  @Whole({ description: 'Read from the cache.', example: 600 }) cache_read_tokens: number;
  @Whole({ description: 'Written to the cache.', example: 0 }) cache_write_tokens: number;
  @Whole({ description: 'Reasoning.', example: 40 }) reasoning_tokens: number;
}

@ApiSchema({ name: 'RunWarning', description: 'A possible problem in a run that did not make the run fail.' })
export class RunWarningResource {
  @Text({ description: 'Code of the warning.', example: 'output_truncated' }) code: string;
  @Text({ description: 'Explanation for people.', example: 'The model reached its output limit.' }) message: string;
  @Text({ nullable: true, description: 'Id of the step in the definition; null if there is none.', example: 'answer' })
  step: string | null;
  @Whole({ description: 'Position of the step in the trace.', example: 4 }) n: number;
}

@ApiSchema({ name: 'RunError', description: 'The reason why a run or a step failed.' })
export class RunErrorResource {
  @OneOf(RUN_ERROR_CODES, { description: 'Code of the error. Later releases may add codes.', example: 'tool_error' })
  code: RunErrorCode;
  @Text({ description: 'Explanation for people.', example: 'orders.get returned 500.' }) message: string;
  @Text({ nullable: true, description: 'Id of the step in the definition; null if there is none.', example: 'order' })
  step: string | null;
}

@ApiSchema({ name: 'RunTrigger', description: 'What started a run. The fields depend on the type.' })
export class RunTriggerResource {
  @OneOf(TRIGGER_TYPES, {
    description:
      'Type. `api`: a call of this API. `webhook`, `email.received`, `schedule`, `poll`: a trigger of the agent. `evaluation`: a trial. ' +
      '`replay`: another run was replayed. `agent`: another agent called this one as a tool.',
  })
  type: TriggerType;
  @Text({ optional: true, description: 'Id of the trigger in the definition.', example: 'hook' }) id?: string;
  @AnyObject({ optional: true, description: 'Responses of tools that the request of a draft run contained.' })
  mock?: JsonObject;
  @Timestamp({ optional: true, description: 'Fire time, for `schedule`.' }) fire_at?: string;
  @Text({ optional: true, description: 'Mailbox, for `email.received`.', example: 'refunds@example.com' })
  mailbox?: string;
  @Text({ optional: true, description: 'Message-ID of the e-mail, for `email.received`.', example: '<1@example.com>' })
  message_id?: string;
  @Id('run', {
    optional: true,
    description: 'Id of the replayed run (`replay`, `evaluation`) or calling run (`agent`).',
  })
  run?: string;
  @OneOf(TOOL_RESULTS, { optional: true, description: 'Source of tool results, for `replay`.' })
  tool_results?: ToolResults;
  @Whole({
    optional: true,
    nullable: true,
    description:
      'Position in the trace before which recorded results were used, for `replay`; null without `from_step`.',
    example: 3,
  })
  from_step?: number | null;
  @Text({
    optional: true,
    nullable: true,
    description: 'Path of the step from which the plan was executed again, for `replay`; null without `from_step`.',
    example: 'refund',
  })
  from_path?: string | null;
  @Id('evaluation', { optional: true, description: 'Id of the evaluation, also for the runs that a trial starts.' })
  evaluation?: string;
  @Whole({ optional: true, description: 'Evaluated version, for `evaluation`.', example: 2 }) version?: number;
  @Text({ optional: true, nullable: true, description: 'Name of the case; null for a recorded run.', example: 'late' })
  case?: string | null;
  @Whole({ optional: true, nullable: true, description: 'Position of the case; null for a recorded run.', example: 0 })
  case_n?: number | null;
  @Whole({ optional: true, description: 'Number of the trial of the case.', example: 1 }) trial?: number;
  @Flag({ optional: true, description: 'Whether the trial runs the version in production, as the baseline.' })
  baseline?: boolean;
}

@ApiSchema({ name: 'AwaitedRun', description: 'A child run that has not ended.' })
export class AwaitedRunResource {
  @Id('run') id: string;
  @Text({ description: 'Current name of its agent.', example: 'mail-sorter' }) agent_name: string;
  @OneOf(RUN_STATUSES, { description: 'Its status.' }) status: RunStatus;
  @OneOf(WAIT_REASONS, { nullable: true, description: 'What it waits for itself; null while a worker executes it.' })
  for: WaitReason | null;
}

@ApiSchema({ name: 'RunWaiting', description: 'What a run waits for.' })
export class RunWaitingResource {
  @OneOf(WAIT_REASONS, {
    description:
      'Reason. `worker`: no worker executes the run yet, or the workspace is stopped. `time`: a step of the definition ' +
      'waits. `approval`: a person must decide. `retry`: a failed call is made again later. `child`: a run that this run ' +
      'started has not ended. `callback`: the run waits for a call to an address that it has published.',
    example: 'retry',
  })
  for: WaitReason;
  @Timestamp({
    optional: true,
    description: 'Time until which the run waits at most. Absent for `worker` and `child`.',
    example: '2026-01-31T08:00:30.000Z',
  })
  until?: string;
  @Nested(AwaitedRunResource, {
    optional: true,
    list: true,
    description: 'Child runs that have not ended, for `child`; at most 20, oldest first.',
  })
  runs?: AwaitedRunResource[];
}

@ApiSchema({ name: 'Run', description: 'One execution of an agent.' })
export class RunResource {
  @Id('run') id: string;
  @Id('agent') agent: string;
  @Text({ description: 'Current name of the agent.', example: 'refund-desk' }) agent_name: string;
  @Whole({ description: 'Number of the version that runs.', example: 3 }) version: number;
  @OneOf(RUN_MODES, { description: 'Mode; `test` simulates write operations.' }) mode: RunMode;
  @OneOf(RUN_STATUSES, {
    description:
      'Status. `queued`: waits for a worker, a time, a retry, another run or a callback (see `waiting`). `running`: a worker executes it. `waiting_approval`: a person must decide. ' +
      '`succeeded`, `failed`, `cancelled` and `handed_off` (people take over) are final.',
    example: 'succeeded',
  })
  status: RunStatus;
  @Nested(RunWaitingResource, {
    nullable: true,
    description: 'What the run waits for; null while a worker executes the run and after the run has ended.',
    example: null,
  })
  waiting: RunWaitingResource | null;
  @Nested(RunTriggerResource, { description: 'Trigger that started the run.' }) trigger: JsonObject;
  @AnyObject({ description: 'Input of the run.', example: { order_id: '1002' } }) input: JsonObject;
  @AnyObject({
    nullable: true,
    description: 'Output; null until the run has produced it. An output that is not an object is in the field `value`.',
    example: { resolution: 'refunded' },
  })
  output: JsonObject | null;
  @Nested(ApprovalResource, { list: true, description: 'Approvals of the run, oldest first.', example: [] })
  approvals: ApprovalResource[];
  @Timestamp({ description: 'Time at which the run was accepted. Equal to `created_at`.' }) started_at: string;
  @Timestamp({ nullable: true, description: 'Time of the end; null until then.', example: '2026-01-31T08:00:02.140Z' })
  ended_at: string | null;
  @Whole({
    nullable: true,
    description: 'Active time in milliseconds, without any time in which the run waits; null until the run ends.',
    example: 2140,
  })
  duration_ms: number | null;
  @Nested(RunCost, { description: 'Cost of the model calls so far.' }) cost: RunCost;
  @Nested(TurnUsage, { description: 'Tokens of its model calls so far.' }) usage: TurnUsage;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
  @Nested(RunErrorResource, { nullable: true, description: 'Error of a failed run; null otherwise.', example: null })
  error: RunErrorResource | null;
  @Field({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Labels of the definition.',
    example: { team: 'support' },
  })
  labels: JsonObject;
  @Text({
    nullable: true,
    description: 'E-mail address of the person who started the run; null if no person started it.',
    example: 'ada@example.com',
  })
  initiator: string | null;
  @Id('run', { nullable: true, description: 'Id of the replayed run; null if this is no replay.', example: null })
  replay_of: string | null;
  @Text({ nullable: true, description: 'Reason for the cancellation; null if none was given.', example: null })
  cancel_reason: string | null;
  @Nested(RunWarningResource, { list: true, description: 'Warnings, at most 20.', example: [] })
  warnings: RunWarningResource[];
  @CallbackUrl() callback_url?: string;
  @ConsolePage('runs/run') console_url?: string;
}

@ApiSchema({ name: 'AskingRun', description: 'A run, and the approval that it waits for.' })
export class AskingRunResource extends RunResource {
  @Nested(ApprovalResource, { description: 'Approval that the run waits for.' }) approval: ApprovalResource;
}

const MAX_NAME = 1_000;

const IsStepReference = (): PropertyDecorator =>
  ValidateBy({
    name: 'isStepReference',
    validator: {
      validate: (value: unknown) =>
        typeof value === 'string'
          ? value !== '' && value.length <= MAX_NAME
          : Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_NUMBER,
      defaultMessage: () => 'from_step must be a position in the trace (from 1), or the id or path of a step',
    },
  });

@ApiSchema({ description: 'Options of the replay.' })
export class ReplayRunBody {
  @Field({
    optional: true,
    oneOf: [
      { type: 'integer', minimum: 1, maximum: MAX_NUMBER },
      { type: 'string', minLength: 1, maxLength: MAX_NAME },
    ],
    description:
      'First step to execute again: its position in the trace of the replayed run (`n`), its id in the trace, or its ' +
      'path. The results recorded before it are used, regardless of `tool_results`. The step itself, with all steps ' +
      'inside it, gets no recorded result, and later steps get no recorded failure. Default: none.',
    example: 'refund',
  })
  @IsStepReference()
  from_step?: number | string;
  @Whole({
    optional: true,
    minimum: 1,
    maximum: MAX_NUMBER,
    description: 'Number of the version. Default: the version of the replayed run.',
    example: 4,
  })
  version?: number;
  @OneOf(RUN_MODES, {
    description: 'Mode. `production` carries out write operations again, `test` simulates them.',
    example: 'test',
  })
  mode: RunMode;
  @OneOf(TOOL_RESULTS, {
    optional: true,
    default: 'recorded',
    description:
      'Source of tool results. `recorded`: if a call has the same step and an equal request, the recorded result is used; ' +
      'any other call is made as in a new run in this `mode`. In mode `production`, a call that failed is made again. ' +
      '`live`: all calls are made again.',
  })
  tool_results: ToolResults = 'recorded';
}
