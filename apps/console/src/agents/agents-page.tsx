import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAgents } from '../data/agent-names.js';
import { aas, type Agent } from '../data/api.js';
import { useAllPages, usePagedList } from '../data/paged-list.js';
import { one, type Search } from '../data/search.js';
import { useRefusal } from '../data/session.js';
import { choices } from '../runs/run-filters.js';
import { Button } from '../ui/button.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { Choice, TextField } from '../ui/field.js';
import { formatCount, formatMoney, upTo99 } from '../ui/format-values.js';
import { Empty, Page } from '../ui/page.js';
import { Status, Tag } from '../ui/status.js';
import table from '../ui/table.module.css';
import { word } from '../data/words.js';
import { type AgentOrder, type AgentSort, foundAgents, orderedAgents, SORTS } from './agent-order.js';
import { LastRun, NextFire, useLastRuns } from './agent-times.js';
import styles from './agents.module.css';
import { BudgetBar } from './budget-bar.js';
import { useHealth, useOpenApprovals } from './health.js';
import type { Health } from './run-statistic.js';

const STATUSES = ['active', 'paused', 'archived'];

/** How many agents are read at a time. The rest is read if a person searches or sorts, because both need all of them. */
const LIMIT = 100;

export function AgentsPage(): ReactNode {
  const search: Search = useSearch({ strict: false });
  const [status, project] = [one(search.status) ?? '', one(search.project) ?? ''];
  const query = {
    limit: LIMIT,
    ...(status !== '' && { status: status as Agent['status'] }),
    ...(project !== '' && { project }),
  };
  const list = usePagedList(['agents', query], (page) => aas.agents.list({ ...query, ...page }));
  const find = one(search.find) ?? '';
  const order = orderOf(search);
  useAllPages(list, find !== '' || order !== undefined);
  const health = useHealth();
  const lastRuns = useLastRuns(order?.sort === 'last_run' ? list.items : []);
  const found = foundAgents(list.items, find);
  const items = order === undefined ? found : orderedAgents(found, order, { health, lastRuns });
  const columns = useColumns(search, order, health);
  const navigate = useNavigate();
  const refusal = useRefusal('agents:write');
  return (
    <Page
      title="Agents"
      busy={list.isPending}
      error={list.error}
      actions={
        <Button look="primary" refusal={refusal} onClick={() => void navigate({ to: '/agents/new' })}>
          New agent
        </Button>
      }
    >
      <Filters search={search} status={status} project={project} />
      <PagedTable
        label="Agents"
        list={{ ...list, items }}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<NoAgent isFiltered={status !== '' || project !== '' || find !== ''} refusal={refusal} />}
      />
    </Page>
  );
}

function orderOf(search: Search): AgentOrder | undefined {
  const sort = SORTS.find((each) => each === search.sort);
  return sort && { sort, descending: search.order === 'desc' };
}

function Filters({ search, status, project }: { search: Search; status: string; project: string }): ReactNode {
  const navigate = useNavigate();
  const set = (name: string) => (value: string) =>
    void navigate({
      to: '/agents',
      search: { ...search, [name]: value === '' ? undefined : value },
      replace: name === 'find',
    });
  // The field has its own state, because the page URL is updated later than the person types.
  const [find, setFind] = useState(one(search.find) ?? '');
  const projects = [...new Set(useAgents().flatMap((agent) => agent.project ?? []))].sort();
  return (
    <div className={styles.filters}>
      <TextField
        compact
        label="Find agent"
        placeholder="Find agent"
        value={find}
        onChange={(text) => {
          setFind(text);
          set('find')(text);
        }}
      />
      <Choice
        compact
        label="Status"
        value={status}
        onChange={set('status')}
        options={choices(STATUSES, status, 'Not archived', (value) => word('status', value))}
      />
      <Choice
        compact
        label="Project"
        value={project}
        onChange={set('project')}
        options={choices(projects, project, 'Any project')}
      />
    </div>
  );
}

function useColumns(
  search: Search,
  order: AgentOrder | undefined,
  health: ReadonlyMap<string, Health>,
): readonly Column<Agent>[] {
  const approvals = useOpenApprovals();
  const navigate = useNavigate();
  const by = (sort: AgentSort): Column<Agent>['sort'] => {
    const current = order?.sort === sort ? order : undefined;
    const descending = current === undefined ? sort !== 'name' : !current.descending;
    return {
      ...(current && { direction: current.descending ? 'descending' : 'ascending' }),
      onSort: () =>
        void navigate({
          to: '/agents',
          search: { ...search, sort, order: descending ? 'desc' : 'asc' },
          replace: true,
        }),
    };
  };
  return [
    { name: 'Agent', sort: by('name'), cell: (agent) => <Name agent={agent} /> },
    { name: 'Production', kind: 'optional', cell: (agent) => <Production agent={agent} /> },
    { name: 'Last run', sort: by('last_run'), cell: (agent) => <LastRun agent={agent} /> },
    { name: 'Next start', kind: 'wide', cell: (agent) => <NextFire agent={agent} /> },
    {
      name: 'Ended runs, 7\u00a0days',
      kind: 'optional-number',
      sort: by('runs'),
      cell: (agent) => <Runs agent={agent} count={health.get(agent.id)?.runs ?? 0} />,
    },
    {
      name: 'Failed',
      kind: 'number',
      sort: by('failed'),
      cell: (agent) => <Runs agent={agent} count={health.get(agent.id)?.failed ?? 0} failed />,
    },
    {
      name: 'Cost, 7\u00a0days',
      kind: 'optional-number',
      sort: by('cost'),
      cell: ({ id }) => health.get(id)?.costs.map(formatMoney).join(' + ') ?? '–',
    },
    {
      name: 'Open approvals',
      kind: 'optional-number',
      cell: (agent) => <Approvals agent={agent} open={approvals.get(agent.id) ?? 0} />,
    },
  ];
}

function Name({ agent }: { agent: Agent }): ReactNode {
  return (
    <>
      <Link to="/agents/$id" params={{ id: agent.id }} className={table.main}>
        {agent.name}
      </Link>{' '}
      {agent.effective_status !== 'active' && <Status value={agent.effective_status} />}
      {agent.project !== null && (
        <>
          {' '}
          <Tag>{agent.project}</Tag>
        </>
      )}
      <div className={styles.second}>{agent.description}</div>
      {agent.budget !== null && <BudgetBar budget={agent.budget} />}
    </>
  );
}

function Production({
  agent: { production_version: production, latest_version: latest },
}: {
  agent: Agent;
}): ReactNode {
  return (
    <>
      <span>v{production}</span>{' '}
      {latest !== production && (
        <span className={table.nowrap}>
          <Tag>latest is v{latest}</Tag>
        </span>
      )}
    </>
  );
}

const COUNTED = { since: '7d', mode: 'production' };

function Runs({ agent, count, failed = false }: { agent: Agent; count: number; failed?: boolean }): ReactNode {
  if (count === 0) return 0;
  const search = { agent: agent.id, ...COUNTED, ...(failed && { status: 'failed' }) };
  return (
    <Link to="/runs" search={search} className={failed ? styles.failed : undefined}>
      {formatCount(count)}
    </Link>
  );
}

function Approvals({ agent, open }: { agent: Agent; open: number }): ReactNode {
  if (open === 0) return 0;
  return (
    <Link to="/approvals" search={{ agent: agent.id, status: 'open' }}>
      {upTo99(open)}
    </Link>
  );
}

function NoAgent({ isFiltered, refusal }: { isFiltered: boolean; refusal: string | null }): ReactNode {
  if (isFiltered) return <Empty title="No results" />;
  if (refusal !== null) return <Empty title="No agent yet">{refusal}</Empty>;
  return (
    <Empty title="No agent yet">
      <p>
        <Link to="/$" params={{ _splat: 'agents/new' }}>
          Create the first agent
        </Link>
        , or apply a file:
      </p>
      <pre tabIndex={0}>{`aas init\naas apply agents/`}</pre>
    </Empty>
  );
}
