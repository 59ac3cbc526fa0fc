import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

type OfAgents = 'run' | 'approval' | 'bulkAction';

const AGENTS_OF: Readonly<Record<OfAgents, Statement>> = {
  run: {
    name: 'runs.agent_of_run',
    text: 'select agent_id as agent from listed_runs where workspace_id = $1 and id = $2',
  },
  approval: {
    name: 'runs.agent_of_approval',
    text: 'select agent_id as agent from approvals where workspace_id = $1 and id = $2',
  },
  bulkAction: {
    name: 'runs.agents_of_bulk_action',
    text: `select distinct l.agent_id as agent from bulk_action_results b
      join listed_runs l on l.workspace_id = $1 and l.id = b.run_id
      where b.workspace_id = $1 and b.bulk_action_id = $2`,
  },
};

const OF_OTHERS: Statement = {
  name: 'runs.runs_of_other_agents',
  text: `select id from listed_runs where workspace_id = $1 and id = any ($2) and not agent_id = any ($3) limit 1`,
};

@Injectable()
export class RunAgentsService {
  constructor(private readonly statements: Statements) {}

  async agentsOf(workspaceId: string, kind: OfAgents, id: string): Promise<string[]> {
    const rows = await this.statements.query<{ agent: string }>(AGENTS_OF[kind], [workspaceId, id]);
    return rows.map(({ agent }) => agent);
  }

  /** Returns one of the runs that belongs to none of the agents. */
  async runOfOtherAgent(
    workspaceId: string,
    ids: readonly string[],
    agents: readonly string[],
  ): Promise<string | undefined> {
    const [row] = await this.statements.query<{ id: string }>(OF_OTHERS, [workspaceId, ids, agents]);
    return row?.id;
  }
}
