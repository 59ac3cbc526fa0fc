import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BudgetBar } from '../agents/budget-bar.js';
import { useAgents } from '../data/agent-names.js';
import type { Agent } from '../data/api.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { Card } from '../ui/page.js';

/** Shows what agents with a daily budget have spent of it. Renders nothing if there are none. */
export function DailyBudgets({ agent }: { agent: string | undefined }): ReactNode {
  const shown = useAgents().filter(({ id, budget }) => budget !== null && (agent === undefined || id === agent));
  if (shown.length === 0) return null;
  return (
    <Card title="Daily budgets" flush>
      <DataTable label="Daily budgets" columns={COLUMNS} rows={shown} rowKey={({ id }) => id} />
    </Card>
  );
}

const COLUMNS: readonly Column<Agent>[] = [
  {
    name: 'Agent',
    cell: ({ id, name }) => (
      <Link to="/agents/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  { name: 'Spent', cell: ({ budget }) => budget && <BudgetBar budget={budget} /> },
];
