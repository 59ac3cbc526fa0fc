import type { RunBudget } from '@app/definition';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

const VERDICT: Statement = {
  name: 'run_machine_budget_verdict',
  text: 'select run_machine.budget_verdict($1, $2, $3) as verdict',
};

/**
 * unlimited  neither the run nor one that called it has a budget.
 * uncounted  one of them has, and the turn has no price in its currency: the cost would not be counted.
 * used_up    nothing of one of the budgets is left.
 */
export type BudgetVerdict = 'unlimited' | 'uncounted' | 'used_up' | 'within';

/** What a run may spend in all: the budget `per_run` of its definition and of those whose calls started it. */
@Injectable()
export class RunBudgetsService {
  constructor(private readonly statements: Statements) {}

  /**
   * Whether a turn may begin, with what runs have spent that the run has started and that go on beside it.
   * @param currency of the model's price; undefined: it has none
   */
  async verdict(
    { runId, budget }: { runId: string; budget: RunBudget | null },
    currency: string | undefined,
  ): Promise<BudgetVerdict> {
    const micros = budget?.perRunMicros ?? null;
    const values = [runId, micros === null ? null : String(micros), currency ?? null];
    const [row] = await this.statements.query<{ verdict: BudgetVerdict }>(VERDICT, values);
    return row!.verdict;
  }
}
