import { join } from 'node:path';

import type { Pool } from 'pg';

import { freePort } from '../../support/free-port.js';
import type { Ledger } from '../../support/ledger.js';
import { Program } from '../../support/program.js';
import { RUN_INPUT } from '../bench-agents.js';
import type { Contender, RunningContender } from './contender.js';
import { DBOS_READY, type DbosQueueOptions, type DbosSettings } from './dbos-sdk.js';
import { installedFile, NODE_PACKAGE, type PeerPackage } from './peer-packages.js';
import { TableObserver } from './table-observer.js';

export const DBOS_PACKAGE: PeerPackage = {
  name: '@dbos-inc/dbos-sdk',
  version: '5.3.0',
  licence: 'MIT',
  about: 'DBOS Transact, 12 MB with what it needs',
};

/**
 * Options of the queue, by name of the contender. DBOS is measured with its default settings and with the fastest known
 * settings.
 */
export const DBOS_QUEUES: Readonly<Record<string, DbosQueueOptions>> = {
  'DBOS, as it comes': {},
  'DBOS, polling every 20 ms': { workerConcurrency: 50, minPollingIntervalMs: 20 },
};

const POLLS_EVERY_SECOND = 15;

export interface DbosPlace {
  packages: string;
  databaseUrl: string;
  ledger: Ledger;
}

/** DBOS Transact on Postgres: an API that enqueues a durable workflow of four steps, and a worker that executes it. */
export function dbos(name: string, queueOptions: DbosQueueOptions, place: DbosPlace): Contender {
  const polls = queueOptions.minPollingIntervalMs === undefined;
  return {
    name,
    queue: 'postgres',
    sizes: { warmUp: 500, acceptedAlone: 1_000, finished: 1_500, oneAtATime: polls ? POLLS_EVERY_SECOND : 150 },
    async start(): Promise<RunningContender> {
      const settings = {
        sdk: installedFile(place.packages, DBOS_PACKAGE, 'dist/src/index.js'),
        databaseUrl: place.databaseUrl,
        port: await freePort(),
        toolUrl: place.ledger.url,
        queueOptions,
      };
      const running = new RunningDbos(settings, installedFile(place.packages, NODE_PACKAGE, 'bin/node'));
      try {
        await running.startApi();
      } catch (error) {
        await running.stop();
        throw error;
      }
      return running;
    },
    remove: () => Promise.resolve(),
  };
}

class RunningDbos implements RunningContender {
  readonly acceptedStatus = 202;
  private started: { api: Program } | undefined;
  private readonly programs: Program[] = [];

  constructor(
    private readonly settings: DbosSettings,
    private readonly node: string,
  ) {}

  get post() {
    return {
      url: this.url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(RUN_INPUT),
    };
  }

  observe(openPool: (url: string) => Pool): TableObserver {
    const { databaseUrl } = this.settings;
    const open = ['ENQUEUED', 'PENDING'];
    const runs = { databaseUrl, table: 'dbos.workflow_status', open, succeeded: 'SUCCESS' };
    return new TableObserver(runs, this.post, this.acceptedStatus, openPool);
  }

  get api(): Program {
    if (!this.started) throw new Error('The api of DBOS has not been started.');
    return this.started.api;
  }

  async startApi(): Promise<void> {
    // Only a worker creates the tables, so a worker is started and stopped first.
    const first = await this.startWorker();
    await first.stop();
    const api = this.launch('api');
    await api.until(async () => (await fetch(this.url)).ok, 'an answer');
    this.started = { api };
  }

  async startWorker(): Promise<Program> {
    const worker = this.launch('worker');
    await worker.until(() => Promise.resolve(worker.log().includes(DBOS_READY)), 'its readiness');
    return worker;
  }

  async stop(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.stop()));
  }

  private get url(): string {
    return `http://127.0.0.1:${this.settings.port}/`;
  }

  private launch(part: 'api' | 'worker'): Program {
    const program = Program.run({
      name: `${part} of DBOS`,
      node: this.node,
      script: join(import.meta.dirname, `dbos-${part}.js`),
      scriptArguments: [JSON.stringify(this.settings)],
      environment: { NODE_ENV: 'production' },
    });
    this.programs.push(program);
    return program;
  }
}
