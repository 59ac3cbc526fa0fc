import type { JsonObject } from '@app/kernel';
import type { Run, RunFilter, RunQueries, StartRun } from '@app/runs';
import type { Principal } from '@app/workspace';
import { idempotencyClaim } from '../http/idempotency-key.js';
import type { ListSource } from '../http/list-pages.js';
import type { ListRunsQuery, RunResource, StartRunBody } from './run.dto.js';
import { presentRun } from './run.presenter.js';

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

/** The list of runs that the query asks for. */
export function runList(queries: RunQueries, workspaceId: string, query: ListRunsQuery): ListSource<Run, RunResource> {
  return {
    list: 'runs',
    workspaceId,
    filters: cursorFilters(query),
    read: (page) => queries.list(workspaceId, runFilter(query), page),
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
