import { Clock, DomainError, parameterPlace } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { type UsageRow, UsageRepository } from './usage.repository.js';
import type { UsageGrouping } from './usage-grouping.js';

const DAY_MILLIS = 86_400_000;
const DEFAULT_DAYS = 30;
const MOST_DAYS = 366;

/** Of the runs that were created from `since` on and before `until`. Default: the last 30 days. */
export interface UsageQuestion {
  groupBy: UsageGrouping;
  since?: Date;
  until?: Date;
  agentId?: string;
}

export interface Usage {
  /** Id of the agent, day (UTC, `YYYY-MM-DD`) or model (`provider/name`). */
  group: string;
  runs: number;
  inputTokens: number;
  outputTokens: number;
  costMicros: bigint;
  /** ISO 4217. Runs of other currencies are another entry. */
  currency: string;
  /** Whether some of the cost is not known: a price is missing or in another currency, or tokens were not reported. */
  partial: boolean;
}

export interface UsageSums {
  groupBy: UsageGrouping;
  since: Date;
  until: Date;
  /** In the order of the groups. */
  sums: Usage[];
}

/** What runs have used. By model: the turns of models; else whole runs. */
@Injectable()
export class UsageQueries {
  constructor(
    private readonly usage: UsageRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `invalid_request` for more than 366 days, or a time that ends before it begins */
  async sums(workspaceId: string, { groupBy, agentId, ...asked }: UsageQuestion): Promise<UsageSums> {
    const until = asked.until ?? this.clock.now();
    const since = asked.since ?? new Date(until.getTime() - DEFAULT_DAYS * DAY_MILLIS);
    const millis = until.getTime() - since.getTime();
    if (millis < 0) throw refusal('`since` must not be after `until`.');
    if (millis > MOST_DAYS * DAY_MILLIS) throw refusal(`A report covers at most ${MOST_DAYS} days.`);
    const rows = await this.usage.sums(workspaceId, { groupBy, since, until, agentId: agentId ?? null });
    return { groupBy, since, until, sums: rows.map(usageOf) };
  }
}

function usageOf(row: UsageRow): Usage {
  return {
    group: row.group_key,
    runs: Number(row.runs),
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    costMicros: BigInt(row.cost_micros),
    currency: row.currency,
    partial: row.partial,
  };
}

function refusal(detail: string): DomainError {
  return new DomainError('invalid_request', detail, { errors: [parameterPlace('since', detail)] });
}
