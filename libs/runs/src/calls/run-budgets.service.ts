import type { RunBudget } from '@app/definition';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

const VERDICT: Statement = {
  name: 'run_machine_budget_verdict',
  text: 'select run_machine.budget_verdict($1, $2, $3) as verdict',
};

/**
 * unlimited: no budget on the run or its parents.
 * uncounted: there is a budget, and the model has no price, or the run or a parent has another currency than the price.
 * used_up: one of the budgets is used up.
 */
export type BudgetVerdict = 'unlimited' | 'uncounted' | 'used_up' | 'within';

/** Enforces the total budget of runs: `per_run` of the run's definition and of the definitions of its parents. */
@Injectable()
export class RunBudgetsService {
  constructor(private readonly statements: Statements) {}

  /**
   * Decides whether a turn may start. Counts the cost of child runs that have not ended.
   * @param currency currency of the model's price; undefined if the model has no price
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
