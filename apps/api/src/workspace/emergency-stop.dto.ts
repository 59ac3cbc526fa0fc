import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { COUNTED_RUNS, DRAIN_TIMEOUT, STOPPED_RUNS, type StoppedRuns } from '@app/runs/emergency-stop';
import { Optional } from '../http/request-validation.js';

/** Characters. */
export const LONGEST_REASON = 1_000;

export class StopWorkspaceBody {
  @ApiPropertyOptional({
    type: String,
    maxLength: LONGEST_REASON,
    description: 'Shown in the workspace and kept in the audit log.',
  })
  @Optional()
  @MaxLength(LONGEST_REASON)
  @IsString()
  reason?: string;

  @ApiPropertyOptional({
    enum: STOPPED_RUNS,
    default: 'suspend',
    description:
      'Suspended runs go on after the resume. A workspace that is stopped already can still be told to cancel.',
  })
  @Optional()
  @IsIn(STOPPED_RUNS)
  runs: StoppedRuns = 'suspend';

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: DRAIN_TIMEOUT.max,
    default: DRAIN_TIMEOUT.default,
    description:
      'Milliseconds that calls under way have to end by themselves; what is left then is broken off. The answer comes ' +
      'as soon as none is under way.',
  })
  @Optional()
  @Max(DRAIN_TIMEOUT.max)
  @Min(0)
  @IsInt()
  drain_timeout_ms: number = DRAIN_TIMEOUT.default;
}

const counted = { type: 'integer', maximum: COUNTED_RUNS, description: `Counted up to ${COUNTED_RUNS}.` } as const;

@ApiSchema({ name: 'OpenRuns' })
export class OpenRunsResource {
  @ApiProperty(counted)
  queued: number;

  @ApiProperty(counted)
  running: number;

  @ApiProperty(counted)
  waiting_approval: number;
}

const CALL_IN_FLIGHT_STATUSES = ['running', 'in_doubt', 'cancelled'] as const;
type CallInFlightStatus = (typeof CALL_IN_FLIGHT_STATUSES)[number];

@ApiSchema({ name: 'CallInFlight' })
export class CallInFlightResource {
  @ApiProperty({ example: 'run_01kahzvk3te9d8q6f0f1v3m2sx' })
  run: string;

  @ApiProperty({ type: 'integer', description: 'Position in the trace of the run.' })
  n: number;

  @ApiProperty({ example: 'shop.pay' })
  tool: string;

  @ApiProperty({ enum: ['read', 'write'] })
  scope: 'read' | 'write';

  @ApiProperty({ format: 'date-time' })
  started_at: string;

  @ApiProperty({
    enum: CALL_IN_FLIGHT_STATUSES,
    description:
      'What the trace says of it now: `running`; `in_doubt`, a write that was broken off and may have happened; `cancelled`, ' +
      'a call that was broken off and is made again after the resume where its run goes on.',
  })
  status: CallInFlightStatus;
}

@ApiSchema({ name: 'EmergencyStop' })
export class EmergencyStopResource {
  @ApiProperty({ enum: ['stopped'] })
  status: 'stopped';

  @ApiProperty({ type: 'integer', description: 'Rises at every stop and at every resume; even while stopped.' })
  epoch: number;

  @ApiProperty({ format: 'date-time' })
  stopped_at: string;

  @ApiProperty({ description: 'E-mail address.' })
  stopped_by: string;

  @ApiProperty({ type: String, nullable: true })
  reason: string | null;

  @ApiProperty({ type: OpenRunsResource, description: 'Runs that have not ended.' })
  runs: OpenRunsResource;

  @ApiProperty({
    type: [CallInFlightResource],
    description:
      'Calls that had begun before the stop and could not be confirmed as ended: no answer of them came in time. No other ' +
      'call is under way. A stop that is repeated lists what is under way then.',
  })
  in_flight: CallInFlightResource[];
}
