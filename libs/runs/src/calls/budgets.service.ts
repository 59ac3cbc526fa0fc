import type { RunBudget } from '@app/definition';
import { DomainError, formatMicros } from '@app/kernel';
import { type IdempotencyConfig, idempotencyConfig } from '@app/workspace';
import { type Statement, Statements } from '@app/platform/database';
import { Inject, Injectable } from '@nestjs/common';

const RESERVE: Statement = {
  name: 'run_machine_reserve_budget',
  text: 'select run_machine.reserve_budget($1, $2, $3, $4, $5, $6, $7) as reserved',
};
const SPENT: Statement = {
  name: 'run_machine_spent_today',
  text: `
    select run_machine.spent_today($1, $2, $3) as spent,
      exists (select from idempotency_keys k where k.workspace_id = $1 and k.endpoint = $4 and k.key = $5
        and k.created_at > clock_timestamp() - $6::bigint * interval '1 millisecond') as known,
      ceil(extract(epoch from date_trunc('day', clock_timestamp(), 'UTC') + interval '1 day' - clock_timestamp()))::integer as seconds`,
};

const SPENT_BY_AGENTS: Statement = {
  name: 'run_machine_spent_by_agents',
  text: `
    select a.agent, run_machine.spent_today($1, a.agent, a.currency) as spent,
      run_machine.reserved_budget($1, a.agent) as reserved,
      date_trunc('day', clock_timestamp(), 'UTC') + interval '1 day' as resets_at
    from unnest($2::text[], $3::text[]) as a(agent, currency)`,
};

const VERDICT: Statement = {
  name: 'run_machine_budget_verdict',
  text: 'select run_machine.budget_verdict($1, $2, $3) as verdict',
};

/**
 * States whether the budgets of a run and of its parent runs allow a model turn.
 * - `unlimited`: none of these runs has a budget.
 * - `uncounted`: at least one of these runs has a budget, but the cost of the turn cannot be counted against it. The
 *   model has no price, or its price is in another currency than the run or one of its parent runs.
 * - `used_up`: at least one of the budgets is used up.
 * - `within`: there are budgets, and none of them is used up.
 */
export type BudgetVerdict = 'unlimited' | 'uncounted' | 'used_up' | 'within';

@Injectable()
export class BudgetsService {
  constructor(
    private readonly statements: Statements,
    @Inject(idempotencyConfig.KEY) private readonly config: IdempotencyConfig,
  ) {}

  /**
   * A repeated request with a known idempotency key passes, because it starts no run.
   * @throws DomainError `budget_exceeded` if the daily budget is used up
   */
  async admitRun({ workspaceId, agentId, idempotency }: AskedRun, budget: RunBudget | null): Promise<void> {
    if (budget?.perDayMicros == null) return;
    const { idempotencyMillis } = this.config;
    const values = [workspaceId, agentId, budget.currency, idempotency?.endpoint, idempotency?.key, idempotencyMillis];
    const [row] = await this.statements.query<{ spent: string; known: boolean; seconds: number }>(SPENT, values);
    const { spent, known, seconds } = row!;
    if (known || BigInt(spent) < budget.perDayMicros) return;
    throw new DomainError('budget_exceeded', usedUp({ micros: BigInt(spent), reserved: 0n }, budget), {
      retryAfterSeconds: seconds,
    });
  }

  /** Returns what each agent has spent today (UTC), and what its runs reserve, in the currency of its budget. */
  async spentToday(
    workspaceId: string,
    budgets: readonly { agentId: string; currency: string }[],
  ): Promise<ReadonlyMap<string, SpentToday>> {
    if (budgets.length === 0) return new Map();
    const values = [workspaceId, budgets.map(({ agentId }) => agentId), budgets.map(({ currency }) => currency)];
    const rows = await this.statements.query<SpentRow>(SPENT_BY_AGENTS, values);
    return new Map(
      rows.map(({ agent, spent, reserved, resets_at: resetsAt }) => [
        agent,
        { micros: BigInt(spent), reserved: BigInt(reserved), resetsAt },
      ]),
    );
  }

  /**
   * Returns why the turn may not begin, or null. It may not if the recorded costs and other reservations use up the
   * budget. When the cost of the turn is recorded, it replaces the reservation.
   */
  async reserveTurn(
    turn: AgentPlace & { runId: string; path: string },
    budget: RunBudget,
    micros: bigint,
  ): Promise<string | null> {
    const { workspaceId, agentId, runId, path } = turn;
    const values = [workspaceId, agentId, runId, path, budget.currency, String(budget.perDayMicros), String(micros)];
    const [row] = await this.statements.query<{ reserved: boolean }>(RESERVE, values);
    if (row!.reserved) return null;
    const spent = await this.spentToday(workspaceId, [{ agentId, currency: budget.currency }]);
    return usedUp({ micros: 0n, reserved: 0n, ...spent.get(agentId) }, budget);
  }

  /**
   * The run and all its parent runs must be within the `per_run` budgets of their definitions. The cost of child runs
   * that have not ended is included.
   * @param currency currency of the price of the model; undefined if the model has no price
   */
  async runVerdict(
    { runId, budget }: { runId: string; budget: RunBudget | null },
    currency: string | undefined,
  ): Promise<BudgetVerdict> {
    const micros = budget?.perRunMicros ?? null;
    const values = [runId, micros === null ? null : String(micros), currency ?? null];
    const [row] = await this.statements.query<{ verdict: BudgetVerdict }>(VERDICT, values);
    return row!.verdict;
  }
}

interface SpentRow {
  agent: string;
  spent: string;
  reserved: string;
  resets_at: Date;
}

function usedUp({ micros, reserved }: Omit<SpentToday, 'resetsAt'>, { perDayMicros, currency }: RunBudget): string {
  const held = reserved > 0n ? ` and ${formatMicros(reserved)} reserved by model calls of running runs` : '';
  const limit = `${formatMicros(perDayMicros ?? 0n)} ${currency}`;
  return `The agent's budget for today is used up: ${formatMicros(micros)} spent${held}, of ${limit}.`;
}

export interface SpentToday {
  micros: bigint;
  /** Estimated cost of the model turns of running runs. */
  reserved: bigint;
  /** The next midnight in UTC. */
  resetsAt: Date;
}

type AskedRun = AgentPlace & { idempotency?: { endpoint: string; key: string } };

interface AgentPlace {
  workspaceId: string;
  agentId: string;
}
