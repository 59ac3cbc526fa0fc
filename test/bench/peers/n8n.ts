import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';
import type { Pool } from 'pg';

import { freePort } from '../../support/free-port.js';
import type { Ledger } from '../../support/ledger.js';
import { Program } from '../../support/program.js';
import { RUN_INPUT } from '../bench-agents.js';
import type { Contender, RunningContender } from './contender.js';
import { n8nEnvironment } from './n8n-environment.js';
import { n8nFlow, WEBHOOK_PATH } from './n8n-flow.js';
import { installedFile, NODE_PACKAGE, type PeerPackage } from './peer-packages.js';
import { TableObserver } from './table-observer.js';

export const N8N_PACKAGE: PeerPackage = {
  name: 'n8n',
  // The newest version whose `engines` allow Node.js 20. Versions from 2.11 require Node.js 22.16, and version 2.36
  // requires Node.js 24.
  version: '2.8.4',
  licence: 'Sustainable Use License, parts n8n Enterprise License',
  about: '2 100 packages, 2.3 GB, some minutes',
  // n8n depends on an archive of the package `xlsx` that is not in the npm registry. A version from the registry
  // replaces it, because the workflow reads no spreadsheets.
  overrides: { xlsx: '0.18.5' },
};

const CONCURRENCY = 10;
const ANSWER_WITHIN_MS = 5_000;

export interface N8nPlace {
  packages: string;
  databaseUrl: string;
  redisUrl: string;
  ledger: Ledger;
}

/**
 * Prepares n8n in queue mode on Postgres and Redis. A main process accepts runs by webhook, and a worker with the
 * default concurrency executes them.
 */
export async function n8n(place: N8nPlace): Promise<Contender> {
  const prefix = `bench-${randomBytes(6).toString('hex')}`;
  const userFolder = await mkdtemp(join(tmpdir(), 'agent-automation-bench-n8n-'));
  const environment = n8nEnvironment({ ...place, prefix, userFolder });
  let hasFlow = false;
  return {
    name: 'n8n',
    queue: 'redis',
    sizes: { warmUp: 200, acceptedAlone: 400, finished: 600, oneAtATime: 150 },
    async start(): Promise<RunningContender> {
      const running = new RunningN8n(place, environment, await freePort());
      try {
        await running.startMain();
        if (!hasFlow) await running.addFlow(n8nFlow(place.ledger.url));
        hasFlow = true;
        await running.untilAccepting();
      } catch (error) {
        await running.stop();
        throw error;
      }
      return running;
    },
    async remove(): Promise<void> {
      await removeKeys(place.redisUrl, prefix);
      await rm(userFolder, { recursive: true, force: true });
    },
  };
}

class RunningN8n implements RunningContender {
  readonly acceptedStatus = 200;
  private started: { main: Program } | undefined;
  private readonly programs: Program[] = [];

  constructor(
    private readonly place: N8nPlace,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly port: number,
  ) {}

  get post() {
    return {
      url: `${this.url}/webhook/${WEBHOOK_PATH}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(RUN_INPUT),
    };
  }

  observe(openPool: (url: string) => Pool): TableObserver {
    const { databaseUrl } = this.place;
    const open = ['new', 'running', 'waiting'];
    const runs = { databaseUrl, table: 'execution_entity', open, succeeded: 'success' };
    return new TableObserver(runs, this.post, this.acceptedStatus, openPool);
  }

  get api(): Program {
    if (!this.started) throw new Error('n8n has not been started.');
    return this.started.main;
  }

  async startMain(): Promise<void> {
    const main = await this.launch('main', ['start'], { N8N_PORT: String(this.port) });
    // The first start creates the tables. Until they exist, every response has status 200 and is not JSON.
    const hasRoutes = async (): Promise<boolean> =>
      isJson(await fetch(`${this.url}/rest/settings`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }));
    await main.until(hasRoutes, 'its settings');
    this.started = { main };
  }

  async addFlow(flow: object): Promise<void> {
    const email = 'bench@example.com';
    const owner = { email, firstName: 'Bench', lastName: 'Bench', password: `Aa1-${randomBytes(8).toString('hex')}` };
    const cookie = (await this.ask('/rest/owner/setup', owner)).headers.get('set-cookie')?.split(';')[0] ?? '';
    const created = await this.ask('/rest/workflows', flow, cookie);
    const { data } = (await created.json()) as { data: { id: string; versionId: string } };
    await this.ask(`/rest/workflows/${data.id}/activate`, { versionId: data.versionId }, cookie);
  }

  /**
   * Waits until the webhook accepts runs. Only a call of the webhook shows this, because other requests succeed
   * earlier. The runs that these calls start are executed during the warm-up.
   */
  async untilAccepting(): Promise<void> {
    const { url, headers, body } = this.post;
    const accepts = async (): Promise<boolean> => isJson(await fetch(url, { method: 'POST', headers, body }));
    await this.api.until(accepts, 'its webhook');
  }

  async startWorker(): Promise<Program> {
    const port = await freePort();
    const worker = await this.launch('worker', ['worker', `--concurrency=${CONCURRENCY}`], {
      QUEUE_HEALTH_CHECK_ACTIVE: 'true',
      QUEUE_HEALTH_CHECK_PORT: String(port),
      N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
    });
    const readiness = `http://127.0.0.1:${port}/healthz/readiness`;
    await worker.until(async () => (await fetch(readiness)).ok, 'its readiness');
    return worker;
  }

  async stop(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.stop()));
  }

  private get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  private async launch(name: string, scriptArguments: string[], env: Record<string, string>): Promise<Program> {
    const program = Program.run({
      name: `${name} of n8n`,
      node: installedFile(this.place.packages, NODE_PACKAGE, 'bin/node'),
      script: installedFile(this.place.packages, N8N_PACKAGE, 'bin/n8n'),
      scriptArguments,
      environment: { ...this.environment, ...env, N8N_RUNNERS_BROKER_PORT: String(await freePort()) },
    });
    this.programs.push(program);
    return program;
  }

  private async ask(path: string, body: object, cookie = ''): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...(cookie && { cookie }) };
    const answer = await fetch(`${this.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`n8n answered ${answer.status} to POST ${path}: ${await answer.text()}`);
    return answer;
  }
}

function isJson({ ok, headers }: Response): boolean {
  return ok && (headers.get('content-type') ?? '').startsWith('application/json');
}

async function removeKeys(redisUrl: string, prefix: string): Promise<void> {
  const client = new Redis(redisUrl);
  for await (const keys of client.scanStream({ match: `*${prefix}*`, count: 500 })) {
    if (Array.isArray(keys) && keys.length > 0) await client.unlink(keys as string[]);
  }
  client.disconnect();
}
