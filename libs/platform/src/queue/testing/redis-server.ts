import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

const SHARED_URL = 'redis://127.0.0.1:6379';

export interface TestRedis {
  url: string;
  /** Set only if the test started its own server. The test may kill and restart this server, which is then empty. */
  server?: RedisServer;
  /** Stops the test's own server, or removes the keys under `queuePrefix` from the shared server. */
  release(queuePrefix: string): Promise<void>;
}

export function redisServerIsInstalled(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/**
 * Starts a `redis-server` if the program is installed. Otherwise uses the Redis on 127.0.0.1:6379. Returns undefined if
 * no Redis responds there.
 */
export async function findRedis(): Promise<TestRedis | undefined> {
  if (redisServerIsInstalled()) {
    const server = await RedisServer.start();
    return { url: server.url, server, release: () => server.stop() };
  }
  const client = new Redis(SHARED_URL, { lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => undefined);
  const answers = await client.connect().then(
    () => true,
    () => false,
  );
  client.disconnect();
  return answers ? { url: SHARED_URL, release: removeKeys } : undefined;
}

/** A `redis-server` without persistence. It is empty after a kill and a restart. */
export class RedisServer {
  private process: ChildProcess | undefined;

  private constructor(
    private readonly port: number,
    private readonly folder: string,
  ) {}

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), await mkdtemp(join(tmpdir(), 'queue-redis-')));
    await server.run();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async run(): Promise<void> {
    const options = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const child = spawn('redis-server', [...options, '--dir', this.folder], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.process = child;
    for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept connections')) break;
    child.stdout.resume();
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    const child = this.process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = signal === 'SIGKILL' ? once(child, 'exit') : undefined;
    child.kill(signal);
    await exited;
  }

  async stop(): Promise<void> {
    await this.signal('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('There is no free port.');
  return address.port;
}

async function removeKeys(queuePrefix: string): Promise<void> {
  const client = new Redis(SHARED_URL);
  for await (const keys of client.scanStream({ match: `{${queuePrefix}}:*`, count: 500 })) {
    if (Array.isArray(keys) && keys.length > 0) await client.unlink(keys);
  }
  client.disconnect();
}
