import { errorText } from '@app/kernel';
import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { SPARE_FORMER_FILES } from '@app/files';
import { migrateSchema } from '@app/installation';
import type { StandaloneSettings } from '@app/installation/settings';
import { childEnvironment } from '@app/platform/config';
import { migrateQueue } from '@app/platform/queue';

import { type StartFacts, startSummary } from './start-summary.js';
import { makeDataDirectory } from './data-directory.js';
import { assertDiskSpace, DiskReserve } from './disk-reserve.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';
import { type KeptKeys, keepEncryptionKeys, keyNameOf } from './encryption-key.js';
import { type AdminKey, ensureFirstWorkspace, printFirstLink } from './first-workspace.js';
import { InstanceRecord } from './instance-record.js';
import { closeDirectory } from './postgres/account.js';
import { queryOnce } from './postgres/connection.js';
import { currentPlace } from './postgres/data-place.js';
import { formerKeptSince } from './postgres/generations.js';
import { assertStoresAnswer } from './outside-stores.js';
import type { Progress } from './progress.js';
import { waitUntilReady } from './readiness.js';
import { recordedSample, recordSample, runSample } from './sample.js';
import { assertMailPort, ownAddress, type OwnAddress, settleServicePort, settleStopAddress } from './service-port.js';
import { MEMORY_OPTIONS, ServiceProcess } from './service-process.js';
import type { StartOptions } from './start-options.js';

/**
 * Database connections in addition to the pools of the API and the workers: for migrations, for the listeners of the
 * queue, and for database sessions that a person opens.
 */
const SPARE_CONNECTIONS = 30;
/** Maximum number of database connections that one process uses for the queue, in addition to its pool. */
const QUEUE_CONNECTIONS = 15;
const DIST = join(import.meta.dirname, '..', '..', '..');
/** Node.js 20 has no such cache; an image cannot write to the folder. */
const NODE_COMPILE_CACHE = join(DIST, '.compile-cache');
const PARENT_WATCH = new URL('parent-watch.js', import.meta.url).href;

/** All persistent state is in the data directory or the database. */
export class Standalone {
  private readonly undo: (() => Promise<void>)[] = [];
  private services: ServiceProcess[] = [];
  private record: InstanceRecord | undefined;
  private postgres: EmbeddedPostgres | undefined;

  constructor(
    private readonly settings: StandaloneSettings,
    private readonly options: StartOptions,
    private readonly progress: Progress,
  ) {}

  async start(signal: AbortSignal): Promise<void> {
    const { settings, progress } = this;
    const isNew =
      !(await isThere(join(settings.dataDir, 'admin.key'))) && !(await isThere(join(settings.dataDir, 'postgres')));
    await this.prepareDirectory();
    progress.say(isNew ? `new data directory ${settings.dataDir}` : `using the data in ${settings.dataDir}`);
    const port = await this.takeInstallation();
    await assertMailPort(settings, port);
    await assertStoresAnswer(settings);
    const own = await ownAddress(settings.host, port);
    await this.record?.update({ address: own.url });
    const [encryptionKey, ...previousKeys] = await this.encryptionKeys();
    await this.record?.update({ encryption_key: keyNameOf(Buffer.from(encryptionKey, 'base64')) });
    const databaseUrl = settings.databaseUrl ?? (await this.startDatabase());
    signal.throwIfAborted();
    await this.record?.update({ database_url: databaseUrl });
    progress.say(await updateSchema(databaseUrl, settings.redisUrl === undefined));
    if (settings.databaseUrl === undefined) await spareFormerFiles(databaseUrl, settings.dataDir);
    const adminKey = await ensureFirstWorkspace(databaseUrl, settings.dataDir);
    if (adminKey.made !== undefined) progress.say('created the first workspace and its admin key');
    signal.throwIfAborted();
    const wantsSample = this.options.sample && adminKey.made !== undefined;
    const knownSample = await recordedSample(settings.dataDir);
    const opensItself = wantsSample || knownSample !== undefined;
    this.startServices(
      childEnvironment({
        DATABASE_URL: databaseUrl,
        ENCRYPTION_KEY: encryptionKey,
        ENCRYPTION_KEYS_PREVIOUS: previousKeys.join(','),
        DATA_DIR: settings.dataDir,
        HOST: settings.host,
        PORT: String(port),
        STOP_PORT: await settleStopAddress(settings, [port, settings.smtpListenPort]),
        EGRESS_ALLOW: [...settings.egressAllow, ...(opensItself ? [own.egressEntry] : [])].join(',') || undefined,
        ...this.logSettings(),
      }),
    );
    await progress.during('starting api and worker', waitUntilReady(own.url, this.services, signal));
    progress.say('api and worker are ready');
    const sampleAgent = wantsSample ? await this.trySample(own, adminKey) : knownSample;
    const consoleLink = await this.consoleLink(databaseUrl, own.url);
    const keyFile = (await isThere(adminKey.file)) ? nearPath(adminKey.file) : undefined;
    this.printSummary(own, adminKey, { sampleAgent, consoleLink, keyFile });
  }

  /**
   * Settings of the logs of the API and workers. By default, they print only warnings and errors, so that the terminal
   * stays readable.
   */
  private logSettings(): { LOG_FORMAT: string; LOG_LEVEL: string } {
    return { LOG_FORMAT: this.inherited('LOG_FORMAT') ?? 'pretty', LOG_LEVEL: this.inherited('LOG_LEVEL') ?? 'warn' };
  }

  private async consoleLink(databaseUrl: string, ownUrl: string): Promise<string | undefined> {
    const { hasConsole, hasPublicUrl, publicUrl } = this.settings;
    return hasConsole ? printFirstLink(databaseUrl, hasPublicUrl ? publicUrl : ownUrl) : undefined;
  }

  /** If one part fails to stop, the others are still stopped. */
  async stop(): Promise<void> {
    for (const undo of this.undo.splice(0).reverse()) {
      await undo().catch((error: unknown) => this.progress.say(`stopping failed: ${String(error)}`));
    }
  }

  /** The next start recovers as after a power failure. */
  async kill(): Promise<void> {
    for (const service of this.services) service.kill();
    await this.postgres?.kill();
  }

  /** Previous keys only open existing values. */
  private async encryptionKeys(): Promise<KeptKeys> {
    const { encryptionKey, previousEncryptionKeys, dataDir } = this.settings;
    const [current, ...previous] = encryptionKey
      ? [encryptionKey.toString('base64')]
      : await keepEncryptionKeys(dataDir);
    return [current, ...previous, ...previousEncryptionKeys.map((key) => key.toString('base64'))];
  }

  private async prepareDirectory(): Promise<void> {
    const { dataDir, databaseUrl } = this.settings;
    await makeDataDirectory(dataDir);
    if (databaseUrl === undefined) await assertDiskSpace(dataDir, await this.databaseDirectory());
    const place = databaseUrl === undefined ? await currentPlace(join(dataDir, 'postgres')) : undefined;
    await closeDirectory(dataDir, place?.account);
  }

  /** The error of a second start then names the first start. */
  private async takeInstallation(): Promise<number> {
    const { dataDir, host, port, publicUrl } = this.settings;
    const record = await InstanceRecord.take(dataDir, publicUrl, (line) => this.progress.say(line));
    this.record = record;
    this.undo.push(() => record.release());
    return settleServicePort(host, port);
  }

  private async startDatabase(): Promise<string> {
    const { dataDir, workers, databasePoolSize } = this.settings;
    const connections = (workers + 1) * (databasePoolSize + QUEUE_CONNECTIONS) + SPARE_CONNECTIONS;
    const starting = startEmbeddedPostgres({
      dataDir: join(dataDir, 'postgres'),
      log: (line) => this.progress.say(line),
      settings: { max_connections: String(Math.max(100, connections)) },
    });
    const postgres = await this.progress.during('starting PostgreSQL', starting);
    this.postgres = postgres;
    this.undo.push(() => postgres.stop());
    postgres.supervise();
    await this.watchDisk();
    this.progress.say(`PostgreSQL is ready on port ${new URL(postgres.url).port}`);
    return postgres.url;
  }

  private async databaseDirectory(): Promise<string> {
    return (await currentPlace(join(this.settings.dataDir, 'postgres'))).directory;
  }

  private async watchDisk(): Promise<void> {
    const { dataDir } = this.settings;
    const report = (problem: string | null, changed: boolean): void => {
      if (changed)
        this.progress.say(problem ?? `The disk that holds ${dataDir} has space again. Runs are accepted again.`);
      for (const service of this.services) service.send({ kind: 'storage', problem });
    };
    const reserve = new DiskReserve({ directory: await this.databaseDirectory(), dataDir, report });
    reserve.start();
    this.undo.push(() => reserve.stop());
  }

  private startServices(environment: NodeJS.ProcessEnv): void {
    const program = (name: string, main: string) => ({
      name,
      args: [...MEMORY_OPTIONS, '--import', PARENT_WATCH, join(DIST, 'apps', main, 'src', 'main.js')],
      environment: { ...environment, NODE_COMPILE_CACHE },
    });
    const { workers } = this.settings;
    const names = Array.from({ length: workers }, (_, index) => (workers === 1 ? 'worker' : `worker ${index + 1}`));
    const log = (line: string) => this.progress.say(line);
    this.services = [program('api', 'api'), ...names.map((name) => program(name, 'worker'))].map(
      (each) => new ServiceProcess(each, log, () => void this.recordServices()),
    );
    this.undo.push(async () => {
      await Promise.all(this.services.map((service) => service.stop()));
    });
    for (const service of this.services) service.start();
  }

  /** If this process is killed, the next start finds them in this record. */
  private async recordServices(): Promise<void> {
    const running = await Promise.all(
      this.services.map(async (service) => {
        const identity = await service.identity();
        return identity === undefined ? [] : [{ ...identity, name: service.name }];
      }),
    );
    await this.record?.update({ services: running.flat() });
  }

  /** Runs the sample, which is optional: if it fails, the service still runs. */
  private async trySample(own: OwnAddress, adminKey: AdminKey): Promise<string | undefined> {
    try {
      const work = runSample(own.url, adminKey.made ?? '');
      const sample = await this.progress.during('loading a sample knowledge base and agent, and running it once', work);
      await recordSample(this.settings.dataDir, sample.agent);
      this.progress.say('the sample agent ran; its trace:');
      this.progress.print(`\n${sample.text}`);
      return sample.agent;
    } catch (error) {
      this.progress.say(`the sample agent did not run: ${errorText(error)}`);
      return undefined;
    }
  }

  private printSummary(
    own: OwnAddress,
    adminKey: AdminKey,
    more: Pick<StartFacts, 'sampleAgent' | 'consoleLink' | 'keyFile'>,
  ): void {
    this.progress.print(
      startSummary({
        address: own.url,
        adminKey: adminKey.made,
        isTerminal: process.stdout.isTTY,
        ...more,
        dataDir: nearPath(this.settings.dataDir),
      }),
    );
  }

  private inherited(name: string): string | undefined {
    return childEnvironment()[name] || undefined;
  }
}

/** Returns a description of the changes. */
async function updateSchema(databaseUrl: string, queueInPostgres: boolean): Promise<string> {
  const { migrations, functionSets } = await migrateSchema(databaseUrl);
  if (queueInPostgres) await migrateQueue(databaseUrl);
  const count = migrations.length;
  if (count > 0) return `schema created, ${count} ${count === 1 ? 'migration' : 'migrations'}`;
  return functionSets.length > 0 ? `schema up to date, replaced ${functionSets.join(', ')}` : 'schema up to date';
}

/**
 * While the former database of a restore is kept, the sweep keeps the files that existed at that time: the former
 * database may have their rows.
 */
async function spareFormerFiles(databaseUrl: string, dataDir: string): Promise<void> {
  const { base } = await currentPlace(join(dataDir, 'postgres'));
  await queryOnce(databaseUrl, SPARE_FORMER_FILES, [(await formerKeptSince(base)) ?? null]);
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function nearPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}
