import { lowestId } from '@app/kernel';
import type { Service } from '../../support/stack.js';

const ADD_RUNS = `
  insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, currency, status, created_at, ended_at)
  select id, $1, $2, 1, 'production', '{"type": "api"}', '{}', 'EUR', 'succeeded', at, at
  from unnest($3::text[], $4::timestamptz[]) added (id, at)`;

const MINUTE_MILLIS = 60_000;

/** Adds succeeded runs of version 1 without steps, one per minute before now. Returns their ids, newest first. */
export async function addEndedRuns(stack: Service, agent: string, count: number): Promise<string[]> {
  const times = Array.from({ length: count }, (_, minute) => Date.now() - (minute + 1) * MINUTE_MILLIS);
  const ids = times.map((time) => lowestId('run', time));
  await stack.query(ADD_RUNS, [stack.workspaceId, agent, ids, times.map((time) => new Date(time))]);
  return ids;
}
