import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import type { Bench, CeilingScenario } from './bench.js';
import { postMany } from './http-load.js';

const CONNECTIONS = 50;
const REQUESTS = 20_000;

/**
 * Measures POST requests per second to a bare `node:http` server, with the same load driver and number of connections
 * as the other scenarios.
 */
export const bareHttp: CeilingScenario = {
  name: 'bare-http',
  async run(bench: Bench): Promise<void> {
    const child = fork(join(import.meta.dirname, 'bare-http-server.js'), { stdio: 'inherit' });
    try {
      const [address] = (await once(child, 'message')) as [AddressInfo];
      const post = {
        url: `http://127.0.0.1:${address.port}/`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ input: { order: 'A-1001' } }),
      };
      await postMany(post, REQUESTS / 10, CONNECTIONS, 202);
      for (let repetition = 0; repetition < bench.repetitions; repetition++) {
        const load = await postMany(post, REQUESTS / bench.divisor, CONNECTIONS, 202);
        bench.figures.add('bare-http', null, 'answered', 'requests/s', load.perSecond);
        bench.figures.add('bare-http', null, 'p50', 'ms', load.p50);
        bench.figures.add('bare-http', null, 'p99', 'ms', load.p99);
      }
    } finally {
      child.disconnect();
      await once(child, 'exit');
    }
  },
};
