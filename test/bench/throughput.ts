import { setTimeout as pause } from 'node:timers/promises';

import type { Bench, Service, ServiceScenario } from './bench.js';
import { type AgentKind, benchAgent, RUN_INPUT, TOOL_ANSWER, TOOL_PATH } from './bench-agents.js';
import { type Post, postMany } from './http-load.js';
import { cpuMillis, peakMemory, postgresCpuMillis } from './process-usage.js';

export const CONNECTIONS = 50;
export const RUNS = 2_000;
/**
 * Number of runs before the measurement. After these runs, V8 has compiled the frequently executed code, which halves
 * the time per run.
 */
export const WARM_UP = 1_500;
const LOOK_EVERY_MS = 25;

/**
 * Measures how many runs per second the service accepts and finishes. The runs are started over 50 connections while
 * the worker executes them.
 */
export function throughput(kind: AgentKind): ServiceScenario {
  return {
    name: kind,
    async run(bench, service): Promise<void> {
      service.ledger.always(TOOL_PATH, { body: TOOL_ANSWER });
      const agent = await service.stack.client.createAgent(benchAgent(kind, service.ledger.url));
      const post = startRequest(service, agent);
      await postMany(post, WARM_UP, CONNECTIONS, 202);
      await untilAllEnded(bench);
      for (let repetition = 0; repetition < bench.repetitions; repetition++)
        await measure(bench, service, { kind, agent, post });
    },
  };
}

/**
 * Measures how many runs per second the service accepts while no worker runs. This scenario comes last, because it
 * leaves the runs queued.
 */
export const acceptAlone: ServiceScenario = {
  name: 'accept-alone',
  async run(bench, service): Promise<void> {
    const agent = await service.stack.client.createAgent({
      ...benchAgent('one-tool', service.ledger.url),
      name: 'accept',
    });
    await service.stack.endWorkers();
    const post = startRequest(service, agent);
    await postMany(post, WARM_UP, CONNECTIONS, 202);
    for (let repetition = 0; repetition < bench.repetitions; repetition++) {
      const load = await postMany(post, RUNS / bench.divisor, CONNECTIONS, 202);
      bench.figures.add('accept-alone', service.queue, 'accepted', 'runs/s', load.perSecond);
      bench.figures.add('accept-alone', service.queue, 'accept p50', 'ms', load.p50);
      bench.figures.add('accept-alone', service.queue, 'accept p99', 'ms', load.p99);
    }
  },
};

export function startRequest({ stack }: Pick<Service, 'stack'>, agent: string, key = stack.adminKey): Post {
  return {
    url: `${stack.baseUrl}/v1/agents/${agent}/runs`,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: RUN_INPUT }),
  };
}

interface Load {
  kind: AgentKind;
  agent: string;
  post: Post;
}

async function measure(bench: Bench, service: Service, { kind, agent, post }: Load): Promise<void> {
  const runs = RUNS / bench.divisor;
  const { stack, ledger, queue } = service;
  const add = (name: string, unit: string, value: number): void => bench.figures.add(kind, queue, name, unit, value);
  const [worker] = stack.workers;
  if (!worker) throw new Error('There is no worker.');
  ledger.reset();
  ledger.always(TOOL_PATH, { body: TOOL_ANSWER });

  const before = await usage(bench, service);
  const memory = await peakMemory({ api: stack.api.pid, worker: worker.pid }, async () => {
    const load = await postMany(post, runs, CONNECTIONS, 202);
    add('accepted', 'runs/s', load.perSecond);
    add('accept p50', 'ms', load.p50);
    add('accept p99', 'ms', load.p99);
    await untilAllEnded(bench);
  });
  const after = await usage(bench, service);

  add('finished', 'runs/s', runs / (await secondsFromFirstToLast(bench, agent, runs)));
  add('WAL per run', 'bytes', (after.wal - before.wal) / runs);
  for (const part of ['api', 'worker', 'postgres', 'driver'] as const) {
    const spent = after[part] - before[part];
    if (!Number.isNaN(spent)) add(`CPU per run, ${part}`, 'ms', spent / runs);
  }
  if (memory.api !== undefined) add('memory, api', 'MiB', memory.api);
  if (memory.worker !== undefined) add('memory, worker', 'MiB', memory.worker);
  if (ledger.callsOf(TOOL_PATH).length !== runs)
    throw new Error(`${runs} runs called their tool ${ledger.callsOf(TOOL_PATH).length} times.`);
}

/**
 * Returns the seconds from the creation of the first run to the end of the last run, by the clock of the database.
 * Includes only the newest `runs` runs of the agent. If `agent` is null, the runs of all agents count.
 */
export async function secondsFromFirstToLast(
  { database }: Pick<Bench, 'database'>,
  agent: string | null,
  runs: number,
): Promise<number> {
  const { rows } = await database.query<{ seconds: string; succeeded: string }>(
    `select extract(epoch from max(ended_at) - min(created_at)) as seconds, count(*) filter (where status = 'succeeded') as succeeded
       from (select * from runs where $1::text is null or agent_id = $1 order by id desc limit $2) newest`,
    [agent, runs],
  );
  const [row] = rows;
  if (Number(row?.succeeded) !== runs) throw new Error(`Of ${runs} runs ${row?.succeeded ?? 0} succeeded.`);
  return Number(row?.seconds);
}

/** Selects an open run. Postgres uses its indexes of queued and of running runs, so the statement adds little load. */
const OPEN = `select from runs where status = 'queued' union all select from runs where status = 'running' limit 1`;

export async function untilAllEnded({ database }: Pick<Bench, 'database'>): Promise<void> {
  while ((await database.query(OPEN)).rowCount !== 0) await pause(LOOK_EVERY_MS);
}

type Usage = Record<'wal' | 'api' | 'worker' | 'postgres' | 'driver', number>;

async function usage({ database }: Bench, { stack }: Service): Promise<Usage> {
  const { rows } = await database.query<{ wal: string; pid: number }>(
    `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal, pg_backend_pid() as pid`,
  );
  const driver = process.cpuUsage();
  return {
    wal: Number(rows[0]?.wal),
    api: (await cpuMillis(stack.api.pid)) ?? NaN,
    worker: (await cpuMillis(stack.workers[0]?.pid ?? 0)) ?? NaN,
    postgres: (await postgresCpuMillis(rows[0]?.pid ?? 0)) ?? NaN,
    driver: (driver.user + driver.system) / 1000,
  };
}
