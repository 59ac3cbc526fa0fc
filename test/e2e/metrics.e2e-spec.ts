import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { type LoneScene, Scene } from '../support/scene.js';

const DASHBOARD = join(import.meta.dirname, '..', '..', 'docker', 'grafana', 'agent-automation.json');

/** Keywords of PromQL that can occur at the position of a metric name. */
const WORDS = new Set(['by', 'le', 'max', 'sum', 'rate', 'increase', 'time', 'histogram_quantile', 'h']);

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}

/** Parses samples in the Prometheus text format. The key of a sample is `name{labels}`. */
function samples(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

describe('what the fleet says about itself', () => {
  let scene: LoneScene;
  let workerUrl: string;

  beforeAll(async () => {
    scene = await Scene.alone({ why: 'reads metrics of all workspaces', workers: 0 });
    const port = await freePort();
    workerUrl = `http://127.0.0.1:${port}`;
    await scene.stack.addWorker({ WORKER_PORT: String(port), WORKER_CONCURRENCY: '2' });
  });
  afterAll(() => scene.stop());

  const scrape = async (url: string): Promise<Map<string, number>> =>
    samples(await (await fetch(`${url}/metrics`)).text());

  it('is all there the first time that it is asked for', async () => {
    const first = await scrape(scene.stack.baseUrl);
    expect([first.get('aas_workers'), first.get('aas_runs_open{status="queued"}')]).toEqual([1, 0]);
    expect(first.get('aas_runs_ended_total{status="succeeded"}')).toBe(0);
  });

  it('is how much waits, how much is under way, and how long calls take', async () => {
    scene.ledger.always('/slow', { hang: true });
    const tools = [
      {
        name: 'erp',
        type: 'http',
        base_url: scene.ledger.url,
        operations: [{ name: 'get', method: 'GET', path: '/slow' }],
      },
    ];
    const agent = await scene.stack.client.createAgent({ name: 'slow', tools, steps: [{ id: 'a', tool: 'erp.get' }] });
    const runs = await Promise.all(Array.from({ length: 5 }, () => scene.stack.client.startRun(agent)));
    await scene.ledger.called('/slow', 2);
    await eventually(async () => {
      const now = await scrape(scene.stack.baseUrl);
      expect(now.get('aas_queue_due_runs')).toBe(3);
      expect(now.get('aas_queue_oldest_due_seconds')).toBeGreaterThan(0);
      expect(now.get('aas_queue_oldest_due_seconds')).toBeLessThan(600);
      expect(now.get('aas_queue_waiting_workspaces')).toBe(1);
      expect(now.get('aas_runs_open{status="queued"}')).toBe(3);
      expect(now.get('aas_runs_open{status="running"}')).toBe(2);
      expect(now.get('aas_workers')).toBe(1);
    });
    scene.ledger.always('/slow', {});
    scene.ledger.release('/slow');
    for (const { id } of runs) {
      await eventually(async () => expect(await scene.stack.client.run(id)).toMatchObject({ status: 'succeeded' }));
    }
    const worker = await scrape(workerUrl);
    expect(worker.get('aas_step_seconds_count{type="tool_call",outcome="answered"}')).toBe(5);
    await eventually(async () =>
      expect((await scrape(scene.stack.baseUrl)).get('aas_queue_oldest_due_seconds')).toBe(0),
    );
  });

  it('is how long an emergency stop took', async () => {
    await scene.stack.client.expect('POST', '/v1/workspace/emergency-stop', {});
    await scene.stack.client.expect('POST', '/v1/workspace/resume', {});
    expect((await scrape(scene.stack.baseUrl)).get('aas_emergency_stop_seconds_count')).toBe(1);
  });

  it('counts all runs that have ended', async () => {
    const ended = async (status: string) =>
      (await scrape(scene.stack.baseUrl)).get(`aas_runs_ended_total{status="${status}"}`);
    await eventually(async () => expect(await ended('succeeded')).toBe(5));
    expect([await ended('handed_off'), await ended('failed'), await ended('cancelled')]).toEqual([0, 0, 0]);
    const { client } = scene.stack;
    await client.expect('POST', '/v1/groups', { name: 'people', members: ['admin@example.com'] });
    const asks = await client.createAgent({
      name: 'asks',
      approvals: { people: { approvers: ['people'], self_approval: true } },
      steps: [{ id: 'sure', approval: 'people' }],
    });
    const { id } = await client.startRun(asks);
    const approval = await eventually(async () => {
      const { data } = await client.expect<{ data: { id: string }[] }>('GET', `/v1/runs/${id}/approvals`);
      expect(data).toHaveLength(1);
      return data[0]!;
    });
    await client.expect('POST', `/v1/runs/${id}/approvals/${approval.id}`, { decision: 'reject' });
    const waits = await client.createAgent({ name: 'waits', steps: [{ id: 'w', wait: { for: '1h' } }] });
    await client.startRun(waits);
    await client.expect('POST', '/v1/workspace/emergency-stop', { runs: 'cancel' });
    await client.expect('POST', '/v1/workspace/resume', {});
    await eventually(async () => expect([await ended('failed'), await ended('cancelled')]).toEqual([1, 1]), {
      within: 60_000,
    });
  });

  it('is all that the dashboard asks for', async () => {
    const told = `${await (await fetch(`${scene.stack.baseUrl}/metrics`)).text()}${await (await fetch(`${workerUrl}/metrics`)).text()}`;
    const types = new Map([...told.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
    const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as Dashboard;
    const asked = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsOf(expr)));
    expect(asked.length).toBeGreaterThan(20);
    const unknown = asked.filter((name) => {
      const family = name.replace(/_(bucket|count|sum)$/, '');
      return !types.has(name) && types.get(family) !== 'histogram';
    });
    expect(unknown).toEqual([]);
  });

  it('is whether a worker lives, at a port of its own', async () => {
    expect(await (await fetch(`${workerUrl}/healthz`)).json()).toEqual({ status: 'ok' });
    expect((await fetch(`${workerUrl}/runs`)).status).toBe(404);
    expect((await fetch(`${workerUrl}/healthz`, { method: 'POST' })).status).toBe(405);
  });
});

/** Returns the metric names in an expression, without labels, ranges and keywords of PromQL. */
function metricsOf(expression: string): string[] {
  const bare = expression.replace(/\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, ' ');
  return [...bare.matchAll(/[a-z_][a-z0-9_]*/g)].map(([name]) => name).filter((name) => !WORDS.has(name));
}
