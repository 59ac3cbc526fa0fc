import type { Bench, Service, ServiceScenario } from './bench.js';
import { benchAgent, TOOL_ANSWER, TOOL_PATH } from './bench-agents.js';
import { quantile } from './figures.js';
import { requestBytes, SingleConnection } from './http-load.js';
import { RunEvents } from './run-events.js';
import { startRequest } from './throughput.js';

const RUNS = 400;
const WARM_UP = 50;

/**
 * Executes one run at a time on an idle service. Measures the time from the first byte of the request to the commit
 * with which the run ends. The database notifies the benchmark of this commit, because polling would add load and
 * increase the figure.
 */
export const latency: ServiceScenario = {
  name: 'latency',
  async run(bench, service): Promise<void> {
    service.ledger.always(TOOL_PATH, { body: TOOL_ANSWER });
    const agent = await service.stack.client.createAgent({
      ...benchAgent('four-step', service.ledger.url),
      name: 'latency',
    });
    const events = await RunEvents.listen(bench.databaseUrl);
    const connection = await SingleConnection.open(service.stack.baseUrl);
    try {
      const request = requestBytes(startRequest(service, agent));
      for (let run = 0; run < WARM_UP; run++) await oneRun(connection, request, events);
      for (let repetition = 0; repetition < bench.repetitions; repetition++)
        await measure(bench, service, () => oneRun(connection, request, events));
    } finally {
      connection.close();
      await events.close();
    }
  },
};

interface Times {
  accepted: number;
  finished: number;
}

async function measure(bench: Bench, { queue }: Service, run: () => Promise<Times>): Promise<void> {
  const accepted: number[] = [];
  const finished: number[] = [];
  for (let count = 0; count < RUNS / bench.divisor; count++) {
    const times = await run();
    accepted.push(times.accepted);
    finished.push(times.finished);
  }
  for (const [name, values] of [
    ['POST to 202', accepted],
    ['POST to finished', finished],
  ] as const) {
    values.sort((a, b) => a - b);
    bench.figures.add('latency', queue, `${name}, p50`, 'ms', quantile(values, 0.5));
    bench.figures.add('latency', queue, `${name}, p99`, 'ms', quantile(values, 0.99));
  }
}

async function oneRun(connection: SingleConnection, request: Buffer, events: RunEvents): Promise<Times> {
  const started = performance.now();
  const answer = await connection.send(request);
  const accepted = performance.now() - started;
  if (answer.status !== 202) throw new Error(`A run was not accepted: ${answer.status} ${answer.body}`);
  const { id } = JSON.parse(answer.body) as { id: string };
  return { accepted, finished: (await events.of(id, 'run.completed')) - started };
}
