import { setTimeout as pause } from 'node:timers/promises';

import { PostgresTap, type RoundTrip } from '../support/postgres-tap.js';
import { startStack } from '../support/stack.js';
import type { Bench, Service, ServiceScenario } from './bench.js';
import { benchAgent, TOOL_ANSWER, TOOL_PATH } from './bench-agents.js';
import { requestBytes, SingleConnection } from './http-load.js';
import { startRequest, untilAllEnded } from './throughput.js';

const RUNS = 40;
const IDLE_SECONDS = 4;

/** Statements that processes send at intervals, whether there are runs or not. */
const AT_INTERVALS = /^(run_machine_(beat|claim_next|lost_runs)|workers_any_alive)$/;

/** How often the service waits for the database: per one-tool run, and per second when there is nothing to do. */
export const roundTrips: ServiceScenario = {
  name: 'round-trips',
  async run(bench, service): Promise<void> {
    const tap = await PostgresTap.open(bench.databaseUrl);
    const { queue, redisUrl, ledger } = service;
    const stack = await startStack({
      databaseUrl: tap.url,
      redisUrl,
      env: { EGRESS_ALLOW: ledger.egressEntry, WORKER_LEASE_MS: '600000', WORKER_POLL_MS: '600000' },
    });
    try {
      await count(bench, { ...service, stack }, tap);
      tap.roundTrips.length = 0;
      await pause(IDLE_SECONDS * 1000);
      bench.figures.add('round-trips', queue, 'idle', '1/s', tap.roundTrips.length / IDLE_SECONDS);
    } finally {
      await stack.stop();
      await tap.close();
    }
  },
};

async function count(bench: Bench, service: Service, tap: PostgresTap): Promise<void> {
  const { stack, ledger, queue } = service;
  ledger.always(TOOL_PATH, { body: TOOL_ANSWER });
  const agent = await stack.client.createAgent({ ...benchAgent('one-tool', ledger.url), name: 'counted' });
  const connection = await SingleConnection.open(stack.baseUrl);
  try {
    const request = requestBytes(startRequest(service, agent));
    const oneRun = async (): Promise<void> => {
      await connection.send(request);
      await untilAllEnded(bench, service);
    };
    await oneRun();
    tap.roundTrips.length = 0;
    for (let run = 0; run < RUNS; run++) await oneRun();
  } finally {
    connection.close();
  }
  const ofRuns = tap.roundTrips.filter(({ statement }) => !AT_INTERVALS.test(statement));
  const ofQueue = (roundTrip: RoundTrip): boolean => roundTrip.application.startsWith('queue');
  const journal = ofRuns.filter((each) => !ofQueue(each)).length;
  bench.figures.add('round-trips', queue, 'per one-tool run', 'round trips', journal / RUNS);
  bench.figures.add('round-trips', queue, 'of the doorbell', 'round trips', (ofRuns.length - journal) / RUNS);
}
