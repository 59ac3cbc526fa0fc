import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { ServiceClient } from './service-client.js';

const FOLDER = join(import.meta.dirname, '..', 'sample', 'handbook');
const NAME = 'handbook';
const INDEXED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** Creates the sample knowledge base from `sample/handbook`. Returns its id once all files are searchable. */
export async function loadSampleKnowledge(client: ServiceClient): Promise<string> {
  const base = await client.send<{ id: string }>('POST', '/v1/knowledge-bases', {
    name: NAME,
    description: 'How this service works, in a few pages: the sample of a new installation.',
  });
  const sources = `/v1/knowledge-bases/${base.id}/sources`;
  const source = await client.send<{ id: string }>('POST', sources, { connector: 'upload' });
  const files = await readdir(FOLDER);
  for (const file of files) {
    const text = await readFile(join(FOLDER, file), 'utf8');
    const path = `${sources}/${source.id}/documents?name=${encodeURIComponent(file)}`;
    await client.post(path, 'text/markdown', text);
  }
  await indexed(client, base.id, files.length);
  return base.id;
}

/** Grants read access to the base: to the agent, and to the member whose API key the client uses. */
export async function grantSampleKnowledge(client: ServiceClient, base: string, agent: string): Promise<void> {
  const { member } = await client.get<{ member: string }>('/v1/me');
  await client.send('PUT', `/v1/knowledge-bases/${base}/access`, { agents: [agent], users: [member] });
}

async function indexed(client: ServiceClient, base: string, documents: number): Promise<void> {
  const deadline = Date.now() + INDEXED_WITHIN_MS;
  for (;;) {
    const { data } = await client.get<{ data: unknown[] }>(`/v1/knowledge-bases/${base}/documents?limit=100`);
    if (data.length >= documents) return;
    if (Date.now() > deadline) {
      throw new Error(
        `only ${data.length} of ${documents} documents were indexed within ${INDEXED_WITHIN_MS / 1000} s`,
      );
    }
    await pause(LOOK_EVERY_MS);
  }
}
