import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../support/free-port.js';
import type { Ledger } from '../../support/ledger.js';
import { Program } from '../../support/program.js';
import { RUN_INPUT } from '../bench-agents.js';
import type { Contender, RunningContender } from './contender.js';
import { installedFile, NODE_PACKAGE, type PeerPackage, PLATFORM } from './peer-packages.js';
import { RestateObserver } from './restate-observer.js';
import { RESTATE_NAMES, type RestateSettings } from './restate-sdk.js';

const SERVER_PACKAGE: PeerPackage = {
  name: `@restatedev/restate-server-${PLATFORM}`,
  version: '1.7.12',
  licence: 'Business Source License 1.1',
  about: 'the Restate server, one binary, 225 MB',
};
const SDK_PACKAGE: PeerPackage = {
  name: '@restatedev/restate-sdk',
  version: '1.17.2',
  licence: 'MIT',
  about: 'the Restate SDK',
};
export const RESTATE_PACKAGES: readonly PeerPackage[] = [SERVER_PACKAGE, SDK_PACKAGE];

/**
 * Settings of the server, by name of the contender. The first contender has the default settings. The second has two
 * partitions, one for each of two cores.
 */
export const RESTATE_SERVERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Restate, as it comes': {},
  'Restate, two partitions': { RESTATE_DEFAULT_NUM_PARTITIONS: '2' },
};

const LOCAL = '127.0.0.1';

export interface RestatePlace {
  packages: string;
  ledger: Ledger;
}

/** Restate: a server with its own log, which calls a worker for each durable step. */
export async function restate(
  name: string,
  serverSettings: Readonly<Record<string, string>>,
  place: RestatePlace,
): Promise<Contender> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-automation-bench-restate-'));
  return {
    name,
    queue: 'own log',
    // `acceptedAlone` is 0, because without a worker, the server would delay the runs for longer and longer times.
    sizes: { warmUp: 1_000, acceptedAlone: 0, finished: 3_000, oneAtATime: 200 },
    async start(): Promise<RunningContender> {
      const ports = { ingress: await freePort(), admin: await freePort(), node: await freePort() };
      const running = new RunningRestate(place, { ...serverSettings, RESTATE_BASE_DIR: folder }, ports);
      try {
        await running.startServer();
      } catch (error) {
        await running.stop();
        throw error;
      }
      return running;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

interface Ports {
  ingress: number;
  admin: number;
  node: number;
}

class RunningRestate implements RunningContender {
  readonly acceptedStatus = 202;
  private started: { server: Program } | undefined;
  private readonly programs: Program[] = [];

  constructor(
    private readonly place: RestatePlace,
    private readonly serverSettings: Readonly<Record<string, string>>,
    private readonly ports: Ports,
  ) {}

  get post() {
    return this.postTo(`${this.handlerUrl}/send`);
  }

  get api(): Program {
    if (!this.started) throw new Error('The server of Restate has not been started.');
    return this.started.server;
  }

  observe(): RestateObserver {
    return new RestateObserver(this.adminUrl, this.postTo(this.handlerUrl));
  }

  async startServer(): Promise<void> {
    const server = Program.runBinary({
      name: 'server of Restate',
      binary: installedFile(this.place.packages, SERVER_PACKAGE, 'bin/restate-server'),
      binaryArguments: ['--no-logo', '--node-name', 'bench'],
      environment: {
        ...this.serverSettings,
        RESTATE_LISTEN_MODE: 'tcp',
        RESTATE_BIND_IP: LOCAL,
        RESTATE_BIND_PORT: String(this.ports.node),
        RESTATE_INGRESS__BIND_PORT: String(this.ports.ingress),
        RESTATE_ADMIN__BIND_PORT: String(this.ports.admin),
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_LOG_FILTER: 'warn',
      },
    });
    this.programs.push(server);
    await server.until(async () => (await fetch(`${this.adminUrl}/health`)).ok, 'its health');
    this.started = { server };
  }

  async startWorker(): Promise<Program> {
    const { packages, ledger } = this.place;
    const settings: RestateSettings = {
      sdk: installedFile(packages, SDK_PACKAGE, 'dist/index.js'),
      port: await freePort(),
      toolUrl: ledger.url,
    };
    const worker = Program.run({
      name: 'worker of Restate',
      node: installedFile(packages, NODE_PACKAGE, 'bin/node'),
      script: join(import.meta.dirname, 'restate-worker.js'),
      scriptArguments: [JSON.stringify(settings)],
      environment: { NODE_ENV: 'production', RESTATE_LOGGING: 'ERROR' },
    });
    this.programs.push(worker);
    const registration = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ uri: `http://${LOCAL}:${settings.port}`, force: true }),
    };
    await worker.until(async () => (await fetch(`${this.adminUrl}/deployments`, registration)).ok, 'its registration');
    const ready = this.postTo(this.handlerUrl);
    await worker.until(async () => (await fetch(ready.url, { method: 'POST', ...ready })).ok, 'its first run');
    return worker;
  }

  async stop(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.stop()));
  }

  private get adminUrl(): string {
    return `http://${LOCAL}:${this.ports.admin}`;
  }

  private get handlerUrl(): string {
    return `http://${LOCAL}:${this.ports.ingress}/${RESTATE_NAMES.service}/${RESTATE_NAMES.handler}`;
  }

  private postTo(url: string) {
    return { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(RUN_INPUT) };
  }
}
