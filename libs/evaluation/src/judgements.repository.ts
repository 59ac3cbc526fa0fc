import type { Evaluation } from '@app/agents';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { TurnCost } from '@app/runs';
import type { Judgement } from './judgement.js';

/** Compare-and-set on `judged_until`: of several processes that look at an evaluation each trial goes to one. */
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

/** What was asked is paid for, also where the trial has been given up meanwhile. A judgement counts once. */
const RECORD: Statement = {
  name: 'evaluation_judgements_record',
  text: `
    with turns as (
      select * from jsonb_to_recordset($6::jsonb)
        as x(provider text, model text, input bigint, output bigint, micros bigint, currency text, partial boolean)
    ), used as (
      insert into model_usage as u (workspace_id, agent_id, day, provider, model, currency, turns, input_tokens, output_tokens, cost_micros, partial_turns)
        select $1, $2, (clock_timestamp() at time zone 'UTC')::date, x.provider, x.model, coalesce(x.currency, 'XXX'),
          count(*), sum(x.input), sum(x.output), sum(x.micros), count(*) filter (where x.partial)
        from turns x group by x.provider, x.model, x.currency order by x.provider, x.model, x.currency
      on conflict (agent_id, day, provider, model, currency) do update
        set turns = u.turns + excluded.turns, input_tokens = u.input_tokens + excluded.input_tokens,
            output_tokens = u.output_tokens + excluded.output_tokens, cost_micros = u.cost_micros + excluded.cost_micros,
            partial_turns = u.partial_turns + excluded.partial_turns
    )
    update evaluation_trials t
       set judgements = $5::jsonb,
           judge_cost_micros = (select coalesce(sum(x.micros) filter (where x.currency = $7), 0) from turns x)
     where t.evaluation_id = $3 and t.n = $4 and t.workspace_id = $1 and t.status = 'running' and t.judgements is null`,
};

export interface ClaimedTrial {
  n: number;
  caseN: number;
  runId: string;
}

/** What models found about the trials of evaluations. */
@Injectable()
export class JudgementsRepository {
  constructor(private readonly statements: Statements) {}

  /** Ended trials of these cases that nobody is judging; they are the caller's for some minutes. */
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
    { workspaceId, agentId, id, currency }: Evaluation,
    n: number,
    { judgements, costs }: { judgements: readonly Judgement[]; costs: readonly TurnCost[] },
  ): Promise<void> {
    const values = [workspaceId, agentId, id, n, JSON.stringify(judgements), JSON.stringify(costs), currency];
    await this.statements.query(RECORD, values);
  }
}
