import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startStack } from '../support/stack.js';
import { AS_SHIPPED, type CeilingScenario } from './bench.js';
import { peakMemory } from './process-usage.js';

const MIB = 1024 * 1024;
const SIZE = 90 * MIB;
const ROUNDS = 5;

/**
 * Measures uploads of 90 MiB, one at a time: to the service, which hashes, encrypts and syncs them, and in turns to a
 * bare `node:http` server that only writes them to the same disk and syncs them.
 */
export const uploads: CeilingScenario = {
  name: 'uploads',
  async run({ figures, openDatabase, repetitions }): Promise<void> {
    const { url: databaseUrl } = await openDatabase('uploads');
    const folder = await mkdtemp(join(tmpdir(), 'bench-uploads-'));
    const stack = await startStack({
      databaseUrl,
      redisUrl: undefined,
      workers: 0,
      env: { ...AS_SHIPPED, DATA_DIR: folder, WORKSPACE_FILE_BYTES: '0' },
      nodeArguments: () => ['--max-old-space-size=256'],
    });
    const bare = fork(join(import.meta.dirname, 'bare-upload-server.js'), [folder], { stdio: 'inherit' });
    try {
      const [{ port }] = (await once(bare, 'message', { signal: AbortSignal.timeout(10_000) })) as [AddressInfo];
      const content = randomBytes(SIZE);
      const headers = { Authorization: `Bearer ${stack.adminKey}`, 'Content-Type': 'application/octet-stream' };
      const rate = async (url: string): Promise<number> => {
        const begun = performance.now();
        const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(content) });
        await response.arrayBuffer();
        if (response.status !== 201) throw new Error(`An upload was answered with ${response.status}.`);
        return SIZE / MIB / ((performance.now() - begun) / 1_000);
      };
      const [plain, service] = [`http://127.0.0.1:${port}/`, `${stack.baseUrl}/v1/files`];
      await rate(plain);
      await rate(service);
      for (let round = 0; round < repetitions * ROUNDS; round++) {
        const reference = await rate(plain);
        let own = 0;
        const memory = await peakMemory({ api: stack.api.pid }, async () => {
          own = await rate(service);
        });
        figures.add('uploads', null, 'bare server', 'MiB/s', reference);
        figures.add('uploads', null, 'service', 'MiB/s', own);
        figures.add('uploads', null, 'of the bare server', '×', own / reference);
        figures.add('uploads', null, 'memory, api', 'MiB', memory.api ?? NaN);
      }
    } finally {
      bare.kill();
      await stack.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
