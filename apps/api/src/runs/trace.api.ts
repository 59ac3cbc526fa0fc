import { type ApiHeaderOptions, ApiSchema } from '@nestjs/swagger';
import { TRACE_STATUSES, type TraceStatus } from '@app/runs';
import { AnyObject, Field, Id, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';

@ApiSchema({
  name: 'TraceStep',
  description: 'A step of a run. Each step has the first six fields; the others depend on its type.',
})
export class TraceStepResource {
  @Whole({ minimum: 1, description: 'Position in the trace, from 1.', example: 2 }) n: number;
  @Text({
    description:
      'Type: `trigger`, `tool_call`, `retrieval`, `reasoning`, `approval`, `model_call`, `output`, `error`, `retry`, `hand_off`, ' +
      '`cancelled`, `stopped`, `resumed`, `wait`, `in_doubt` or `assertion`.',
    example: 'tool_call',
  })
  type: string;
  @Text({ description: 'Id of the trace step.', example: 'run_01kahzvk3te9d8q6f0f1v3m2sx.2' }) id: string;
  @Timestamp({ description: 'Start of the step.' }) at: string;
  @Whole({
    nullable: true,
    description:
      'Duration in milliseconds; null while the step is in progress. Waiting for people counts in the steps `approval` and ' +
      '`in_doubt`, not in the call.',
    example: 184,
  })
  duration_ms: number | null;
  @OneOf(TRACE_STATUSES, {
    description:
      'Status. For `approval` and `in_doubt`: `open`, `approved`, `rejected`, `expired` or `cancelled`. For other steps: their ' +
      'result, or `running`, `pending` (approved, not begun), `awaiting_approval` or `waiting`.',
  })
  status: TraceStatus;
  @Text({
    optional: true,
    description: 'Path of the step within the run; each attempt has the same path.',
    example: 'order',
  })
  path?: string;
  @AnyObject({
    optional: true,
    description: 'Trigger that started the run. Only in `trigger`.',
    example: { type: 'api' },
  })
  data?: unknown;
  @Text({
    optional: true,
    nullable: true,
    description: 'Operation that was called. Only in `tool_call`.',
    example: 'orders.get',
  })
  tool?: unknown;
  @Text({
    optional: true,
    nullable: true,
    description: 'Scope of the operation: `read` or `write`. Only in `tool_call`.',
    example: 'read',
  })
  scope?: unknown;
  @AnyObject({
    optional: true,
    nullable: true,
    description: 'Arguments of the call. Only in `tool_call`.',
    example: { order_id: '1002' },
  })
  request?: unknown;
  @Text({ optional: true, description: 'Beginning of the response. Only in `tool_call`.', example: '{"total":40}' })
  response_summary?: unknown;
  @Text({
    optional: true,
    list: true,
    description: 'Names of the knowledge bases. Only in `retrieval`.',
    example: ['refund-policy'],
  })
  knowledge_bases?: unknown;
  @Text({ optional: true, description: 'Query. Only in `retrieval`.', example: 'refund limit' }) query?: unknown;
  @Whole({ optional: true, description: 'Number of passages found. Only in `retrieval`.', example: 3 })
  passages?: unknown;
  @Field({
    optional: true,
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Documents of the passages as `{id, version, score}`, best first. Only in `retrieval`.',
    example: [{ id: 'doc_01kahzvk3te9d8q6f0f1v3m2sx', version: 2, score: 0.82 }],
  })
  documents?: unknown;
  @Text({ optional: true, description: 'Summary. Only in `reasoning`.', example: 'The order is older than 30 days.' })
  summary?: unknown;
  @Text({
    optional: true,
    description: 'Policy that requires the approval. Only in `approval`.',
    example: 'big-refund',
  })
  policy?: unknown;
  @Text({
    optional: true,
    list: true,
    description: 'Groups that may decide. Only in `approval`.',
    example: ['finance-leads'],
  })
  approvers?: unknown;
  @Timestamp({ optional: true, description: 'End of the wait. Only in `wait`.' }) until?: unknown;

  [further: string]: unknown;
}

const TOOL_CALL = {
  n: 2,
  type: 'tool_call',
  id: 'run_01kahzvk3te9d8q6f0f1v3m2sx.2',
  at: '2026-01-31T08:00:00.000Z',
  duration_ms: 184,
  status: 'succeeded',
  path: 'order',
  tool: 'orders.get',
  scope: 'read',
  request: { order_id: '1002' },
  response_summary: '{"total":40}',
};

@ApiSchema({ name: 'Trace', description: 'The recorded steps of a run.' })
export class TraceResource {
  @Id('run') run: string;
  @Nested(TraceStepResource, { list: true, description: 'Steps, ordered by `n`.', example: [TOOL_CALL] })
  steps: TraceStepResource[];
}

/** An event stream of `GET /v1/runs/{id}/events`. */
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
  description: 'Id of the last event that was received. It takes precedence over `after_n`.',
  schema: { type: 'string', example: '2' },
};
