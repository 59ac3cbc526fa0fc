import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { AgentAutomation } from '../../../packages/sdk/src/index.js';

const FOLDER = join(import.meta.dirname, '..', 'sample', 'handbook');
const NAME = 'handbook';
const INDEXED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;

export async function loadSampleKnowledge(client: AgentAutomation): Promise<string> {
  const base = await client.knowledgeBases.create({
    name: NAME,
    description: 'How this service works, in a few pages: the sample of a new installation.',
  });
  const source = await client.sources.create(base.id, { connector: 'upload' });
  const files = await readdir(FOLDER);
  for (const name of files) {
    const bytes = await readFile(join(FOLDER, name), 'utf8');
    await client.documents.push(base.id, source.id, { name, type: 'text/markdown', bytes });
  }
  await indexed(client, base.id, files.length);
  return base.id;
}

/** Lets the agent and the member whose API key the client uses read the knowledge base. */
export async function grantSampleKnowledge(client: AgentAutomation, base: string, agent: string): Promise<void> {
  const { member } = await client.me.get();
  await client.knowledgeBases.replaceAccess(base, { agents: [agent], users: [member] });
}

async function indexed(client: AgentAutomation, base: string, documents: number): Promise<void> {
  const deadline = Date.now() + INDEXED_WITHIN_MS;
  for (;;) {
    const { data } = await client.documents.list(base, { limit: 100 });
    if (data.length >= documents) return;
    if (Date.now() > deadline)
      throw new Error(
        `only ${data.length} of ${documents} documents were indexed within ${INDEXED_WITHIN_MS / 1000} s`,
      );
    await pause(LOOK_EVERY_MS);
  }
}
