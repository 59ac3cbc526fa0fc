import type { Bench, Service, ServiceScenario } from './bench.js';
import { benchAgent, TOOL_ANSWER, TOOL_PATH } from './bench-agents.js';
import { postMany } from './http-load.js';
import { startRequest, untilAllEnded } from './throughput.js';

const RUNS = 200;
const CONNECTIONS = 20;
/**
 * Duration of a tool call in milliseconds. It is so long that each concurrency slot of the worker is executing a call
 * when the worker is killed.
 */
const CALL_MS = 1_000;

/**
 * Kills one of two workers with SIGKILL while each of its concurrency slots is executing a call. Measures the time
 * until every run has ended. Most of this time passes until the leases of the killed worker expire. They have the
 * default duration.
 */
export const crashRecovery: ServiceScenario = {
  name: 'crash-recovery',
  // Leases are always in Postgres, so the result does not depend on the store of the queue.
  onlyWith: 'redis',
  async run(bench, service): Promise<void> {
    const agent = await service.stack.client.createAgent({
      ...benchAgent('one-tool', service.ledger.url),
      name: 'crash',
    });
    // There are at most two repetitions, because each takes at least the duration of a lease.
    for (let repetition = 0; repetition < Math.min(bench.repetitions, 2); repetition++)
      await measure(bench, service, agent);
  },
};

async function measure(bench: Bench, service: Service, agent: string): Promise<void> {
  const { stack, ledger, queue } = service;
  ledger.reset();
  ledger.always(TOOL_PATH, { body: TOOL_ANSWER, delayMillis: CALL_MS });
  const [victim] = stack.workers;
  if (!victim) throw new Error('There is no worker.');
  await stack.addWorker();
  await postMany(startRequest(service, agent), RUNS, CONNECTIONS, 202);
  await ledger.called(TOOL_PATH, CONNECTIONS);
  const killed = performance.now();
  void victim.kill();
  stack.workers.splice(stack.workers.indexOf(victim), 1);
  await untilAllEnded(bench);
  bench.figures.add('crash-recovery', queue, 'kill to all finished', 's', (performance.now() - killed) / 1000);
  const { rows } = await bench.database.query<{ recovered: string; failed: string }>(
    `select count(*) filter (where recoveries > 0) as recovered, count(*) filter (where status <> 'succeeded') as failed
       from (select * from runs where agent_id = $1 order by id desc limit $2) newest`,
    [agent, RUNS],
  );
  if (rows[0]?.failed !== '0') throw new Error(`Of ${RUNS} runs ${rows[0]?.failed ?? '?'} did not succeed.`);
  bench.figures.add('crash-recovery', queue, 'runs that lost their worker', 'runs', Number(rows[0].recovered));
}
