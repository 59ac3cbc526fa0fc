import { setTimeout as pause } from 'node:timers/promises';

import type { Bench, Service, ServiceScenario } from './bench.js';
import { benchAgent, TOOL_ANSWER, TOOL_PATH } from './bench-agents.js';
import { quantile } from './figures.js';
import { requestBytes, SingleConnection } from './http-load.js';
import { startRequest, untilAllEnded } from './throughput.js';

const CYCLES = { idle: 100, 'under load': 20 };
const CONNECTIONS = 50;
/** Duration of the load between two stops, in milliseconds. */
const BETWEEN_MS = 100;

export const emergencyStop: ServiceScenario = {
  name: 'emergency-stop',
  async run(bench, service): Promise<void> {
    service.ledger.always(TOOL_PATH, { body: TOOL_ANSWER });
    const agent = await service.stack.client.createAgent({
      ...benchAgent('one-tool', service.ledger.url),
      name: 'stop',
    });
    await measure(bench, service, 'idle', 0);
    const load = await Load.begin(service, agent);
    await measure(bench, service, 'under load', BETWEEN_MS);
    await load.end();
    // The service has accepted more runs than the worker could execute. The benchmark cancels the runs that are left.
    await service.stack.client.expect('POST', '/v1/workspace/emergency-stop', {});
    await service.stack.client.expect('POST', '/v1/workspace/resume', { queued_runs: 'cancel' });
    await untilAllEnded(bench);
  },
};

async function measure(
  bench: Bench,
  { stack, queue }: Service,
  name: keyof typeof CYCLES,
  betweenMillis: number,
): Promise<void> {
  for (let repetition = 0; repetition < bench.repetitions; repetition++) {
    const millis: number[] = [];
    for (let cycle = 0; cycle < CYCLES[name] / bench.divisor; cycle++) {
      await pause(betweenMillis);
      const pressed = performance.now();
      await stack.client.expect('POST', '/v1/workspace/emergency-stop', {});
      millis.push(performance.now() - pressed);
      await stack.client.expect('POST', '/v1/workspace/resume', {});
    }
    millis.sort((a, b) => a - b);
    bench.figures.add('emergency-stop', queue, `${name}, p50`, 'ms', quantile(millis, 0.5));
    bench.figures.add('emergency-stop', queue, `${name}, p99`, 'ms', quantile(millis, 0.99));
  }
}

/**
 * Starts runs over several connections until `end` is called. Each connection sends its next request as soon as it has
 * received a response.
 */
class Load {
  private over = false;

  private constructor(
    private readonly connections: readonly SingleConnection[],
    private readonly request: Buffer,
  ) {}

  private readonly sending: Promise<void>[] = [];

  static async begin(service: Service, agent: string): Promise<Load> {
    const connections = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => SingleConnection.open(service.stack.baseUrl)),
    );
    const load = new Load(connections, requestBytes(startRequest(service, agent)));
    load.sending.push(...connections.map((connection) => load.send(connection)));
    return load;
  }

  async end(): Promise<void> {
    this.over = true;
    await Promise.all(this.sending);
    for (const connection of this.connections) connection.close();
  }

  private async send(connection: SingleConnection): Promise<void> {
    while (!this.over) {
      const { status, body } = await connection.send(this.request);
      if (status !== 202 && status !== 409) throw new Error(`A start was answered ${status}: ${body}`);
      // Pauses before the next request, like a client that knows that the workspace is stopped.
      if (status === 409) await pause(BETWEEN_MS / 10);
    }
  }
}
