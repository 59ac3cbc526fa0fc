import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { TRACE_STATUSES, type TraceStatus } from './trace-status.js';

/** The first six are those of every step; the others depend on its type. */
@ApiSchema({ name: 'TraceStep' })
export class TraceStepResource {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Position in the trace.' })
  n: number;

  @ApiProperty({ example: 'tool_call' })
  type: string;

  @ApiProperty({ example: 'run_01kahzvk3te9d8q6f0f1v3m2sx.2' })
  id: string;

  @ApiProperty({ format: 'date-time' })
  at: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Null while the step is under way. Of a call in doubt until it became doubtful, of one that was never sent 0: what is ' +
      'waited for people is the time of `approval` and `in_doubt`.',
  })
  duration_ms: number | null;

  @ApiProperty({
    enum: TRACE_STATUSES,
    description:
      'Of `approval` and `in_doubt`: `open`, `approved`, `rejected`, `expired` or `cancelled`. Of every other step how it ' +
      'ended, or what it is at: `running`, `pending` (approved, about to begin), `awaiting_approval`, `waiting`.',
  })
  status: TraceStatus;

  @ApiPropertyOptional({
    type: String,
    description: 'Names the step within the run; every try of it has the same path.',
  })
  path?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'Of `trigger`: what started the run.',
  })
  data?: unknown;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'Of `tool_call`.', example: 'orders.get' })
  tool?: unknown;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'Of `tool_call`.', example: 'read' })
  scope?: unknown;

  @ApiPropertyOptional({ type: 'object', nullable: true, additionalProperties: true, description: 'Of `tool_call`.' })
  request?: unknown;

  @ApiPropertyOptional({ type: String, description: 'Of `tool_call`: the beginning of what the tool answered.' })
  response_summary?: unknown;

  @ApiPropertyOptional({ type: [String], description: 'Of `retrieval`: names.' })
  knowledge_bases?: unknown;

  @ApiPropertyOptional({ type: String, description: 'Of `retrieval`.' })
  query?: unknown;

  @ApiPropertyOptional({ type: 'integer', description: 'Of `retrieval`: how many were found.' })
  passages?: unknown;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Of `retrieval`: `{id, version, score}` of each document that passages were found in, best first.',
  })
  documents?: unknown;

  @ApiPropertyOptional({ type: String, description: 'Of `reasoning`.' })
  summary?: unknown;

  @ApiPropertyOptional({ type: String, description: 'Of `approval`: the policy that asked for it.' })
  policy?: unknown;

  @ApiPropertyOptional({ type: [String], description: 'Of `approval`: names of groups.' })
  approvers?: unknown;

  @ApiPropertyOptional({ type: String, description: 'Of `wait`.', format: 'date-time' })
  until?: unknown;

  [further: string]: unknown;
}

@ApiSchema({ name: 'Trace' })
export class TraceResource {
  @ApiProperty({ example: 'run_01kahzvk3te9d8q6f0f1v3m2sx' })
  run: string;

  @ApiProperty({ type: [TraceStepResource], description: 'Ordered by `n`.' })
  steps: TraceStepResource[];
}
