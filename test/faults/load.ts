import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import type { Stack } from '../support/stack.js';

/** Response to the request that starts one run. Status 0 means that there was no response. */
export interface StartAnswer {
  status: number;
  run: string | undefined;
  retryAfter: string | null;
  millis: number;
}

const ANSWER_WITHIN_MS = 15_000;

/** Sends one request that starts a run. Because of its idempotency key, it may be repeated. Never rejects. */
export async function startRun(
  stack: Pick<Stack, 'baseUrl' | 'adminKey'>,
  agent: string,
  key: string,
): Promise<StartAnswer> {
  const begun = performance.now();
  const answer = (status: number, run?: string, retryAfter: string | null = null): StartAnswer => ({
    status,
    run,
    retryAfter,
    millis: performance.now() - begun,
  });
  try {
    const response = await fetch(`${stack.baseUrl}/v1/agents/${agent}/runs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stack.adminKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: '{"input":{}}',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const body = (await response.json()) as { id?: string };
    return answer(response.status, response.status === 202 ? body.id : undefined, response.headers.get('retry-after'));
  } catch {
    return answer(0);
  }
}

/** Prints the 99th percentile of durations in milliseconds, only for information. No test asserts a duration. */
export function printDurations(what: string, millis: readonly number[]): void {
  const sorted = [...millis].sort((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)];
  if (p99 !== undefined) console.warn(`${what}: p99 of ${sorted.length} is ${Math.round(p99)} ms`);
}

export interface LoadSettings {
  agents: readonly string[];
  clients: number;
  /** Maximum number of retries after a response other than 202. A retry has the same idempotency key. */
  retries: number;
  /** Pause before a retry, in milliseconds. */
  retryAfterMs?: number;
  /** Pause between two runs that one client starts, in milliseconds. */
  pauseMs?: number;
}

/** Clients that start runs until `end` is called. */
export class Load {
  /** Ids of the accepted runs (202). */
  readonly accepted: string[] = [];
  readonly answers: StartAnswer[] = [];
  /** Number of runs that were not accepted after all retries. */
  failed = 0;
  private readonly keys = `load-${randomUUID()}`;
  private ending = false;
  private begun = 0;
  private readonly clients: Promise<void>[];

  private constructor(
    private readonly stack: Stack,
    private readonly settings: LoadSettings,
  ) {
    this.clients = Array.from({ length: settings.clients }, () => this.beClient());
  }

  static begin(stack: Stack, settings: LoadSettings): Load {
    return new Load(stack, settings);
  }

  async end(): Promise<void> {
    this.ending = true;
    await Promise.all(this.clients);
  }

  private async beClient(): Promise<void> {
    while (!this.ending) {
      await this.startOne();
      if (this.settings.pauseMs) await pause(this.settings.pauseMs);
    }
  }

  private async startOne(): Promise<void> {
    const { agents, retries, retryAfterMs = 200 } = this.settings;
    const number = (this.begun += 1);
    const agent = agents[number % agents.length] ?? '';
    for (let asked = 0; asked <= retries; asked += 1) {
      const answer = await startRun(this.stack, agent, `${this.keys}-${number}`);
      this.answers.push(answer);
      if (answer.run !== undefined) {
        this.accepted.push(answer.run);
        return;
      }
      await pause(retryAfterMs);
    }
    this.failed += 1;
  }
}
