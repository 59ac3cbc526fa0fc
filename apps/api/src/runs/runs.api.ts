import { type ApiHeaderOptions, ApiSchema } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import type { JsonObject } from '@app/kernel';
import {
  RUN_MODES,
  RUN_STATUSES,
  type RunFilter,
  type RunMode,
  type RunStatus,
  TOOL_RESULTS,
  type ToolResults,
  TRACE_STATUSES,
  type TraceStatus,
  TRIGGER_TYPES,
  type TriggerType,
} from '@app/runs';
import { ApprovalResource } from '../approvals/approvals.api.js';
import {
  AgentId,
  AnyObject,
  Field,
  Flag,
  Nested,
  OneOf,
  Text,
  TimeParameter,
  Timestamp,
  Whole,
} from '../http/fields.js';
import { anyOrder, PageQuery } from '../http/list-pages.js';
import { LIMIT_WORDS } from '../http/route-inputs.js';

const HIGHEST_NUMBER = 2 ** 31 - 1;

export class StartRunBody {
  @AnyObject({
    optional: true,
    description: `Validated against the definition's \`input\` schema. At most ${LIMIT_WORDS.input} as JSON.`,
    example: { name: 'Ada' },
  })
  input: JsonObject = {};
  @OneOf(RUN_MODES, { optional: true, description: 'Default: `production` for live keys, `test` for test keys.' })
  mode?: RunMode;
  @Whole({ optional: true, minimum: 1, maximum: HIGHEST_NUMBER, description: 'Default: the production version.' })
  version?: number;
}

export class CancelRunBody {
  @Text({ optional: true, maxLength: 1_000, description: 'Shown in the run as `cancel_reason`.' }) reason?: string;
}

export class ListRunsQuery extends PageQuery {
  @AgentId({ optional: true, description: 'Only runs of this agent.', example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' })
  agent?: string;
  @OneOf(RUN_STATUSES, { optional: true, list: true, description: 'Any of these; repeated or separated by commas.' })
  status?: RunStatus[];
  @OneOf(TRIGGER_TYPES, { optional: true }) trigger_type?: TriggerType;
  @OneOf(RUN_MODES, { optional: true }) mode?: RunMode;
  @TimeParameter({ optional: true, description: 'Created at this time or later.' }) since?: Date;
  @TimeParameter({ optional: true, description: 'Created before this time.' }) until?: Date;
}

export class StepsAfterQuery {
  @Whole({
    optional: true,
    message: 'after_n must be a whole number from 0',
    minimum: 0,
    default: 0,
    description: 'Only steps after this position.',
  })
  after_n = 0;
}

const REVEAL = {
  optional: true,
  default: false,
  description:
    'With what the definition redacts, which is `[redacted]` everywhere else. Needs the scope `runs:reveal` and is recorded in the audit log.',
} as const;

export class RevealQuery {
  @Flag(REVEAL) reveal = false;
}

export class TraceQuery extends StepsAfterQuery {
  @Flag(REVEAL) reveal = false;
}

export class RunCost {
  @Text({ example: '0.0125', description: 'Decimal.' }) amount: string;
  @Text({ example: 'EUR', description: 'ISO 4217.' }) currency: string;
  @Flag({
    optional: true,
    description: 'True where something that was used has no known price; it is not in the amount.',
  })
  partial?: boolean;
}

@ApiSchema({ name: 'RunWarning' })
export class RunWarningResource {
  @Text({ example: 'output_truncated' }) code: string;
  @Text() message: string;
  @Text({ nullable: true, description: 'Id of the step in the definition.' }) step: string | null;
  @Whole({ description: 'Position in the trace.' }) n: number;
}

@ApiSchema({ name: 'RunError' })
export class RunErrorResource {
  @Text({ example: 'tool_error' }) code: string;
  @Text() message: string;
  @Text({ nullable: true, description: 'Id of the step in the definition.' }) step: string | null;
}

/** What started a run. Further members depend on the type. */
@ApiSchema({ name: 'RunTrigger' })
export class RunTriggerResource {
  @OneOf(TRIGGER_TYPES) type: TriggerType;
  @Text({ optional: true, description: 'Of an email trigger.' }) mailbox?: string;
  @Text({ optional: true, description: 'Of an email trigger.' }) message_id?: string;
  @Text({ optional: true, description: 'Of a replay, which also has what triggered that run: its id.' }) run?: string;
  @OneOf(TOOL_RESULTS, { optional: true, description: 'Of a replay.' }) tool_results?: ToolResults;
  @Whole({
    optional: true,
    nullable: true,
    description: 'Of a replay: results recorded before this position were taken over.',
  })
  from_step?: number | null;
}

@ApiSchema({ name: 'Run' })
export class RunResource {
  @Text({ example: 'run_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' }) agent: string;
  @Whole({ description: 'The version that runs.' }) version: number;
  @OneOf(RUN_MODES) mode: RunMode;
  @OneOf(RUN_STATUSES) status: RunStatus;
  @Nested(RunTriggerResource) trigger: JsonObject;
  @AnyObject() input: JsonObject;
  @AnyObject({
    nullable: true,
    description: 'Null until the run produces output. What is no object (a list, a text) is its `value`.',
  })
  output: JsonObject | null;
  @Nested(ApprovalResource, { list: true, description: 'What it has asked people, in that order.' })
  approvals: ApprovalResource[];
  @Timestamp({ description: 'When the run was accepted.' }) started_at: string;
  @Timestamp({ nullable: true }) ended_at: string | null;
  @Whole({ nullable: true, description: 'Active time, without waiting for approvals.' }) duration_ms: number | null;
  @Nested(RunCost) cost: RunCost;
  @Timestamp() created_at: string;
  @Nested(RunErrorResource, { nullable: true }) error: RunErrorResource | null;
  @Field({ type: 'object', additionalProperties: { type: 'string' } }) labels: JsonObject;
  @Text({ nullable: true, description: 'E-mail address of who started it.' }) initiator: string | null;
  @Text({ nullable: true }) replay_of: string | null;
  @Text({ nullable: true }) cancel_reason: string | null;
  @Nested(RunWarningResource, { list: true, description: 'What did not fail and may be wrong; at most 20.' })
  warnings: RunWarningResource[];
}

const LONGEST_NAME = 1_000;

const IsStepReference = (): PropertyDecorator =>
  ValidateBy({
    name: 'isStepReference',
    validator: {
      validate: (value: unknown) =>
        typeof value === 'string'
          ? value !== '' && value.length <= LONGEST_NAME
          : Number.isInteger(value) && Number(value) >= 1 && Number(value) <= HIGHEST_NUMBER,
      defaultMessage: () => 'from_step must be a position in the trace (from 1), or the id or path of a step',
    },
  });

export class ReplayRunBody {
  @Field({
    optional: true,
    oneOf: [
      { type: 'integer', minimum: 1, maximum: HIGHEST_NUMBER },
      { type: 'string', minLength: 1, maxLength: LONGEST_NAME },
    ],
    description:
      'Results recorded before this step are taken over, whatever `tool_results` says: a position in the trace (`n`), the id of ' +
      'a trace step, or the path of a step. Default: none are.',
    example: 'refund',
  })
  @IsStepReference()
  from_step?: number | string;
  @Whole({ optional: true, minimum: 1, maximum: HIGHEST_NUMBER, description: 'Default: the version that ran.' })
  version?: number;
  @OneOf(RUN_MODES, { description: '`production` makes writes again, `test` simulates them.' }) mode: RunMode;
  @OneOf(TOOL_RESULTS, {
    optional: true,
    default: 'recorded',
    description:
      '`recorded`: a call at the same place, of the same operation and with an equal request has the result that it had; any ' +
      'other call is treated as in every run of the mode (in `test` reads are made and writes simulated). `live`: calls are made again.',
  })
  tool_results: ToolResults = 'recorded';
}

/** The first six are those of every step; the others depend on its type. */
@ApiSchema({ name: 'TraceStep' })
export class TraceStepResource {
  @Whole({ minimum: 1, description: 'Position in the trace.' }) n: number;
  @Text({ example: 'tool_call' }) type: string;
  @Text({ example: 'run_01kahzvk3te9d8q6f0f1v3m2sx.2' }) id: string;
  @Timestamp() at: string;
  @Whole({
    nullable: true,
    description:
      'Null while the step is under way. Of a call in doubt until it became doubtful, of one that was never sent 0: what is ' +
      'waited for people is the time of `approval` and `in_doubt`.',
  })
  duration_ms: number | null;
  @OneOf(TRACE_STATUSES, {
    description:
      'Of `approval` and `in_doubt`: `open`, `approved`, `rejected`, `expired` or `cancelled`. Of every other step how it ' +
      'ended, or what it is at: `running`, `pending` (approved, about to begin), `awaiting_approval`, `waiting`.',
  })
  status: TraceStatus;
  @Text({ optional: true, description: 'Names the step within the run; every try of it has the same path.' })
  path?: string;
  @AnyObject({ optional: true, description: 'Of `trigger`: what started the run.' }) data?: unknown;
  @Text({ optional: true, nullable: true, description: 'Of `tool_call`.', example: 'orders.get' }) tool?: unknown;
  @Text({ optional: true, nullable: true, description: 'Of `tool_call`.', example: 'read' }) scope?: unknown;
  @AnyObject({ optional: true, nullable: true, description: 'Of `tool_call`.' }) request?: unknown;
  @Text({ optional: true, description: 'Of `tool_call`: the beginning of what the tool answered.' })
  response_summary?: unknown;
  @Text({ optional: true, list: true, description: 'Of `retrieval`: names.' }) knowledge_bases?: unknown;
  @Text({ optional: true, description: 'Of `retrieval`.' }) query?: unknown;
  @Whole({ optional: true, description: 'Of `retrieval`: how many were found.' }) passages?: unknown;
  @Field({
    optional: true,
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Of `retrieval`: `{id, version, score}` of each document that passages were found in, best first.',
  })
  documents?: unknown;
  @Text({ optional: true, description: 'Of `reasoning`.' }) summary?: unknown;
  @Text({ optional: true, description: 'Of `approval`: the policy that asked for it.' }) policy?: unknown;
  @Text({ optional: true, list: true, description: 'Of `approval`: names of groups.' }) approvers?: unknown;
  @Timestamp({ optional: true, description: 'Of `wait`.' }) until?: unknown;

  [further: string]: unknown;
}

@ApiSchema({ name: 'Trace' })
export class TraceResource {
  @Text({ example: 'run_01kahzvk3te9d8q6f0f1v3m2sx' }) run: string;
  @Nested(TraceStepResource, { list: true, description: 'Ordered by `n`.' }) steps: TraceStepResource[];
}

/** A stream of events, as `GET /v1/runs/{id}/events` answers it. */
export const EVENTS_EXAMPLE = `event: step
id: 2
data: {"n":2,"type":"tool_call","id":"run_01kahzvk3te9d8q6f0f1v3m2sx.2","status":"succeeded","tool":"orders.get"}

event: text
data: {"run":"run_01kahzvk3te9d8q6f0f1v3m2sx","n":3,"path":"turn[2]","text":"Your refund "}

event: status
id: 2
data: {"run":"run_01kahzvk3te9d8q6f0f1v3m2sx","status":"succeeded"}

event: end
id: end
data: {"run":"run_01kahzvk3te9d8q6f0f1v3m2sx"}

`;

export const LAST_EVENT_ID: ApiHeaderOptions = {
  name: 'Last-Event-ID',
  required: false,
  description: 'Id of the last event that was seen; it counts more than `after_n`.',
  schema: { type: 'string' },
};

/** The filters of the query. */
export function runFilter({ agent, status, trigger_type, mode, since, until }: ListRunsQuery): RunFilter {
  return { agentId: agent, statuses: status, triggerType: trigger_type, mode, since, until };
}

/** The filters of the query, for its cursors. */
export function cursorFilters({ agent, status, trigger_type, mode, since, until }: ListRunsQuery): JsonObject {
  return {
    agent: agent ?? null,
    status: anyOrder(status),
    trigger_type: trigger_type ?? null,
    mode: mode ?? null,
    since: since?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
  };
}
