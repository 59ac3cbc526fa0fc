import type { EvaluationEntity } from '@app/agents';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { TurnCost } from '@app/runs';
import type { Judgement } from './grade.js';

/**
 * Claims trials: sets `judged_until` if no other process has a valid claim. If several processes try to claim a trial,
 * only one of them gets it.
 */
const CLAIM: Statement = {
  name: 'evaluation_judgements_claim',
  text: `
    update evaluation_trials t set judged_until = clock_timestamp() + interval '150 seconds'
     where t.evaluation_id = $2 and t.workspace_id = $1 and t.n in (
       select c.n from evaluation_trials c join runs r on r.id = c.run_id and r.workspace_id = c.workspace_id
        where c.evaluation_id = $2 and c.workspace_id = $1 and c.status = 'running' and c.judgements is null
          and c.case_n = any ($3::integer[]) and r.ended_at is not null
          and (c.judged_until is null or c.judged_until < clock_timestamp())
        order by c.n limit $4 for no key update of c skip locked)
    returning t.n, t.case_n, t.run_id`,
};

const RECORD: Statement = {
  name: 'evaluation_record_judgements',
  text: 'select evaluation.record_judgements($1, $2, $3, $4, $5, $6, $7)',
};

export interface ClaimedTrial {
  n: number;
  caseN: number;
  runId: string;
}

@Injectable()
export class JudgementsRepository {
  constructor(private readonly statements: Statements) {}

  /**
   * Claims at most `limit` trials whose runs have ended and which belong to the given cases. No other process can claim
   * these trials for 150 seconds.
   */
  async claim(
    workspaceId: string,
    evaluation: string,
    cases: readonly number[],
    limit: number,
  ): Promise<ClaimedTrial[]> {
    const rows = await this.statements.query<{ n: number; case_n: number; run_id: string }>(CLAIM, [
      workspaceId,
      evaluation,
      cases,
      limit,
    ]);
    return rows.map(({ n, case_n, run_id }) => ({ n, caseN: case_n, runId: run_id }));
  }

  async record(
    { workspaceId, agentId, id, currency }: EvaluationEntity,
    n: number,
    { judgements, costs }: { judgements: readonly Judgement[]; costs: readonly TurnCost[] },
  ): Promise<void> {
    const values = [workspaceId, agentId, id, n, JSON.stringify(judgements), JSON.stringify(costs), currency];
    await this.statements.query(RECORD, values);
  }
}
