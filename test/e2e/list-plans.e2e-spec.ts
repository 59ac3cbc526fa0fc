import { lowestId } from '@app/kernel';
import { Pool } from 'pg';

import { GREETER, greeterNamed } from '../fixtures/definitions.js';
import { startApi, type TestApi } from '../support/api.js';
import type { TestTenant } from '../support/http-api.js';
import { AskedPlans, type PlanNode } from '../support/asked-plans.js';
import { startPartitionsAt } from '../support/monthly-logs.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const RUNS = 16_000;
const MINUTE = 60_000;
const LOGS = ['audit_events', 'trigger_events'] as const;
const ANALYZED = ['agents', 'agent_versions', 'runs', 'listed_runs', 'child_runs', 'events', 'approvals', ...LOGS];
/**
 * Interval between two consecutive rows of the partitioned logs, in milliseconds. The rows cover more than four past
 * months. The partitions of three future months are empty.
 */
const BETWEEN_LINES = 12 * MINUTE;
const MONTHS = 8;
/**
 * Maximum number of rows that a query may read and then discard. A query for a period reads a slightly wider range of
 * ids, because the clocks of two processes may differ (see `idRange`).
 */
const STRAY_ROWS = 300;
const LIMIT = 5;
/** Maximum number of runs that a page of a search reads. */
const SEARCHED_RUNS = 2_000;

describe('a page of a long list', () => {
  let database: TestDatabase;
  let api: TestApi;
  let tenant: TestTenant;
  let postgres: Pool;
  let agents: string[];
  const now = Date.now();
  /** Time of the newest row. It is in the middle of a month, so that no page crosses the boundary of a month. */
  const newestLine = Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth(), 15);
  let asked: AskedPlans;
  /** Names of the partitions of future months, which are empty. */
  let empty: ReadonlySet<string>;

  beforeAll(async () => {
    database = await createTestDatabase();
    postgres = new Pool({ connectionString: database.url, max: 1 });
    await makeMonths();
    api = await startApi({ databaseUrl: database.url });
    tenant = await api.newTenant();
    const headers = { 'Content-Type': 'application/yaml' };
    const made = [GREETER, greeterNamed('second')].map((body) =>
      api.call('POST', '/v1/agents', { key: tenant.adminKey, headers, body }),
    );
    agents = (await Promise.all(made)).map(({ body }) => String(body.id));
    await fill();
    asked = new AskedPlans(api, postgres);
  });

  afterAll(async () => {
    await postgres.end();
    await api.close();
    await database.drop();
  });

  async function makeMonths(): Promise<void> {
    const oldest = new Date(newestLine - RUNS * BETWEEN_LINES);
    const first = new Date(Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth() + 1));
    for (const log of LOGS) {
      await startPartitionsAt((text) => postgres.query(text), log, lowestId('event', first.getTime()));
      await postgres.query('select platform.make_months($1, $2, $3)', [log, first, MONTHS]);
    }
  }

  /**
   * Inserts runs, one for each minute. In every few thousand runs, one belongs to the second agent, one has failed, one
   * has the mode `test`, and one was started by mail.
   */
  async function fill(): Promise<void> {
    const times = Array.from({ length: RUNS }, (_, n) => now - (RUNS - n) * MINUTE);
    const rare = (every: number, n: string) => `${n} % ${every} = 7`;
    const ids = (kind: 'run' | 'event') => times.map((time) => lowestId(kind, time));
    await postgres.query(
      `insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, status, currency, created_at, ended_at, initiator,
         replay_of, error, labels)
       select id, $1, case when ${rare(1_200, 'n')} then $3 else $2 end, case when ${rare(1_400, 'n')} then 2 else 1 end,
         case when ${rare(2_000, 'n')} then 'test' else 'production' end,
         jsonb_build_object('type', case when ${rare(1_600, 'n')} then 'email.received' else 'api' end), '{}',
         case when ${rare(800, 'n')} then 'failed' else 'succeeded' end, 'EUR', to_timestamp(at / 1000.0), clock_timestamp(),
         case when ${rare(1_000, 'n')} then 'eve@example.com' else 'ann@example.com' end,
         case when ${rare(1_040, 'n')} then 'run_replayed' end, case when ${rare(800, 'n')} then '{"code": "tool_error"}'::jsonb end,
         case when ${rare(1_120, 'n')} then '{"mcp_client": "codex"}'::jsonb else '{}' end
       from unnest($4::text[], $5::float8[]) with ordinality as r (id, at, n)`,
      [tenant.workspaceId, ...agents, ids('run'), times],
    );
    await postgres.query(
      `insert into child_runs (run_id, workspace_id, parent_run_id, call_key, depth, state)
       select id, $1, case when ${rare(1_040, 'n')} then 'run_parent' else 'run_of_' || n / 10 end, n, 1, 'told'
       from unnest($2::text[]) with ordinality as c (id, n)`,
      [tenant.workspaceId, ids('run')],
    );
    await postgres.query(
      `insert into events (id, workspace_id, run_id, type, data, created_at)
       select e.id, $1, r.id, case when ${rare(1_200, 'n')} then 'run.handed_off' else 'run.completed' end,
         jsonb_build_object('agent', case when ${rare(1_600, 'n')} then $3 else $2 end::text), to_timestamp(at / 1000.0)
       from unnest($4::text[], $5::text[], $6::float8[]) with ordinality as e (id, run, at, n) join runs r on r.id = e.run`,
      [tenant.workspaceId, ...agents, ids('event'), ids('run'), times],
    );
    await postgres.query(
      `insert into agents (id, workspace_id, name, production_version, latest_version, webhook_secret_hash, project)
       select id, $1, 'agent ' || n, 1, 1, '', case when ${rare(1_200, 'n')} then 'seldom' else 'often' end
       from unnest($2::text[]) with ordinality as a (id, n)`,
      [tenant.workspaceId, times.map((time) => lowestId('agent', time))],
    );
    await postgres.query(
      `insert into agent_versions (agent_id, version, workspace_id, source, source_format, definition, definition_hash, created_by)
       select a.id, 1, $1, '', 'yaml', '{}', '', '' from agents a where not a.id = any ($2::text[])`,
      [tenant.workspaceId, agents],
    );
    await postgres.query(
      `insert into approvals (id, workspace_id, run_id, agent_id, version, n, kind, policy, reason, approvers, required, self_approval,
         allowed_decisions, on_timeout, on_reject, hand_off_to, failure_is_handled, status, opened_at, decided_at, expires_at)
       select a.id, $1, r.id, r.agent_id, 1, 2, 'step', 'p', 'p', '{}', 1, true, '{approve}', 'fail', 'fail', '{}', false,
         case when ${rare(200, 'n')} then 'open' else 'approved' end, r.created_at,
         case when not ${rare(200, 'n')} then r.created_at end, r.created_at + interval '1 day'
       from unnest($2::text[], $3::text[]) with ordinality as a (id, run, n) join runs r on r.id = a.run`,
      [tenant.workspaceId, times.map((time) => lowestId('approval', time)), ids('run')],
    );
    const lines = Array.from({ length: RUNS }, (_, n) => lowestId('event', newestLine - (RUNS - n) * BETWEEN_LINES));
    await postgres.query(
      `insert into audit_events (id, workspace_id, actor, action, target, detail)
       select id, $1, case when ${rare(1_200, 'n')} then 'eve@example.com' else 'ann@example.com' end,
         case when ${rare(1_600, 'n')} then 'agent.promote' else 'run.started' end, 'x', '{}'
       from unnest($2::text[]) with ordinality as a (id, n)`,
      [tenant.workspaceId, lines],
    );
    await postgres.query(
      `insert into trigger_events (agent_id, id, workspace_id, trigger_id, type, outcome)
       select $2, id, $1, case when ${rare(1_200, 'n')} then 'seldom' else 'often' end, 'webhook',
         case when ${rare(1_600, 'n')} then 'refused' else 'filtered' end
       from unnest($3::text[]) with ordinality as a (id, n)`,
      [tenant.workspaceId, agents[0], lines],
    );
    for (const table of ANALYZED) await postgres.query(`analyze ${table}`);
    const { rows } = await postgres.query<{ name: string }>(
      `select relname as name from pg_class where relispartition and relkind = 'r' and reltuples = 0`,
    );
    empty = new Set(rows.map(({ name }) => name));
    expect(empty.size).toBeGreaterThan(6);
  }

  const at = (share: number): string => new Date(now - RUNS * MINUTE * (1 - share)).toISOString();

  /** Requests a page. Returns the plan nodes of the statements of the request that read `table`. */
  async function planOf(table: string, path: string): Promise<PlanNode[]> {
    const { status, body } = await api.call('GET', path, { key: tenant.adminKey });
    expect([path, status, body.data.length > 0]).toEqual([path, 200, true]);
    return (await asked.of(table, path, tenant)).flatMap(nodesOf);
  }

  /**
   * Returns the plan nodes of the query with which a bulk action selects its runs. `query` contains filters of the run
   * list.
   */
  async function planOfSelection(query: string): Promise<PlanNode[]> {
    const filter = Object.fromEntries(
      [...new URLSearchParams(query)].map(([name, value]) => [
        name,
        name === 'status' || name === 'label' ? value.split(',') : value,
      ]),
    );
    const body = { action: 'cancel', filter, limit: LIMIT };
    return (await asked.of('runs', '/v1/bulk-actions', tenant, body)).flatMap(nodesOf);
  }

  /** Returns the nodes of a plan, without scans of empty partitions, because these cost nothing. */
  const nodesOf = (node: PlanNode): PlanNode[] =>
    isOfEmpty(node) ? [] : [node, ...(node.Plans ?? []).flatMap(nodesOf)];
  const isOfEmpty = ({ 'Relation Name': name, Plans: [only, ...others] = [] }: PlanNode): boolean =>
    name === undefined ? only !== undefined && others.length === 0 && isOfEmpty(only) : empty.has(name);

  /**
   * Returns whether a plan node sorts many rows. A plan may sort few rows, for example one page of each of two
   * versions.
   */
  const sortsMuch = ({ 'Node Type': type, Plans: [sorted] = [] }: PlanNode): boolean =>
    /Sort/.test(type) && !(sorted !== undefined && sorted['Actual Rows'] <= 2 * (LIMIT + 1));
  const blocksOf = (nodes: PlanNode[]): number =>
    nodes.reduce((sum, node) => sum + node['Shared Hit Blocks'] + node['Shared Read Blocks'], 0);
  const isPartOf = (table: string, name = ''): boolean =>
    name === table || (isMonthly(table) && name.startsWith(`${table}_`));
  const isMonthly = (table: string): boolean => LOGS.some((log) => log === table);

  /**
   * Expects that the query reads the table by an index in the order of the list, and reads only a few more rows than
   * the page contains.
   */
  async function expectCheap(table: string, path: string): Promise<void> {
    expectFewRows(table, path, await planOf(table, path));
  }

  function expectFewRows(table: string, path: string, nodes: PlanNode[]): void {
    const reads = nodes.filter((node) => isPartOf(table, node['Relation Name'])).map((node) => node['Node Type']);
    expect([path, reads.length > 0]).toEqual([path, true]);
    expect([path, reads.filter((type) => !/^Index (Only )?Scan$/.test(type))]).toEqual([path, []]);
    expect([path, nodes.filter((node) => sortsMuch(node))]).toEqual([path, []]);
    const stray = nodes.reduce((sum, node) => sum + (node['Rows Removed by Filter'] ?? 0), 0);
    expect([path, stray <= STRAY_ROWS]).toEqual([path, true]);
  }

  /** In the past on every day of a month, as the rows up to `newestLine` may be in the future. */
  const inLastMonth = new Date(newestLine - 21 * 24 * 60 * MINUTE).toISOString();
  const filters = (): [table: string, list: string, filter: string][] => [
    ['runs', '/v1/runs', ''],
    ['runs', '/v1/runs', `agent=${agents[0]}`],
    ['runs', '/v1/runs', `agent=${agents[1]}`],
    ['runs', '/v1/runs', 'status=failed'],
    ['runs', '/v1/runs', 'status=succeeded'],
    ['runs', '/v1/runs', 'status=failed,handed_off'],
    ['runs', '/v1/runs', 'mode=test'],
    ['runs', '/v1/runs', `agent=${agents[0]}&version=2`],
    ['runs', '/v1/runs', 'version=1'],
    ['runs', '/v1/runs', 'label=team%3Dsupport'],
    ['runs', '/v1/runs', 'label=mcp_client%3Dcodex'],
    ['runs', '/v1/runs', 'initiator=eve@example.com'],
    ['runs', '/v1/runs', 'error_code=tool_error'],
    ['runs', '/v1/runs', 'replay_of=run_replayed'],
    ['runs', '/v1/runs', 'parent=run_parent'],
    ['runs', '/v1/runs', 'trigger_type=email.received'],
    ['runs', '/v1/runs', `since=${at(0.5)}`],
    ['runs', '/v1/runs', `until=${at(0.5)}`],
    ['runs', '/v1/runs', `since=${at(0.4)}&until=${at(0.6)}`],
    ['agents', '/v1/agents', ''],
    ['agents', '/v1/agents', 'project=seldom'],
    ['agents', '/v1/agents', 'project=often'],
    ['approvals', '/v1/approvals', ''],
    ['approvals', '/v1/approvals', 'status=open'],
    ['approvals', '/v1/approvals', `agent=${agents[1]}`],
    ['approvals', '/v1/approvals', 'sort=expires_at'],
    ['approvals', '/v1/approvals', `sort=expires_at&expires_before=${at(0.5)}`],
    ['approvals', '/v1/approvals', 'sort=expires_at&status=open'],
    // Two filters are not tested, because their cost does not grow with the number of old approvals. `mine` reads only
    // open approvals. `expires_before` discards only approvals that were opened before the given time and expire later.
    ['events', '/v1/events', ''],
    ['events', '/v1/events', 'type=run.handed_off'],
    ['events', '/v1/events', `agent=${agents[1]}`],
    ['events', '/v1/events', `since=${at(0.5)}`],
    ['audit_events', '/v1/audit-events', ''],
    ['audit_events', '/v1/audit-events', 'actor=eve@example.com'],
    ['audit_events', '/v1/audit-events', 'action=agent.promote'],
    ['audit_events', '/v1/audit-events', `since=${inLastMonth}`],
    ['trigger_events', `/v1/agents/${agents[0]}/trigger-events`, ''],
    ['trigger_events', `/v1/agents/${agents[0]}/trigger-events`, 'trigger=seldom'],
    ['trigger_events', `/v1/agents/${agents[0]}/trigger-events`, 'outcome=refused'],
    ['trigger_events', `/v1/agents/${agents[0]}/trigger-events`, 'trigger=often&outcome=refused'],
  ];

  it('reads a limited number of runs if it searches their text, time or cost', async () => {
    const searches = ['q=tool_error', 'max_cost=0&q=tool_error', 'min_duration_ms=0', 'min_cost=0&max_duration_ms=0'];
    const others = ['', `&agent=${agents[0]}`, '&status=failed,succeeded'];
    for (const filter of searches.flatMap((search) => others.map((other) => search + other))) {
      const nodes = await planOf('runs', `/v1/runs?limit=${LIMIT}&${filter}`);
      expect([filter, nodes.filter((node) => node['Node Type'] === 'Seq Scan')]).toEqual([filter, []]);
      expect(Math.max(...nodes.map((node) => node['Actual Rows']))).toBeLessThanOrEqual(SEARCHED_RUNS + LIMIT);
    }
  });

  it('is read by an index whatever it is filtered by, first or later, up or down', async () => {
    for (const [table, list, filter] of filters()) {
      for (const order of ['asc', 'desc']) {
        const path = `${list}?limit=${LIMIT}&order=${order}&${filter}`;
        await expectCheap(table, path);
        const { body } = await api.call('GET', path, { key: tenant.adminKey });
        await expectCheap(table, `${path}&cursor=${encodeURIComponent(body.next_cursor)}`);
      }
    }
  });

  it('is what the selection of a bulk action reads for each filter of runs', async () => {
    for (const [, , filter] of filters().filter(([table]) => table === 'runs'))
      expectFewRows('runs', `bulk action ${filter}`, await planOfSelection(filter));
  });

  it('of a log in months is read in the month that it is about alone', async () => {
    const lists = [
      ['audit_events', '/v1/audit-events'],
      ['trigger_events', `/v1/agents/${agents[0]}/trigger-events`],
    ] as const;
    for (const [table, list] of lists) {
      for (const order of ['asc', 'desc']) {
        const first = `${list}?limit=${LIMIT}&order=${order}`;
        const { body } = await api.call('GET', first, { key: tenant.adminKey });
        for (const path of [first, `${first}&cursor=${encodeURIComponent(body.next_cursor)}`]) {
          const months = (await planOf(table, path)).filter((node) => isPartOf(table, node['Relation Name']));
          const read = months.filter((node) => node['Actual Loops'] > 0);
          expect([path, read.length, read.map((node) => node['Actual Rows'])]).toEqual([path, 1, [LIMIT + 1]]);
          expect(blocksOf(read)).toBeLessThanOrEqual(8);
        }
      }
    }
  });
});
