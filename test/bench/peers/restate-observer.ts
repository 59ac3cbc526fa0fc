import { setTimeout as pause } from 'node:timers/promises';

import { type Post, requestBytes, SingleConnection } from '../http-load.js';
import type { RunObserver, SingleRuns } from './contender.js';

/**
 * Poll interval in milliseconds. It is longer than for the other contenders, because each query makes the Restate
 * server read all its runs.
 */
const LOOK_EVERY_MS = 100;
const END_WITHIN_MS = 120_000;

export class RestateObserver implements RunObserver {
  /** `call` executes one run. The response arrives when the run has ended. */
  constructor(
    private readonly adminUrl: string,
    private readonly call: Post,
  ) {}

  async untilAllEnded(begun: () => boolean): Promise<void> {
    const deadline = performance.now() + END_WITHIN_MS;
    while (!begun() || (await this.count(`status <> 'completed'`)) > 0) {
      if (performance.now() > deadline) throw new Error(`The runs did not end in ${END_WITHIN_MS / 1000} s.`);
      await pause(LOOK_EVERY_MS);
    }
  }

  succeededRuns(): Promise<number> {
    return this.count(`completion_result = 'success'`);
  }

  async openSingleRuns(): Promise<SingleRuns> {
    const connection = await SingleConnection.open(this.call.url);
    const request = requestBytes(this.call);
    return {
      measureRun: async () => {
        const started = performance.now();
        const answer = await connection.send(request);
        if (answer.status !== 200) throw new Error(`A run failed: ${answer.status} ${answer.body}`);
        return performance.now() - started;
      },
      close: () => Promise.resolve(connection.close()),
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async count(condition: string): Promise<number> {
    const answer = await fetch(`${this.adminUrl}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: `select count(*) as runs from sys_invocation where ${condition}` }),
    });
    if (!answer.ok) throw new Error(`Restate answered ${answer.status} to a query: ${await answer.text()}`);
    const { rows } = (await answer.json()) as { rows: { runs: number }[] };
    return rows[0]?.runs ?? 0;
  }
}
