import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BudgetBar } from '../agents/budget-bar.js';
import { isNearLimit, leftText } from '../agents/budget-text.js';
import { useAgents } from '../data/agent-names.js';
import type { Agent } from '../data/api.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { Card, Empty } from '../ui/page.js';
import { Time } from '../ui/time.js';
import styles from './usage.module.css';

export function DailyBudgets({ agent }: { agent: string | undefined }): ReactNode {
  const agents = useAgents().filter(({ id }) => agent === undefined || id === agent);
  const shown = agents.filter(hasBudget);
  if (agents.length === 0) return null;
  return (
    <Card title="Daily budgets" flush>
      {shown.length > 0 ? (
        <DataTable label="Daily budgets" columns={COLUMNS} rows={shown} rowKey={({ id }) => id} />
      ) : (
        <Empty title={agent === undefined ? 'No agent has a daily budget' : 'This agent has no daily budget'}>
          <p>
            A daily budget limits what an agent may spend on models in a day. Add it to the definition of the agent, and
            put the new version into production:
          </p>
          <pre>{EXAMPLE}</pre>
        </Empty>
      )}
    </Card>
  );
}

const EXAMPLE = `limits:
  budget: { per_day: "5.00", currency: EUR }`;

type BudgetedAgent = Agent & { budget: NonNullable<Agent['budget']> };

function hasBudget(agent: Agent): agent is BudgetedAgent {
  return agent.budget !== null;
}

const COLUMNS: readonly Column<BudgetedAgent>[] = [
  {
    name: 'Agent',
    cell: ({ id, name }) => (
      <Link to="/agents/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  { name: 'Spent', cell: ({ budget }) => <Spent budget={budget} /> },
  {
    name: 'Left',
    cell: ({ budget }) => (
      <>
        {leftText(budget)}
        <div className={styles.second}>
          begins again <Time at={budget.resets_at} />
        </div>
      </>
    ),
  },
  {
    name: 'Set by',
    kind: 'optional',
    cell: ({ id, production_version: version }) => (
      <Link to="/agents/$id" params={{ id }}>
        Version {version}
      </Link>
    ),
  },
];

function Spent({ budget }: Pick<BudgetedAgent, 'budget'>): ReactNode {
  return (
    <>
      <BudgetBar budget={budget} />
      {isNearLimit(budget) && (
        <div className={styles.warning}>
          {leftText(budget) === 'nothing'
            ? 'Used up. Model calls are refused until it begins again.'
            : 'More than 80 % is spent.'}
        </div>
      )}
    </>
  );
}
