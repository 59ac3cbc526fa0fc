import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';
import { subscribe } from '../support/webhooks.js';

const ROOT = join(import.meta.dirname, '..', '..');
const PRELOAD = pathToFileURL(join(ROOT, 'test/structure/coverage-preload.mjs')).href;
/** With such a long lease, a worker sends no heartbeat and does not poll while the test follows a run. */
const QUIET = {
  WORKER_LEASE_MS: '3600000',
};
const RUNS = 3;

describe('the path of a run with one tool call, from POST to webhook', () => {
  let scene: Scene;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'request-path-'));
    scene = await Scene.start({
      env: { ...QUIET, COVERAGE_FOLDER: folder },
      nodeArguments: () => ['--import', PRELOAD],
    });
  });

  afterAll(async () => {
    await scene.stop();
    await rm(folder, { recursive: true });
  });

  /** Returns the files whose code ran in the API and the worker since the last call. */
  const filesSince = async (signal: number): Promise<string[]> => {
    const { api, workers } = scene.stack;
    const programs = [api, ...workers];
    for (const { pid } of programs) process.kill(pid, 'SIGUSR2');
    const written = await eventually(async () => {
      const names = (await readdir(folder)).filter((name) => name.endsWith(`-${signal}.json`));
      // Each thread writes a file. There are more threads than programs, because the API has a stop listener thread.
      expect(names.length).toBeGreaterThan(programs.length);
      return names;
    });
    const files = await Promise.all(
      written.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as string[]),
    );
    return [...new Set(files.flat())].sort();
  };

  it('passes no more files than are known', async () => {
    const { client } = scene.stack;
    await subscribe(client, `${scene.ledger.url}/ends`, {});
    const agent = await client.createAgent(aToolAgent('followed', scene.ledger.url, [['write', '/orders']]));
    // The first run does not count, because it compiles code, opens connections and fills caches.
    await client.startRun(agent);
    await scene.ledger.called('/ends', 1);
    await filesSince(1);

    // If a periodic task is executed during a run, the list of this run also contains the files of the task. The test
    // therefore starts several runs and uses the shortest list.
    const paths: string[][] = [];
    for (let run = 2; run < 2 + RUNS; run += 1) {
      await client.startRun(agent);
      await scene.ledger.called('/ends', run);
      paths.push(await filesSince(run));
    }
    const [files = []] = paths.sort((a, b) => a.length - b.length);

    const texts = await Promise.all(files.map((path) => readFile(join(ROOT, path), 'utf8')));
    const lines = texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
    // If `REQUEST_PATH` is `print`, the test prints the files.
    if (process.env.REQUEST_PATH === 'print')
      console.warn(`${files.length} files, ${lines} lines\n${files.join('\n')}`);
    const known = JSON.parse(await readFile(join(ROOT, 'test/structure/known-violations.json'), 'utf8')) as {
      requestPath: { files: number };
    };
    expect(files).toContain('apps/api/src/runs/run-starts.controller.ts');
    expect(files.length).toBeLessThanOrEqual(known.requestPath.files);
  });
});
