import type { RunBudget } from '@app/agents/definition';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

const WITHIN: Statement = {
  name: 'run_machine_within_budgets',
  text: 'select run_machine.within_budgets($1, $2) as within',
};

/** What a run may spend in all: the budget `per_run` of its definition and of those whose calls started it. */
@Injectable()
export class RunBudgets {
  constructor(private readonly statements: Statements) {}

  /** Whether a turn may begin, with what runs have spent that the run has started and that go on beside it. */
  async admits({ runId, budget }: { runId: string; budget: RunBudget | null }): Promise<boolean> {
    const micros = budget?.perRunMicros ?? null;
    const values = [runId, micros === null ? null : String(micros)];
    const [row] = await this.statements.query<{ within: boolean }>(WITHIN, values);
    return row!.within;
  }
}
