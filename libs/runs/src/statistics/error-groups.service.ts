import { Clock, DomainError, idRange, parameterPlace } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { RunMode } from '../records/run-status.js';

const DAY_MILLIS = 86_400_000;
const DEFAULT_DAYS = 7;
const MAX_DAYS = 31;
const MAX_GROUPS = 100;
/** Maximum number of failed runs that a statement reads, the newest first. */
const MAX_GROUPED_RUNS = 5_000;

export interface ErrorGroupsQuestion {
  since?: Date | undefined;
  until?: Date | undefined;
  agentId?: string | undefined;
  mode?: RunMode | undefined;
  agents: readonly string[] | null;
}

/** Runs of an agent that failed with the same code at the same step, with a message that differs only in ids and numbers. */
export interface ErrorGroup {
  group: string;
  agentId: string;
  agentName: string;
  code: string;
  step: string | null;
  message: string;
  runs: number;
  firstAt: Date;
  lastAt: Date;
  firstVersion: number;
  lastVersion: number;
  lastRun: string;
}

const ERROR_GROUPS: Statement = {
  name: 'error_groups.read',
  text: `with failed as materialized (
      select r.id, r.agent_id, r.version, r.created_at, run_machine.shown_value(r.error) as error, r.error as stored
      from runs r
      where r.workspace_id = $1 and r.status = 'failed' and r.id >= $8 and r.id < $9
        and r.created_at >= $2 and r.created_at < $3
        and ($4::text is null or r.agent_id = $4) and ($5::text[] is null or r.agent_id = any ($5))
        and ($6::text is null or r.mode = $6)
      order by r.id desc limit $7),
    groups as (
      select run_machine.error_group(f.stored) as "group", f.agent_id, count(*)::integer as runs,
        min(f.created_at) as first_at, max(f.created_at) as last_at,
        (array_agg(f.version order by f.id))[1] as first_version, (array_agg(f.version order by f.id desc))[1] as last_version,
        max(f.id) as last_run
      from failed f group by 1, 2)
    select g."group", g.agent_id as "agentId", coalesce(a.name, g.agent_id) as "agentName", f.error ->> 'code' as code,
      f.error ->> 'step' as step, coalesce(f.error ->> 'message', '') as message, g.runs, g.first_at as "firstAt", g.last_at as "lastAt",
      g.first_version as "firstVersion", g.last_version as "lastVersion", g.last_run as "lastRun"
    from groups g join failed f on f.id = g.last_run
    left join agents a on a.workspace_id = $1 and a.id = g.agent_id
    order by g.runs desc, g.last_run desc limit ${MAX_GROUPS}`,
};

@Injectable()
export class ErrorGroupsService {
  constructor(
    private readonly statements: Statements,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns at most 100 groups, the largest first.
   * @throws DomainError `invalid_request` if the period is longer than 31 days, or ends before it begins
   */
  async read(workspaceId: string, { since, until, agentId, agents, mode }: ErrorGroupsQuestion): Promise<ErrorGroup[]> {
    const end = until ?? this.clock.now();
    const begin = since ?? new Date(end.getTime() - DEFAULT_DAYS * DAY_MILLIS);
    const millis = end.getTime() - begin.getTime();
    if (millis < 0) throw refusal('`since` must not be after `until`.');
    if (millis > MAX_DAYS * DAY_MILLIS) throw refusal(`The period is at most ${MAX_DAYS} days. Ask for a shorter one.`);
    const { lowest, beyond } = idRange('run', { since: begin, until: end });
    return this.statements.query<ErrorGroup>(ERROR_GROUPS, [
      workspaceId,
      begin,
      end,
      agentId ?? null,
      agents,
      mode ?? null,
      MAX_GROUPED_RUNS,
      lowest,
      beyond,
    ]);
  }
}

function refusal(detail: string): DomainError {
  return new DomainError('invalid_request', detail, { errors: [parameterPlace('since', detail)] });
}
