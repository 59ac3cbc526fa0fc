import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { webhookSignature } from '@app/platform/crypto';
import { Agent } from 'undici';
import type { Bench, Service, ServiceScenario } from './bench.js';
import { cpuMillis, postgresCpuMillis } from './process-usage.js';

/** Number of webhook endpoints. Together they receive enough messages to occupy all concurrent requests of a worker. */
const ENDPOINTS = 16;
const IN_FLIGHT = 64;
const EVENTS = 300;
const LOOK_EVERY_MS = 25;
/** Number of bytes that are added to a message. The message is then as large as one about a run with a small output. */
const PADDING_BYTES = 1_000;

/**
 * Measures the deliveries of webhook messages by one worker. Compares them with two loops that only sign and post the
 * same bytes to the same receiver. One loop uses undici connections and is optimised, and the other calls `fetch`.
 */
export const webhooksOut: ServiceScenario = {
  name: 'webhooks-out',
  // Workers claim deliveries in the database, so the result does not depend on the store of the queue.
  onlyWith: 'postgres',
  async run(bench, service): Promise<void> {
    const receiver = fork(join(import.meta.dirname, 'bare-http-server.js'), { stdio: 'inherit' });
    try {
      const [{ port }] = (await once(receiver, 'message')) as [AddressInfo];
      const url = `http://127.0.0.1:${port}/`;
      for (let n = 0; n < ENDPOINTS; n++)
        await service.stack.client.expect('POST', '/v1/webhook-endpoints', { url, events: ['workspace.resumed'] });
      if (service.stack.workers.length === 0) await service.stack.addWorker();
      const events = Math.max(1, Math.round(EVENTS / bench.divisor));
      await deliver(bench, service, Math.ceil(events / 5));
      for (const loop of LOOPS) await postSigned(loop, url, await aBody(bench), (events * ENDPOINTS) / 5);
      for (let repetition = 0; repetition < bench.repetitions; repetition++) await measure(bench, service, url, events);
    } finally {
      receiver.disconnect();
      await once(receiver, 'exit');
    }
  },
};

async function measure(bench: Bench, service: Service, url: string, events: number): Promise<void> {
  const add = (name: string, unit: string, value: number) =>
    bench.figures.add('webhooks-out', service.queue, name, unit, value);
  const total = events * ENDPOINTS;
  const bare = new Map<string, number>();
  for (const loop of LOOPS) bare.set(loop.name, total / (await postSigned(loop, url, await aBody(bench), total)));
  const before = await usage(bench, service);
  const delivered = total / (await deliver(bench, service, events));
  const after = await usage(bench, service);
  add('delivered', 'deliveries/s', delivered);
  for (const [loop, rate] of bare) {
    add(`bare signed POST loop, ${loop}`, 'requests/s', rate);
    add(`delivered, of the loop with ${loop}`, '%', (100 * delivered) / rate);
  }
  add('CPU per delivery, worker', 'ms', (after.worker - before.worker) / total);
  add('CPU per delivery, postgres', 'ms', (after.postgres - before.postgres) / total);
}

/** Commits `events` events, which every endpoint receives. Returns the seconds until all messages have arrived. */
async function deliver({ database }: Bench, { stack }: Service, events: number): Promise<number> {
  await database.query(
    `insert into events (id, workspace_id, type, data)
       select platform.new_id('evt'), $1, 'workspace.resumed', jsonb_build_object('by', 'bench', 'reason', repeat('x', $3))
         from generate_series(1, $2::integer)`,
    [stack.workspaceId, events, PADDING_BYTES],
  );
  const begun = performance.now();
  const open = `select from webhook_deliveries where status = 'pending' order by endpoint_id limit 1`;
  while ((await database.query(open)).rowCount !== 0) await pause(LOOK_EVERY_MS);
  const { rows } = await database.query(`select from webhook_deliveries where status <> 'delivered' limit 1`);
  if (rows.length > 0) throw new Error('Not every message was delivered.');
  return (performance.now() - begun) / 1_000;
}

interface Loop {
  name: string;
  open(url: string): { post(body: string, headers: Record<string, string>): Promise<void>; close(): Promise<void> };
}

const LOOPS: readonly Loop[] = [
  {
    name: 'undici',
    open(url) {
      const agent = new Agent({ connections: IN_FLIGHT, pipelining: 1 });
      const { origin, pathname: path } = new URL(url);
      return {
        post: async (body, headers) =>
          (await agent.request({ origin, path, method: 'POST', headers, body })).body.dump(),
        close: () => agent.close(),
      };
    },
  },
  {
    name: 'fetch',
    open: (url) => ({
      post: async (body, headers) => {
        await (await fetch(url, { method: 'POST', headers, body })).arrayBuffer();
      },
      close: () => Promise.resolve(),
    }),
  },
];

/** Posts the same messages without the service. Returns the duration in seconds. */
async function postSigned(loop: Loop, url: string, body: string, total: number): Promise<number> {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const client = loop.open(url);
  let sent = 0;
  const begun = performance.now();
  const post = async (): Promise<void> => {
    while (sent < total) {
      const id = `evt_${(sent += 1)}`;
      const timestamp = Math.floor(Date.now() / 1_000);
      await client.post(body, {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': webhookSignature({ id, timestamp, body }, [secret]),
      });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, post));
  const seconds = (performance.now() - begun) / 1_000;
  await client.close();
  return seconds;
}

async function aBody({ database }: Bench): Promise<string> {
  const { rows } = await database.query<{ body: string }>(
    'select snapshot::text as body from webhook_messages order by event_id desc limit 1',
  );
  const [message] = rows;
  if (!message) throw new Error('There is no message.');
  return message.body;
}

async function usage({ database }: Bench, { stack }: Service): Promise<Record<'worker' | 'postgres', number>> {
  const { rows } = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
  return {
    worker: (await cpuMillis(stack.workers[0]?.pid ?? 0)) ?? NaN,
    postgres: (await postgresCpuMillis(rows[0]?.pid ?? 0)) ?? NaN,
  };
}
