import type { JsonObject } from '@app/kernel';
import type { ReplayRun, RunFilter, RunQueries, RunWithApprovals, StartRun } from '@app/runs';
import type { Principal } from '@app/workspace';
import { idempotencyClaim } from '../http/idempotency-key.js';
import type { ListSource } from '../http/list-pages.js';
import type { ListRunsQuery, RunResource, StartRunBody } from './run.dto.js';
import { presentRun } from './run.presenter.js';
import type { ReplayRunBody } from './run-replay.dto.js';

/** What `POST /v1/agents/{id}/runs` asks of the intake. A body that leaves out a default is the same as one that gives it. */
export function startRequest(
  principal: Principal,
  agentId: string,
  body: StartRunBody,
  key: string | undefined,
): StartRun {
  const { input, mode, version } = body;
  const said = { input, mode: mode ?? null, version: version ?? null };
  const claim = idempotencyClaim(`POST /v1/agents/${agentId}/runs`, key, said);
  return {
    workspaceId: principal.workspaceId,
    agentId,
    initiator: { email: principal.email, keyKind: principal.key.kind },
    input,
    ...(mode !== undefined && { mode }),
    ...(version !== undefined && { version }),
    ...(claim && { idempotency: claim }),
  };
}

/** What `POST /v1/runs/{id}/replay` asks for; of its body, too, a default is the same whether it is said or not. */
export function replayRequest(
  principal: Principal,
  runId: string,
  body: ReplayRunBody,
  key: string | undefined,
): ReplayRun {
  const { from_step: fromStep, version, mode, tool_results: toolResults } = body;
  const said = { from_step: fromStep ?? null, version: version ?? null, mode, tool_results: toolResults };
  const claim = idempotencyClaim(`POST /v1/runs/${runId}/replay`, key, said);
  return {
    workspaceId: principal.workspaceId,
    runId,
    initiator: { email: principal.email, keyKind: principal.key.kind },
    toolResults,
    mode,
    ...(fromStep !== undefined && { fromStep }),
    ...(version !== undefined && { version }),
    ...(claim && { idempotency: claim }),
  };
}

/** The list of runs that the query asks for. */
export function runList(
  queries: RunQueries,
  workspaceId: string,
  query: ListRunsQuery,
): ListSource<RunWithApprovals, RunResource> {
  return {
    list: 'runs',
    workspaceId,
    filters: cursorFilters(query),
    read: (page) => queries.listWithApprovals(workspaceId, runFilter(query), page),
    present: presentRun,
  };
}

function runFilter(query: ListRunsQuery): RunFilter {
  return {
    agentId: query.agent,
    statuses: query.status,
    triggerType: query.trigger_type,
    mode: query.mode,
    since: query.since,
    until: query.until,
  };
}

/** The filters as a cursor is bound to them: the same whatever the order in which they were given. */
function cursorFilters(query: ListRunsQuery): JsonObject {
  return {
    agent: query.agent ?? null,
    status: query.status ? [...new Set(query.status)].sort() : null,
    trigger_type: query.trigger_type ?? null,
    mode: query.mode ?? null,
    since: query.since?.toISOString() ?? null,
    until: query.until?.toISOString() ?? null,
  };
}
