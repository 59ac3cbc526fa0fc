import type { StopOrder, StopReport } from '@app/runs/emergency-stop';
import type { Principal } from '@app/workspace';
import type { EmergencyStopResource, StopWorkspaceBody } from './emergency-stop.dto.js';

export function stopOrder({ email }: Principal, body: StopWorkspaceBody): StopOrder {
  return { actor: email, reason: body.reason ?? null, runs: body.runs, drainTimeoutMillis: body.drain_timeout_ms };
}

/** As the trace spells it. */
const STATUS_OF = {
  started: 'running',
  in_doubt: 'in_doubt',
  interrupted: 'cancelled',
  cancelled: 'cancelled',
} as const satisfies Record<StopReport['inFlight'][number]['state'], string>;

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
    in_flight: inFlight.map((call) => ({
      run: call.runId,
      n: call.n,
      tool: call.tool,
      scope: call.scope,
      started_at: call.startedAt.toISOString(),
      status: STATUS_OF[call.state],
    })),
  };
}
