import { setTimeout as pause } from 'node:timers/promises';

import { PostgresTap, type RoundTrip } from '../support/postgres-tap.js';
import { startStack } from '../support/stack.js';
import { AS_SHIPPED, type Bench, type Service, type ServiceScenario } from './bench.js';
import { benchAgent, TOOL_ANSWER, TOOL_PATH } from './bench-agents.js';
import { summary } from './figures.js';
import { requestBytes, SingleConnection } from './http-load.js';
import { startRequest, untilAllEnded } from './throughput.js';

const RUNS = 40;
/** Duration of the idle measurement. It is longer than the longest polling interval of an idle process. */
const IDLE_SECONDS = 6;

/**
 * Counts the database round trips of the service: per run of an agent with one tool call, and per second while the
 * service is idle.
 */
export const roundTrips: ServiceScenario = {
  name: 'round-trips',
  async run(bench, service): Promise<void> {
    const { queue, redisUrl, ledger } = service;
    // The scenario uses a separate database, so that the workers of the benchmark do not execute its runs.
    const own = await bench.openDatabase(`round_trips_${queue}`);
    const tap = await PostgresTap.open(own.url);
    try {
      const env = { ...AS_SHIPPED, EGRESS_ALLOW: ledger.egressEntry };
      const stack = await startStack({ databaseUrl: tap.url, redisUrl, env });
      try {
        const atIntervals = await idle(bench, queue, tap);
        await count({ ...bench, database: own.database }, { ...service, stack }, tap, atIntervals);
      } finally {
        await stack.stop();
      }
    } finally {
      await tap.close();
    }
  },
};

/**
 * Measures the idle service. Returns the names of the statements that the processes send periodically, whether or not
 * there are runs.
 */
async function idle({ figures }: Bench, queue: string, tap: PostgresTap): Promise<ReadonlySet<string>> {
  tap.roundTrips.length = 0;
  await pause(IDLE_SECONDS * 1000);
  figures.add('round-trips', queue, 'when idle', 'round trips/s', tap.roundTrips.length / IDLE_SECONDS);
  return new Set(tap.roundTrips.filter((each) => !isOfQueue(each)).map(({ statement }) => statement));
}

async function count(
  bench: Bench,
  service: Service,
  tap: PostgresTap,
  atIntervals: ReadonlySet<string>,
): Promise<void> {
  const { stack, ledger, queue } = service;
  ledger.always(TOOL_PATH, { body: TOOL_ANSWER });
  const agent = await stack.client.createAgent({ ...benchAgent('one-tool', ledger.url), name: 'counted' });
  const counts: ReturnType<typeof ofRun>[] = [];
  const connection = await SingleConnection.open(stack.baseUrl);
  try {
    const request = requestBytes(startRequest(service, agent));
    const oneRun = async (): Promise<void> => {
      await connection.send(request);
      await untilAllEnded(bench);
    };
    await oneRun();
    for (let run = 0; run < RUNS; run++) {
      tap.roundTrips.length = 0;
      await oneRun();
      counts.push(ofRun(tap.roundTrips.filter(({ statement }) => !atIntervals.has(statement))));
    }
  } finally {
    connection.close();
  }
  // The figure is the median over the runs. In some runs, the cache entry of an API key or a version has expired, and
  // reading it again needs more round trips.
  for (const [name, part] of [
    ['per one-tool run', 'runs'],
    ['of the queue', 'queue'],
  ] as const)
    bench.figures.add('round-trips', queue, name, 'round trips', summary(counts.map((each) => each[part])).median);
}

function ofRun(roundTrips: readonly RoundTrip[]): { runs: number; queue: number } {
  const ofQueue = roundTrips.filter(isOfQueue).length;
  return { runs: roundTrips.length - ofQueue, queue: ofQueue };
}

function isOfQueue({ application }: RoundTrip): boolean {
  return application.startsWith('queue');
}
