import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import type { Evaluation } from '../evaluations/evaluation-results.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';

type Listed = Pick<Evaluation, 'id' | 'status' | 'created_at' | 'ended_at'>;

const COLUMNS: readonly Column<Listed>[] = [
  {
    name: 'Started',
    cell: ({ id, created_at: at }) => (
      <Link to="/evaluations/$id" params={{ id }}>
        <Time at={at} />
      </Link>
    ),
  },
  { name: 'Status', cell: ({ status }) => <Status value={status} /> },
  { name: 'Ended', kind: 'optional', cell: ({ ended_at: at }) => (at === null ? '–' : <Time at={at} />) },
];

export function EvaluationHistory({ agent, version }: { agent: string; version: number }): ReactNode {
  const list = usePagedList(['agent', agent, 'evaluations', version], (page) =>
    aas.evaluations.list(agent, version, { ...page, limit: 20 }),
  );
  return (
    <>
      <ProblemAlert error={list.error} />
      <PagedTable
        label="Evaluations"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={<Empty title="No evaluation yet" />}
      />
    </>
  );
}
