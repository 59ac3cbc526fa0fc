import type { JsonObject } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

/** Up from run to run that started it; agents call each other five deep at the most. */
const FIRST_TRIGGER: Statement = {
  name: 'run_first_trigger',
  text: `with recursive started as (
      select id, trigger, 1 as depth from runs where workspace_id = $1 and id = $2
      union all
      select r.id, r.trigger, depth + 1 from started s join runs r on r.workspace_id = $1 and r.id = s.trigger ->> 'run'
        where s.trigger ->> 'type' = 'agent' and depth < 10)
    select trigger from started order by depth desc limit 1`,
};

/** What runs go back to. */
@Injectable()
export class RunOrigins {
  constructor(private readonly statements: Statements) {}

  /** What started the run, or the run that called its agent, or the one that called that one's. */
  async triggerOf(workspaceId: string, runId: string): Promise<JsonObject> {
    const [row] = await this.statements.query<{ trigger: JsonObject }>(FIRST_TRIGGER, [workspaceId, runId]);
    return row?.trigger ?? {};
  }
}
