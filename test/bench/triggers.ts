import { setTimeout as pause } from 'node:timers/promises';

import { newId } from '@app/kernel';
import type { Bench, Service, ServiceScenario } from './bench.js';
import { benchAgent, RUN_INPUT } from './bench-agents.js';
import { type Post, postMany } from './http-load.js';
import { cpuMillis, postgresCpuMillis } from './process-usage.js';
import { startRequest, untilAllEnded } from './throughput.js';

const CONNECTIONS = 50;
const CALLS = 3_000;
const WARM_UP = 300;

/**
 * Compares runs started by a webhook with runs started by an API request. Rounds of the two kinds alternate, and no
 * worker runs.
 */
export const webhooks: ServiceScenario = {
  name: 'webhooks',
  async run(bench, service): Promise<void> {
    const { client } = service.stack;
    const made = await client.expect<{ id: string; webhook_secret: string }>('POST', '/v1/agents', {
      ...benchAgent('one-tool', service.ledger.url),
      name: 'webhooks',
      triggers: [{ id: 'hook', type: 'webhook', filter: 'body.limit > 0', map: { order: '${{ body.order }}' } }],
    });
    const requests: Record<string, Post> = {
      'accepted by request': startRequest(service, made.id),
      'accepted by webhook': {
        url: `${service.stack.baseUrl}/v1/agents/${made.id}/trigger`,
        headers: { 'x-service-webhook-secret': made.webhook_secret, 'content-type': 'application/json' },
        body: JSON.stringify(RUN_INPUT),
      },
    };
    await service.stack.endWorkers();
    for (const post of Object.values(requests)) await postMany(post, WARM_UP, CONNECTIONS, 202);
    for (let repetition = 0; repetition < bench.repetitions; repetition++) {
      const perSecond: number[] = [];
      for (const [name, post] of Object.entries(requests)) {
        const load = await postMany(post, CALLS / bench.divisor, CONNECTIONS, 202);
        perSecond.push(load.perSecond);
        bench.figures.add('webhooks', service.queue, name, 'runs/s', load.perSecond);
      }
      const [byRequest = NaN, byWebhook = NaN] = perSecond;
      bench.figures.add('webhooks', service.queue, 'by webhook, of by request', '%', (100 * byWebhook) / byRequest);
    }
  },
};

const AGENTS = 500;
const SCHEDULES_PER_AGENT = 20;
const IDLE_MS = 6_000;
const LOOK_EVERY_MS = 100;

/**
 * Measures the cost of ten thousand schedule triggers while none is due, and the time that one worker takes when all of
 * them are due.
 */
export const schedules: ServiceScenario = {
  name: 'schedules',
  // Due times are always in Postgres, so the result does not depend on the store of the queue.
  onlyWith: 'postgres',
  async run(bench, service): Promise<void> {
    const agents = AGENTS / bench.divisor;
    const count = agents * SCHEDULES_PER_AGENT;
    await addIdleCost(bench, service, 'no schedule');
    await createAgents(bench, service, agents);
    await until(bench, 'select from triggers where fire_at is null limit 1');
    await addIdleCost(bench, service, `${count} schedules`);
    await bench.database.query(
      `update triggers set fire_at = date_trunc('minute', clock_timestamp()), due_at = clock_timestamp(),
         active_since = clock_timestamp() - interval '1 day'`,
    );
    await until(bench, 'select from triggers where fire_at <= clock_timestamp() limit 1');
    await untilAllEnded(bench);
    const { rows } = await bench.database.query<{ seconds: number; fired: number; runs: number }>(
      `select extract(epoch from max(created_at) - min(created_at))::float8 as seconds, count(*)::integer as fired,
         count(distinct (agent_id, trigger_id))::integer as runs
       from trigger_events where type = 'schedule' and outcome = 'started'`,
    );
    const [fires] = rows;
    if (fires?.fired !== count || fires.runs !== count)
      throw new Error(`${count} schedules fired ${fires?.fired ?? 0} times.`);
    bench.figures.add('schedules', service.queue, `${count} due at once, all fired after`, 's', fires.seconds);
    await bench.database.query(`update triggers set due_at = null`);
  },
};

async function addIdleCost({ database, figures }: Bench, { stack, queue }: Service, what: string): Promise<void> {
  const [worker] = stack.workers;
  const cost = async (): Promise<number> => {
    // The pool closes idle sessions and opens new ones, so the process id of a session is read again each time.
    const { rows } = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
    return ((await cpuMillis(worker?.pid ?? 0)) ?? NaN) + ((await postgresCpuMillis(rows[0]?.pid ?? 0)) ?? NaN);
  };
  const before = await cost();
  await pause(IDLE_MS);
  figures.add(
    'schedules',
    queue,
    `idle with ${what}, worker and Postgres`,
    'CPU ms/s',
    ((await cost()) - before) / (IDLE_MS / 1_000),
  );
}

/** Inserts the rows directly, because the creation of agents is not part of the measurement. */
async function createAgents({ database }: Bench, { stack }: Service, agents: number): Promise<void> {
  const triggers = Array.from({ length: SCHEDULES_PER_AGENT }, (_, n) => ({
    id: `s${n}`,
    type: 'schedule',
    cron: '0 0 1 1 *',
  }));
  const definition = { name: 'scheduled', triggers, steps: [{ id: 'result', output: { done: true } }] };
  const ids = Array.from({ length: agents }, () => newId('agent'));
  await database.query(
    `insert into agents (id, workspace_id, name, production_version, latest_version, webhook_secret_hash)
       select id, $2, 'scheduled-' || id, 1, 1, '' from unnest($1::text[]) id`,
    [ids, stack.workspaceId],
  );
  await database.query(
    `insert into agent_versions (agent_id, version, workspace_id, source, source_format, definition, definition_hash, created_by)
       select id, 1, $2, '{}', 'json', $3, 'hash', 'ann@example.com' from unnest($1::text[]) id`,
    [ids, stack.workspaceId, definition],
  );
}

async function until({ database }: Bench, thereIsMore: string): Promise<void> {
  while ((await database.query(thereIsMore)).rowCount !== 0) await pause(LOOK_EVERY_MS);
}
