import { lowestId } from '@app/kernel';
import type { Pool } from 'pg';

import { startApi, type TestApi } from '../support/api.js';
import type { TestTenant } from '../support/http-api.js';
import { AskedPlans, type PlanNode } from '../support/asked-plans.js';
import type { Bench, CeilingScenario } from './bench.js';
import { quantile } from './figures.js';

const RUNS = 1_000_000;
/** Number of runs in the short list. It is enough for one page. */
const FEW = 100;
const BATCH = 20_000;
const MINUTE = 60_000;
const REQUESTS = 200;
const AGENT = { name: 'listed', steps: [{ id: 'a', output: {} }] };

/** Names of the measured requests for pages. `deep` starts at a cursor in the middle of the list. */
export const PAGES = [
  'first',
  'deep',
  'oldest first',
  'status=failed',
  'status=succeeded',
  'mode=test',
  'trigger_type=email.received',
  'of an agent',
  'of an agent with few runs',
  'since the middle',
] as const;
type PageName = (typeof PAGES)[number];

/**
 * Returns the name of the figure that compares plan costs: the cost of this page divided by the cost of the first page
 * of the short list.
 */
export function planCostOf(page: PageName): string {
  return `${page}, plan cost`;
}

/**
 * A workspace with a list of runs. The creation times of the runs are one minute apart, and the newest run was created
 * now.
 */
export interface Listed {
  api: TestApi;
  tenant: TestTenant;
  plans: AskedPlans;
  /** Ids of the two agents. The second agent has few runs. */
  agents: string[];
  /** Creation time of the run in the middle of the list. */
  middle: string;
  end: () => Promise<void>;
}

/** Measures the cost of a page of `GET /v1/runs` with a million runs, compared with the first page of a short list. */
export const pages: CeilingScenario = {
  name: 'pages',
  async run(bench: Bench): Promise<void> {
    const few = await listed(bench, 'pages_few', FEW);
    const many = await listed(bench, 'pages_many', RUNS / bench.divisor ** 2);
    try {
      const least = await cost(few, '/v1/runs');
      const name = `${(RUNS / bench.divisor ** 2).toLocaleString('en-US').replaceAll(',', ' ')} runs`;
      await clock(bench, `first of ${FEW} runs`, few, '/v1/runs');
      const paths = await pathsOf(many);
      for (const page of PAGES) {
        const path = paths[page];
        const asked = await cost(many, path);
        bench.figures.add('pages', null, planCostOf(page), '×', asked.planned / least.planned);
        bench.figures.add('pages', null, `${page}, looked at`, 'blocks', asked.blocks);
        await clock(bench, `${page} of ${name}`, many, path);
      }
    } finally {
      await many.end();
      await few.end();
    }
  },
};

export async function listed(bench: Bench, name: string, runs: number): Promise<Listed> {
  const { url, database } = await bench.openDatabase(name);
  const api = await startApi({ databaseUrl: url });
  const tenant = await api.newTenant();
  const agents: string[] = [];
  for (const agent of ['often', 'seldom']) {
    const body = { ...AGENT, name: agent };
    const answer = await api.call('POST', '/v1/agents', { key: tenant.adminKey, body });
    agents.push((answer.body as { id: string }).id);
  }
  const now = Date.now();
  const begun = performance.now();
  await fill(database, tenant.workspaceId, agents, now, runs);
  bench.say(`${name}: ${runs} runs made in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  const middle = new Date(now - (runs / 2) * MINUTE).toISOString();
  return { api, tenant, plans: new AskedPlans(api, database), agents, middle, end: () => api.close() };
}

/**
 * Inserts `runs` runs. Of every thousand runs, about one has failed, about one was started by mail, about one is a test
 * run, and about one belongs to the second agent.
 */
async function fill(database: Pool, workspaceId: string, agents: string[], now: number, runs: number): Promise<void> {
  const client = await database.connect();
  try {
    // These settings make the inserts faster: foreign keys are not checked, and commits do not wait for the disk. The
    // referenced rows exist.
    await client.query(`set session_replication_role = replica; set synchronous_commit = off`);
    for (let from = 0; from < runs; from += BATCH) {
      const times = Array.from({ length: Math.min(BATCH, runs - from) }, (_, n) => now - (runs - from - n) * MINUTE);
      await client.query(
        `insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, status, currency, created_at, ended_at)
         select id, $1, case when n % 1300 = 7 then $3 else $2 end, 1, case when n % 1100 = 7 then 'test' else 'production' end,
           jsonb_build_object('type', case when n % 1000 = 7 then 'email.received' else 'api' end), '{"body": "hello"}',
           case when n % 900 = 7 then 'failed' else 'succeeded' end, 'EUR', to_timestamp(at / 1000.0), to_timestamp(at / 1000.0)
         from unnest($4::text[], $5::float8[]) with ordinality as r (id, at, n)`,
        [workspaceId, ...agents, times.map((time) => lowestId('run', time)), times],
      );
    }
    // With `session_replication_role = replica`, the trigger that fills `listed_runs` does not fire, so this statement
    // fills the table.
    await client.query(
      `insert into listed_runs (workspace_id, id, agent_id, version, mode, trigger_type, initiator)
       select workspace_id, id, agent_id, version, mode, trigger ->> 'type', initiator from runs`,
    );
    await client.query('vacuum analyze runs, listed_runs');
    await client.query('reset session_replication_role');
  } finally {
    client.release();
  }
}

async function pathsOf(list: Listed): Promise<Record<PageName, string>> {
  const { agents, middle } = list;
  const deep = `/v1/runs?until=${middle}`;
  return {
    first: '/v1/runs',
    deep: `${deep}&cursor=${await cursorAfter(list, deep)}`,
    'oldest first': '/v1/runs?order=asc',
    'status=failed': '/v1/runs?status=failed',
    'status=succeeded': '/v1/runs?status=succeeded',
    'mode=test': '/v1/runs?mode=test',
    'trigger_type=email.received': '/v1/runs?trigger_type=email.received',
    'of an agent': `/v1/runs?agent=${agents[0]!}`,
    'of an agent with few runs': `/v1/runs?agent=${agents[1]!}`,
    'since the middle': `/v1/runs?since=${middle}&order=asc`,
  };
}

async function cursorAfter({ api, tenant }: Listed, path: string): Promise<string> {
  const { body } = await api.call('GET', path, { key: tenant.adminKey });
  return encodeURIComponent((body as { next_cursor: string }).next_cursor);
}

async function cost({ plans, tenant }: Listed, path: string): Promise<{ planned: number; blocks: number }> {
  const asked = await plans.of('runs', path, tenant);
  const sum = (of: (plan: PlanNode) => number) => asked.reduce((total, plan) => total + of(plan), 0);
  return {
    planned: sum((plan) => plan['Total Cost']),
    blocks: sum((plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']),
  };
}

async function clock({ figures, divisor }: Bench, name: string, { api, tenant }: Listed, path: string): Promise<void> {
  const millis = new Float64Array(Math.max(20, REQUESTS / divisor));
  for (let n = -5; n < millis.length; n++) {
    const begun = performance.now();
    await api.call('GET', path, { key: tenant.adminKey });
    if (n >= 0) millis[n] = performance.now() - begun;
  }
  millis.sort();
  figures.add('pages', null, `${name}, p50`, 'ms', quantile(millis, 0.5));
  figures.add('pages', null, `${name}, p99`, 'ms', quantile(millis, 0.99));
}
