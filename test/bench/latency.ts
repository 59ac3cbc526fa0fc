import { Client } from 'pg';

import type { Bench, Service, ServiceScenario } from './bench.js';
import { benchAgent, TOOL_ANSWER, TOOL_PATH } from './bench-agents.js';
import { quantile } from './figures.js';
import { requestBytes, SingleConnection } from './http-load.js';
import { startRequest } from './throughput.js';

const RUNS = 400;
const WARM_UP = 50;

const ANNOUNCE_ENDS = `
  create function bench_announce() returns trigger language plpgsql as $$
    begin perform pg_notify('bench_ended', new.run_id); return null; end $$;
  create trigger bench_announce after insert on events for each row execute function bench_announce()`;
const ANNOUNCE_NO_MORE = 'drop trigger bench_announce on events; drop function bench_announce()';

/**
 * One run at a time on an idle service: from the first byte of the request until the run's end is committed. The database
 * announces the end, because polling would both take part in the load and round the figure up.
 */
export const latency: ServiceScenario = {
  name: 'latency',
  async run(bench, service): Promise<void> {
    service.ledger.always(TOOL_PATH, { body: TOOL_ANSWER });
    const agent = await service.stack.client.createAgent({
      ...benchAgent('four-step', service.ledger.url),
      name: 'latency',
    });
    const ends = await RunEnds.listen(bench.databaseUrl);
    const connection = await SingleConnection.open(service.stack.baseUrl);
    try {
      const request = requestBytes(startRequest(service, agent));
      for (let run = 0; run < WARM_UP; run++) await oneRun(connection, request, ends);
      for (let repetition = 0; repetition < bench.repetitions; repetition++)
        await measure(bench, service, () => oneRun(connection, request, ends));
    } finally {
      connection.close();
      await ends.close();
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

async function oneRun(connection: SingleConnection, request: Buffer, ends: RunEnds): Promise<Times> {
  const started = performance.now();
  const answer = await connection.send(request);
  const accepted = performance.now() - started;
  if (answer.status !== 202) throw new Error(`A run was not accepted: ${answer.status} ${answer.body}`);
  const { id } = JSON.parse(answer.body) as { id: string };
  return { accepted, finished: (await ends.of(id)) - started };
}

/** Hears of the end of runs from the database, at the moment it is committed. */
class RunEnds {
  private readonly heard = new Map<string, number>();
  private readonly awaited = new Map<string, (at: number) => void>();

  private constructor(private readonly client: Client) {
    // The server ends under the session when the bench is interrupted.
    client.on('error', () => undefined);
    client.on('notification', ({ payload = '' }) => {
      const at = performance.now();
      const waiting = this.awaited.get(payload);
      if (waiting) waiting(at);
      else this.heard.set(payload, at);
      this.awaited.delete(payload);
    });
  }

  static async listen(databaseUrl: string): Promise<RunEnds> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(ANNOUNCE_ENDS);
    await client.query('listen bench_ended');
    return new RunEnds(client);
  }

  /** When the run ended, on the clock of `performance.now()`. */
  async of(runId: string): Promise<number> {
    const at = this.heard.get(runId);
    this.heard.delete(runId);
    return at ?? new Promise((resolve) => this.awaited.set(runId, resolve));
  }

  async close(): Promise<void> {
    await this.client.query(ANNOUNCE_NO_MORE);
    await this.client.end();
  }
}
