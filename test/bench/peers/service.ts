import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Ledger } from '../../support/ledger.js';
import { startStack } from '../../support/stack.js';
import { AS_SHIPPED } from '../bench.js';
import { benchAgent, RUN_INPUT } from '../bench-agents.js';
import type { Contender, RunningContender } from './contender.js';
import { TableObserver } from './table-observer.js';

export const THIS_SERVICE = 'this service';

interface ServicePlace {
  databaseUrl: string;
  redisUrl: string;
  ledger: Ledger;
  node: string;
}

/**
 * Returns this service as a contender. It has its queue in Redis, one API, one worker, and the four-step agent of `npm
 * run bench`. `databaseUrl` is the connection string of a migrated database. `node` is the path of a `node` binary.
 */
export function thisService({ databaseUrl, redisUrl, ledger, node }: ServicePlace): Contender {
  // All rounds use one database, and it fits only the files of the first round.
  const dataDir = mkdtempSync(join(tmpdir(), 'aas-bench-files-'));
  return {
    name: THIS_SERVICE,
    queue: 'redis',
    sizes: { warmUp: 1_000, acceptedAlone: 2_000, finished: 3_000, oneAtATime: 200 },
    async start(): Promise<RunningContender> {
      const env = { ...AS_SHIPPED, DATA_DIR: dataDir, EGRESS_ALLOW: '127.0.0.1/32' };
      const stack = await startStack({ databaseUrl, redisUrl, env, workers: 0, node });
      const agent = await stack.client.createAgent(benchAgent('four-step', ledger.url));
      const post = {
        url: `${stack.baseUrl}/v1/agents/${agent}/runs`,
        headers: { authorization: `Bearer ${stack.adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ input: RUN_INPUT }),
      };
      const runs = { databaseUrl, table: 'runs', open: ['queued', 'running'], succeeded: 'succeeded' };
      let stopped: Promise<void> | undefined;
      return {
        post,
        acceptedStatus: 202,
        observe: (openPool) => new TableObserver(runs, post, 202, openPool),
        api: stack.api,
        startWorker: () => stack.addWorker(),
        stop: () => (stopped ??= stack.stop()),
      };
    },
    // The stack removes its keys from Redis itself.
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}
