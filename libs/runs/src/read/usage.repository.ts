import { idRange } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { UsageGrouping } from './usage-grouping.js';

/** Sums of one group, in one currency. Whole numbers come as text: they may be beyond 2^53. */
export interface UsageRow {
  /** Id of the agent, day (UTC, `YYYY-MM-DD`) or model (`provider/name`). */
  group_key: string;
  currency: string;
  runs: string;
  input_tokens: string;
  output_tokens: string;
  cost_micros: string;
  /** Whether some of the cost is not known. */
  partial: boolean;
}

// Ids sort by time, so the range of ids finds the runs through the index of the list; their dates decide.
const CHOSEN = `
  chosen as (
    select r.id, r.agent_id, r.currency, r.cost_micros, r.cost_partial, r.created_at from runs r
     where r.workspace_id = $1 and r.id >= $2 and r.id < $3 and r.created_at >= $4 and r.created_at < $5
       and ($6::text is null or r.agent_id = $6))`;

// What a turn of a model has used stands in its detail: {provider, model, usage: {input_tokens, output_tokens}}.
const TURNS = `
  turns as (
    select c.id, c.currency, coalesce((s.detail ->> 'provider') || '/' || (s.detail ->> 'model'), 'unknown') as model,
      coalesce((s.detail -> 'usage' ->> 'input_tokens')::numeric, 0) as input_tokens,
      coalesce((s.detail -> 'usage' ->> 'output_tokens')::numeric, 0) as output_tokens,
      coalesce(s.cost_micros, 0) as cost_micros,
      coalesce((s.detail ->> 'cost_partial')::boolean, false)
        or coalesce(s.detail -> 'cost' ->> 'currency', c.currency) <> c.currency as is_partial
    from chosen c join run_steps s on s.workspace_id = $1 and s.run_id = c.id and s.type = 'model_call')`;

const sumsByRun = (groupKey: string): string => `
  with ${CHOSEN}, ${TURNS},
  tokens as (select id, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens from turns group by id)
  select ${groupKey} as group_key, c.currency, count(*) as runs, coalesce(sum(t.input_tokens), 0) as input_tokens,
    coalesce(sum(t.output_tokens), 0) as output_tokens, sum(c.cost_micros) as cost_micros,
    bool_or(c.cost_partial) as partial
  from chosen c left join tokens t on t.id = c.id
  group by 1, 2 order by 1, 2`;

const STATEMENTS: Readonly<Record<UsageGrouping, Statement>> = {
  agent: { name: 'runs.usage_by_agent', text: sumsByRun('c.agent_id') },
  day: { name: 'runs.usage_by_day', text: sumsByRun(`to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD')`) },
  model: {
    name: 'runs.usage_by_model',
    text: `
      with ${CHOSEN}, ${TURNS}
      select model as group_key, currency, count(distinct id) as runs, sum(input_tokens) as input_tokens,
        sum(output_tokens) as output_tokens, sum(cost_micros) as cost_micros, bool_or(is_partial) as partial
      from turns group by 1, 2 order by 1, 2`,
  },
};

/** Which runs are summed, and how. */
export interface UsageSelection {
  groupBy: UsageGrouping;
  since: Date;
  until: Date;
  agentId: string | null;
}

@Injectable()
export class UsageRepository {
  constructor(private readonly statements: Statements) {}

  /** In the order of the groups. */
  sums(workspaceId: string, { groupBy, since, until, agentId }: UsageSelection): Promise<UsageRow[]> {
    const { lowest, beyond } = idRange('run', { since, until });
    return this.statements.query<UsageRow>(STATEMENTS[groupBy], [workspaceId, lowest, beyond, since, until, agentId]);
  }
}
