import type { StopReport, UnconfirmedCall } from '@app/runs/emergency-stop';
import type { CallInFlightResource, EmergencyStopResource } from './emergency-stop.api.js';

/** Maps the state of an unconfirmed tool call to the status that the trace shows for this call. */
const STATUS_OF = {
  started: 'running',
  in_doubt: 'in_doubt',
  interrupted: 'cancelled',
  cancelled: 'cancelled',
} as const satisfies Record<UnconfirmedCall['state'], string>;

export function presentStop({
  epoch,
  stoppedAt,
  stoppedBy,
  reason,
  runs,
  inFlight,
}: StopReport): EmergencyStopResource {
  return {
    status: 'stopped',
    epoch,
    stopped_at: stoppedAt.toISOString(),
    stopped_by: stoppedBy,
    reason,
    runs: { queued: runs.queued, running: runs.running, waiting_approval: runs.waitingApproval },
    in_flight: inFlight.map(presentCall),
  };
}

export function presentCall({ runId, n, tool, scope, startedAt, state }: UnconfirmedCall): CallInFlightResource {
  return { run: runId, n, tool, scope, started_at: startedAt.toISOString(), status: STATUS_OF[state] };
}
