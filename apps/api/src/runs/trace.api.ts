import { type ApiHeaderOptions, ApiSchema } from '@nestjs/swagger';
import { TRACE_STATUSES, type TraceStatus } from '@app/runs';
import { Id, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';

/** The fields that all steps have. trace-steps.api.ts contains the fields of each type of step. */
@ApiSchema({ name: 'TraceStep', description: 'A step of a run.' })
export class TraceStepResource {
  @Whole({ minimum: 1, description: 'Position in the trace, from 1.', example: 2 }) n: number;
  @Text({ description: 'Type of the step.' }) type: string;
  @Text({ description: 'Id of the trace step.', example: 'run_01kahzvk3te9d8q6f0f1v3m2sx.2' }) id: string;
  @Timestamp({ description: 'Start of the step.' }) at: string;
  @Whole({
    nullable: true,
    description: 'Milliseconds; null until the step ends.',
    example: 184,
  })
  duration_ms: number | null;
  @OneOf(TRACE_STATUSES, {
    description: 'Status of the step or of its approval.',
  })
  status: TraceStatus;
  @Text({
    optional: true,
    description: 'Path of the step; the same for each attempt.',
    example: 'order',
  })
  path?: string;
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
  @Whole({
    optional: true,
    description: 'Value of `after_n` for the next steps; absent if no more steps are recorded.',
    example: 2,
  })
  next_after_n?: number;
}

const RUN = 'run_01kahzvk3te9d8q6f0f1v3m2sx';

/** Examples for the OpenAPI document: one event of each type, in the order of a stream. */
export const RUN_EVENT_EXAMPLES = {
  step: { value: { type: 'step', id: '2', data: TOOL_CALL } },
  text: { value: { type: 'text', data: { run: RUN, n: 3, path: 'turn[2]', text: 'Your refund ' } } },
  status: { value: { type: 'status', id: '2', data: { run: RUN, status: 'succeeded' } } },
  end: { value: { type: 'end', id: 'end', data: { run: RUN } } },
};

export const LAST_EVENT_ID: ApiHeaderOptions = {
  name: 'Last-Event-ID',
  required: false,
  description: 'Id of the last event that was received. It takes precedence over `after_n`.',
  schema: { type: 'string', example: '2' },
};
