import { setTimeout as pause } from 'node:timers/promises';

import type { Bench, Service, ServiceScenario } from './bench.js';
import { cpuMillis, peakMemory, postgresCpuMillis, residentMegabytes } from './process-usage.js';
import { makeCorpus } from './retrieval/corpus.js';

const DOCUMENTS = 4_000;
const WARM_UP = 400;
const PUSHED_AT_ONCE = 500;
const LOOK_EVERY_MS = 50;
const MAX_SYNC_MS = 120_000;

const PUSH = `insert into knowledge_uploads (source_id, key, workspace_id, content_type, size, hash, content, uploaded_by)
  select $1, key, $2, 'text/markdown', octet_length(text), hash, convert_to(text, 'UTF8'), 'bench'
    from unnest($3::text[], $4::text[], $5::text[]) pushed (key, hash, text)`;

/**
 * Measures how many Markdown documents one worker fetches, splits and indexes per second. Also measures its memory and
 * CPU time. Other load on the machine does not affect the CPU time.
 */
export const sourceSyncs: ServiceScenario = {
  name: 'source-syncs',
  // Workers claim syncs in the database, so the result does not depend on the store of the queue.
  onlyWith: 'postgres',
  async run(bench, service): Promise<void> {
    const { figures } = bench;
    const worker = service.stack.workers[0]?.pid ?? 0;
    const add = (name: string, unit: string, value: number | undefined): void => {
      if (value !== undefined) figures.add('source-syncs', service.queue, name, unit, value);
    };
    await sync(bench, service, await pushed(bench, service, WARM_UP));
    const resting = (await residentMegabytes(worker)) ?? NaN;
    for (let repetition = 0; repetition < bench.repetitions; repetition++) {
      const documents = DOCUMENTS / bench.divisor;
      const source = await pushed(bench, service, documents);
      const before = await cpuTimes(bench, worker);
      let seconds = NaN;
      const peaks = await peakMemory({ worker }, async () => {
        seconds = await sync(bench, service, source);
      });
      const after = await cpuTimes(bench, worker);
      add('documents of 2.4 KB', 'documents/s', documents / seconds);
      add('CPU, worker', 'ms/document', (after.worker - before.worker) / documents);
      add('CPU, postgres', 'ms/document', (after.postgres - before.postgres) / documents);
      add('memory, worker', 'MiB', peaks.worker);
      add('of it since the warm-up', 'MiB', (peaks.worker ?? NaN) - resting);
    }
  },
};

async function cpuTimes({ database }: Bench, worker: number): Promise<{ worker: number; postgres: number }> {
  const { rows } = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
  return { worker: (await cpuMillis(worker)) ?? NaN, postgres: (await postgresCpuMillis(rows[0]?.pid ?? 0)) ?? NaN };
}

interface PushedSource {
  path: string;
  documents: number;
}

async function pushed({ database }: Bench, { stack }: Service, count: number): Promise<PushedSource> {
  const { client, workspaceId } = stack;
  const name = `base-${process.hrtime.bigint()}`;
  const base = await client.expect<{ id: string }>('POST', '/v1/knowledge-bases', { name });
  const sources = `/v1/knowledge-bases/${base.id}/sources`;
  const source = await client.expect<{ id: string }>('POST', sources, { connector: 'upload' });
  const { documents } = makeCorpus(count, 0);
  for (let n = 0; n < count; n += PUSHED_AT_ONCE) {
    const some = documents.slice(n, n + PUSHED_AT_ONCE);
    const columns = [some.map(({ key }) => key), some.map(({ hash }) => hash), some.map(({ text }) => text)];
    await database.query(PUSH, [source.id, workspaceId, ...columns]);
  }
  return { path: `${sources}/${source.id}`, documents: count };
}

/** Syncs the source. Returns the duration in seconds, by the clock of the database. */
async function sync({ database }: Bench, { stack }: Service, { path, documents }: PushedSource): Promise<number> {
  const { id } = await stack.client.expect<{ id: string }>('POST', `${path}/sync`);
  const deadline = performance.now() + MAX_SYNC_MS;
  while (performance.now() < deadline) {
    const { rows } = await database.query<{ status: string; added: number; seconds: string | null }>(
      'select status, added, extract(epoch from ended_at - started_at) as seconds from knowledge_syncs where id = $1',
      [id],
    );
    const { status, added, seconds = null } = rows[0] ?? {};
    if (seconds === null) await pause(LOOK_EVERY_MS);
    else if (status === 'succeeded' && added === documents) return Number(seconds);
    else throw new Error(`The sync ended as ${status} with ${added} documents.`);
  }
  throw new Error('The sync did not end.');
}
