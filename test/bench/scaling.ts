import type { Bench, Service, ServiceScenario } from './bench.js';
import { benchAgent, TOOL_ANSWER, TOOL_PATH } from './bench-agents.js';
import { summary } from './figures.js';
import { postMany } from './http-load.js';
import { cpuMillis, postgresCpuMillis } from './process-usage.js';
import { secondsFromFirstToLast, startRequest, untilAllEnded } from './throughput.js';

const FLEETS = [1, 2, 4];
/**
 * Duration of a tool call in milliseconds. The calls are slow, and each worker has few concurrency slots. The number of
 * slots, not the CPU, therefore limits the throughput of a worker, and CPU time is left for more workers.
 */
const CALL_MS = 100;
const SLOTS = '4';
const RUNS_PER_WORKER = 80;
const CONNECTIONS = 50;

/**
 * Measures the throughput of two and of four workers, as a multiple of the throughput of one worker. Also measures the
 * CPU time that they use.
 */
export const scaling: ServiceScenario = {
  name: 'scaling',
  // The scenario uses Redis, because installations on several machines use Redis.
  onlyWith: 'redis',
  async run(bench, service): Promise<void> {
    const { stack, ledger, queue } = service;
    ledger.reset();
    ledger.always(TOOL_PATH, { body: TOOL_ANSWER, delayMillis: CALL_MS });
    const agent = await stack.client.createAgent({ ...benchAgent('one-tool', ledger.url), name: 'scaling' });
    const ones: number[] = [];
    for (const workers of FLEETS) {
      await stack.endWorkers();
      for (let n = 0; n < workers; n++) await stack.addWorker({ WORKER_CONCURRENCY: SLOTS });
      await measure(bench, service, { agent, workers });
      for (let repetition = 0; repetition < bench.repetitions; repetition++) {
        const { perSecond, cores } = await measure(bench, service, { agent, workers });
        bench.figures.add('scaling', queue, `${workers} workers, finished`, 'runs/s', perSecond);
        bench.figures.add('scaling', queue, `${workers} workers, everything`, 'cores', cores);
        if (workers === 1) ones.push(perSecond);
        else
          bench.figures.add(
            'scaling',
            queue,
            `${workers} workers, of linear`,
            '×',
            perSecond / (workers * summary(ones).median),
          );
      }
    }
    await stack.endWorkers();
    await stack.addWorker();
  },
};

interface Measured {
  agent: string;
  workers: number;
}

async function measure(
  bench: Bench,
  service: Service,
  { agent, workers }: Measured,
): Promise<{ perSecond: number; cores: number }> {
  const runs = Math.round((workers * RUNS_PER_WORKER) / bench.divisor);
  const [before, begun] = [await cpuOfAll(bench, service), performance.now()];
  await postMany(startRequest(service, agent), runs, CONNECTIONS, 202);
  await untilAllEnded(bench);
  const cores = ((await cpuOfAll(bench, service)) - before) / (performance.now() - begun);
  return { perSecond: runs / (await secondsFromFirstToLast(bench, agent, runs)), cores };
}

/**
 * Returns the CPU time in milliseconds that the API, the workers and Postgres have used. Returns NaN if the system does
 * not report it.
 */
async function cpuOfAll({ database }: Bench, { stack }: Service): Promise<number> {
  const { rows } = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
  const programs = [stack.api, ...stack.workers].map(({ pid }) => cpuMillis(pid));
  const all = await Promise.all([...programs, postgresCpuMillis(rows[0]?.pid ?? 0)]);
  return all.reduce<number>((sum, each) => sum + (each ?? NaN), 0);
}
