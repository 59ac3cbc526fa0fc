import { requestBytes, SingleConnection } from '../../bench/http-load.js';
import { ApiClient } from '../../support/api-client.js';
import { FaultScene, PATIENT, RECOVERY } from '../fault-scene.js';
import { preloading } from '../preloading.js';

/** How long the main thread of an API is blocked, in milliseconds. */
const BLOCK_MS = 30_000;
const RUNS = 200;

interface Stopped {
  status: string;
  runs: { queued: number };
  in_flight: unknown[];
}

/**
 * Sends a request to which only the main thread of the API can respond. The function `hasAnswered` returns whether the
 * response has arrived.
 */
function askMainThread(url: string, key: string): { hasAnswered: () => boolean } {
  let answered = false;
  const asked = fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
  asked.then(
    () => (answered = true),
    () => undefined,
  );
  return { hasAnswered: () => answered };
}

describe('APIs whose main threads are blocked', () => {
  let scene: FaultScene;

  beforeAll(async () => {
    scene = await FaultScene.start({
      env: { STOP_PORT: '0', ...preloading('block.mjs', { BLOCK_MS: String(BLOCK_MS) }) },
    });
  });
  afterAll(() => scene.stop());

  it('stop a workspace, answer probes and serve metrics; no call begins after the response of the stop', () =>
    scene.scenario(async () => {
      const { stack, ledger } = scene;
      const apis = [{ program: stack.api, url: stack.baseUrl, stopUrl: await stack.stopUrl() }];
      await stack.startApi();
      apis.push({ program: stack.api, url: stack.baseUrl, stopUrl: await stack.stopUrl() });
      const [first = apis[0], second = first] = apis;
      if (!first || !second) throw new Error('no apis');
      await Promise.all([1, 2].map(() => stack.addWorker(PATIENT)));
      const agent = await scene.agent('busy', ['read', '/a'], ['idempotent', '/b'], ['read', '/c']);
      for (const path of ['/a', '/b', '/c']) ledger.always(path, { delayMillis: 20 });

      const keptAlive = await SingleConnection.open(second.stopUrl);
      const authorization = `Bearer ${stack.adminKey}`;
      const headers = { authorization, 'content-type': 'application/json' };
      const probe = Buffer.from('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
      expect(await keptAlive.send(probe)).toMatchObject({ status: 200 });
      const before = await (await fetch(`${first.stopUrl}/metrics`)).text();
      expect(before).toContain('nodejs_heap_size_used_bytes');

      const runs = await scene.startRuns(agent, RUNS);
      await ledger.called('/a', 10);
      for (const { program } of apis) {
        program.signal('SIGUSR2');
        await program.until(() => Promise.resolve(program.log().includes('blocking')), 'the block');
      }
      const blocked = apis.map(({ url }) => askMainThread(url, stack.adminKey));

      const stopped = await new ApiClient(() => first.stopUrl, stack.adminKey).expect<Stopped>(
        'POST',
        '/v1/workspace/emergency-stop',
        {},
      );
      const answeredAt = Date.now();
      const again = requestBytes({ url: `${second.stopUrl}/v1/workspace/emergency-stop`, headers, body: '{}' });
      expect(await keptAlive.send(again)).toMatchObject({ status: 200 });
      for (const { url, stopUrl } of apis) {
        expect((await fetch(`${stopUrl}/healthz`)).status).toBe(200);
        const metrics = await (await fetch(`${stopUrl}/metrics`)).text();
        expect(Number(/^aas_main_thread_stalled_seconds (.+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
        if (url === first.url) expect(metrics).toContain('nodejs_heap_size_used_bytes');
      }
      expect(blocked.map(({ hasAnswered }) => hasAnswered())).toEqual([false, false]);
      expect(stopped).toMatchObject({ status: 'stopped', in_flight: [] });
      expect(stopped.runs.queued).toBeGreaterThan(0);

      keptAlive.close();
      await Promise.all(apis.map(({ program }) => program.kill()));
      await stack.startApi();
      expect(ledger.calls.filter(({ at }) => at > answeredAt)).toEqual([]);
      await stack.client.expect('POST', '/v1/workspace/resume', {});
      expect(await scene.settled(runs, { within: 2 * RECOVERY.within })).toEqual({ succeeded: RUNS });
    }));
});
