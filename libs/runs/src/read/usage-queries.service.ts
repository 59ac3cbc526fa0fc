import { Clock, DomainError, idRange, parameterPlace } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

export const USAGE_GROUPINGS = ['agent', 'day', 'model'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

const DAY_MILLIS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

/** Default: the last 30 days. */
export interface UsageQuestion {
  groupBy: UsageGrouping;
  since?: Date;
  until?: Date;
  agentId?: string;
  agents?: readonly string[] | null;
}

export interface UsedTokens {
  /** Includes `cacheRead` and `cacheWrite`. */
  input: number;
  /** Includes `reasoning`. */
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
}

export interface Usage {
  group: string;
  agentName: string | null;
  runs: number;
  tokens: UsedTokens;
  costMicros: bigint;
  /** ISO 4217 code. Runs in another currency are in a separate entry. */
  currency: string;
  /**
   * True if a part of the cost is unknown, because a price is missing or in another currency, or because a provider did
   * not report the number of tokens.
   */
  partial: boolean;
}

export interface UsageSums {
  groupBy: UsageGrouping;
  since: Date;
  until: Date;
  /** One entry for each group and currency, sorted by group. */
  sums: Usage[];
}

/** Integers are strings, because they may exceed 2^53. */
interface UsageRow {
  group_key: string;
  agent_name: string | null;
  currency: string;
  runs: string;
  input_tokens: string;
  output_tokens: string;
  cache_read_tokens: string;
  cache_write_tokens: string;
  reasoning_tokens: string;
  cost_micros: string;
  partial: boolean;
}

// Selects the runs by a range of ids, because ids sort by time and the list of runs has an index on them. The range is
// only approximate, so the statement also compares the creation times.
const CHOSEN = `
  chosen as (
    select r.id, r.agent_id, r.currency, r.cost_micros, r.cost_partial, r.created_at
      from listed_runs l join runs r on r.workspace_id = l.workspace_id and r.id = l.id
     where l.workspace_id = $1 and l.id >= $2 and l.id < $3 and r.created_at >= $4 and r.created_at < $5
       and ($6::text is null or l.agent_id = $6)
       and ($7::text[] is null or l.agent_id = any ($7)))`;

const COUNTS = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
] as const;
const countsOf = (column: (name: string) => string): string =>
  COUNTS.map((name) => `${column(name)} as ${name}`).join(', ');

// The detail of a turn contains its provider, its model and its usage.
const TURNS = `
  turns as (
    select c.id, c.currency, coalesce((s.detail ->> 'provider') || '/' || (s.detail ->> 'model'), 'unknown') as model,
      ${countsOf((name) => `coalesce((s.detail -> 'usage' ->> '${name}')::numeric, 0)`)},
      coalesce(s.cost_micros, 0) as cost_micros,
      coalesce((s.detail ->> 'cost_partial')::boolean, false)
        or coalesce(s.detail -> 'cost' ->> 'currency', c.currency) <> c.currency as is_partial
    from chosen c join run_steps s on s.workspace_id = $1 and s.run_id = c.id and s.type = 'model_call')`;

const sumsByRun = (groupKey: string, agentName = 'null::text'): string => `
  with ${CHOSEN}, ${TURNS},
  tokens as (select id, ${countsOf((name) => `sum(${name})`)} from turns group by id)
  select ${groupKey} as group_key, ${agentName} as agent_name, c.currency, count(*) as runs,
    ${countsOf((name) => `coalesce(sum(t.${name}), 0)`)}, sum(c.cost_micros) as cost_micros,
    bool_or(c.cost_partial) as partial
  from chosen c left join tokens t on t.id = c.id
  group by 1, c.currency order by 1, c.currency`;

const STATEMENTS: Readonly<Record<UsageGrouping, Statement>> = {
  agent: {
    name: 'runs.usage_by_agent',
    text: sumsByRun('c.agent_id', '(select g.name from agents g where g.id = c.agent_id)'),
  },
  day: { name: 'runs.usage_by_day', text: sumsByRun(`to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD')`) },
  model: {
    name: 'runs.usage_by_model',
    text: `
      with ${CHOSEN}, ${TURNS}
      select model as group_key, null::text as agent_name, currency, count(distinct id) as runs,
        ${countsOf((name) => `sum(${name})`)}, sum(cost_micros) as cost_micros, bool_or(is_partial) as partial
      from turns group by model, currency order by model, currency`,
  },
};

/**
 * If the usage is grouped by model, it is the sum of model turns. If it is grouped by agent or day, it is the sum of
 * whole runs.
 */
@Injectable()
export class UsageQueriesService {
  constructor(
    private readonly statements: Statements,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `invalid_request` if the period is longer than 366 days, or ends before it begins */
  async sums(workspaceId: string, { groupBy, agentId, agents = null, ...asked }: UsageQuestion): Promise<UsageSums> {
    const until = asked.until ?? this.clock.now();
    const since = asked.since ?? new Date(until.getTime() - DEFAULT_DAYS * DAY_MILLIS);
    const millis = until.getTime() - since.getTime();
    if (millis < 0) throw refusal('`since` must not be after `until`.');
    if (millis > MAX_DAYS * DAY_MILLIS) throw refusal(`A report covers at most ${MAX_DAYS} days.`);
    const { lowest, beyond } = idRange('run', { since, until });
    const values = [workspaceId, lowest, beyond, since, until, agentId ?? null, agents];
    const rows = await this.statements.query<UsageRow>(STATEMENTS[groupBy], values);
    return { groupBy, since, until, sums: rows.map(usageOf) };
  }
}

function usageOf(row: UsageRow): Usage {
  return {
    group: row.group_key,
    agentName: row.agent_name,
    runs: Number(row.runs),
    tokens: {
      input: Number(row.input_tokens),
      output: Number(row.output_tokens),
      cacheRead: Number(row.cache_read_tokens),
      cacheWrite: Number(row.cache_write_tokens),
      reasoning: Number(row.reasoning_tokens),
    },
    costMicros: BigInt(row.cost_micros),
    currency: row.currency,
    partial: row.partial,
  };
}

function refusal(detail: string): DomainError {
  return new DomainError('invalid_request', detail, { errors: [parameterPlace('since', detail)] });
}
