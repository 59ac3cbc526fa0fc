import { newId } from '@app/kernel';
import { EventReader, type SeenEvent } from '../support/event-reader.js';
import { runEventViolations } from '../support/trace-contract.js';
import { eventually } from '../support/eventually.js';
import { PostgresTap } from '../support/postgres-tap.js';
import { Scene } from '../support/scene.js';
import type { SecondApi } from '../support/shared-stack.js';
import { aToolAgent, type ToolOperationName } from '../support/tool-agents.js';

const STREAMS = 200;
/** Poll interval of the run watcher in milliseconds (`POLL_MILLIS`). */
const INTERVAL_MS = 250;

describe('the live view of a run', () => {
  let scene: Scene;
  let tap: PostgresTap;
  /** The API that sends the events. All its statements pass the tap. */
  let api: SecondApi;

  beforeAll(async () => {
    scene = await Scene.start();
    tap = await PostgresTap.open(scene.stack.databaseUrl);
    api = await scene.stack.addApi({ DATABASE_URL: tap.url, RUN_EVENTS_MAX_STREAMS: String(STREAMS) });
  });
  afterEach(() => scene.ledger.reset());
  afterAll(async () => {
    await scene.stop();
    await tap.close();
  });

  const follow = (
    id: string,
    lastEventId?: string,
    query = '',
    { baseUrl }: { baseUrl: string } = api,
  ): Promise<EventReader> =>
    EventReader.open(`${baseUrl}/v1/runs/${id}/events${query}`, {
      key: scene.stack.adminKey,
      ...(lastEventId !== undefined && { lastEventId }),
    });

  const startRun = async (name: string, calls: [ToolOperationName, string][]): Promise<string> => {
    const agent = await scene.stack.client.createAgent(aToolAgent(name, scene.ledger.url, calls));
    return (await scene.stack.client.startRun(agent)).id;
  };

  const looks = () => tap.roundTrips.filter(({ statement }) => statement === 'watched_runs_changes');

  /** Returns the trace that results from the events. It contains the last state of every step. */
  const traceOf = (events: readonly SeenEvent[]): unknown[] => {
    const steps = new Map(events.filter(({ event }) => event === 'step').map(({ data }) => [data.n, data]));
    return [...steps.values()].sort((a, b) => a.n - b.n);
  };

  const statusesOf = (events: readonly SeenEvent[]): string[] =>
    events.filter(({ event }) => event === 'status').map(({ data }) => data.status);

  it('tells every step when it begins and when it ends, then the end of the run, and ends', async () => {
    scene.ledger.script('/slow', { hang: true });
    const id = await startRun('followed', [
      ['read', '/slow'],
      ['write', '/fast'],
    ]);
    const reader = await follow(id);
    expect(reader.status).toBe(200);
    expect(Object.fromEntries(reader.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    const events: SeenEvent[] = [];
    for await (const event of reader) {
      events.push(event);
      if (event.data.path !== 'call1' || event.data.status !== 'running') continue;
      // The service sends the event about the call before it makes the call.
      await scene.ledger.called('/slow');
      scene.ledger.release('/slow');
    }

    expect(events[0]).toMatchObject({ event: 'step', data: { n: 1, type: 'trigger' } });
    expect(events.filter(({ data }) => data.path === 'call1').map(({ data }) => data.status)).toEqual([
      'running',
      'succeeded',
    ]);
    expect(statusesOf(events).at(-1)).toBe('succeeded');
    expect(events.slice(-2)).toEqual([
      { event: 'status', id: '4', data: { run: id, status: 'succeeded' } },
      { event: 'end', id: 'end', data: { run: id } },
    ]);
    expect(traceOf(events)).toEqual((await scene.stack.client.trace(id)).steps);
  });

  it('misses nothing when the reader loses its connection repeatedly while the run continues', async () => {
    scene.ledger.always('/call', { delayMillis: 30 });
    const calls = Array.from({ length: 25 }, (): [ToolOperationName, string] => ['read', '/call']);
    const id = await startRun('interrupted-reader', calls);
    const seen: SeenEvent[] = [];
    let connections = 0;
    while (seen.at(-1)?.event !== 'end') {
      const reader = await follow(id, seen.at(-1)?.id);
      connections += 1;
      let read = 0;
      for await (const event of reader) {
        seen.push(event);
        if (++read === 4) break;
      }
    }
    expect(connections).toBeGreaterThan(5);
    expect(traceOf(seen)).toEqual((await scene.stack.client.trace(id)).steps);
    expect(statusesOf(seen).at(-1)).toBe('succeeded');
  });

  it('resumes before a step that is still under way, even if later steps have ended', async () => {
    scene.ledger.script('/a', { hang: true });
    const round = { id: 'get', tool: 'tool.read', with: { place: '${{ place }}' } };
    const agent = await scene.stack.client.createAgent({
      ...aToolAgent('side-by-side', scene.ledger.url, []),
      steps: [{ id: 'all', for_each: "${{ ['a', 'b', 'c'] }}", as: 'place', max_parallel: 3, steps: [round] }],
    });
    const { id } = await scene.stack.client.startRun(agent);
    const reader = await follow(id);
    const events = await reader.readUntil(({ data }) => data.path === 'all[2].get' && data.status === 'succeeded');
    expect(events.at(-1)).toMatchObject({ event: 'step', data: { n: 4 } });
    expect(events.at(-1)?.id).toBe('1');

    const again = await follow(id, '1');
    scene.ledger.release('/a');
    const rest = await again.readRest();
    expect(traceOf([...events, ...rest])).toEqual((await scene.stack.client.trace(id)).steps);
  });

  it('of a run that has ended sends everything after a position, and ends', async () => {
    const id = await startRun('ended', [['read', '/x']]);
    await (await follow(id)).readRest();
    const all = await (await follow(id)).readRest();
    expect(all.flatMap(runEventViolations)).toEqual([]);
    expect(all.map(({ event, id: eventId }) => `${event} ${eventId}`)).toEqual([
      'step 1',
      'step 2',
      'step 3',
      'status 3',
      'end end',
    ]);
    expect(await (await follow(id, '2')).readRest()).toEqual(all.slice(2));
    expect(await (await follow(id, undefined, '?after_n=2')).readRest()).toEqual(all.slice(2));
    expect(await (await follow(id, '2', '?after_n=0')).readRest()).toEqual(all.slice(2));
    expect((await follow(id, 'end')).status).toBe(204);
  });

  it('of a cancelled run ends when the outcome of the call under way is recorded', async () => {
    scene.ledger.script('/stuck', { hang: true });
    const id = await startRun('cancelled', [['read', '/stuck']]);
    const reader = await follow(id);
    await scene.ledger.called('/stuck');
    await scene.stack.client.cancel(id);
    const events = await reader.readRest();
    expect(statusesOf(events).at(-1)).toBe('cancelled');
    expect(traceOf(events)).toEqual((await scene.stack.client.trace(id)).steps);
    expect(traceOf(events)).toContainEqual(expect.objectContaining({ path: 'call1', status: 'cancelled' }));
  });

  it('is refused for runs that are not there and positions that no stream has', async () => {
    const id = await startRun('refused', []);
    expect((await follow(newId('run'))).status).toBe(404);
    expect((await follow('run_1')).status).toBe(404);
    expect((await follow(id, 'x')).status).toBe(400);
    const head = await fetch(`${api.baseUrl}/v1/runs/${id}/events`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${scene.stack.adminKey}` },
    });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  });

  it('costs one statement an interval for 200 readers, refuses the next, and reaches all of them', async () => {
    scene.ledger.script('/held', { hang: true });
    const id = await startRun('watched', [['read', '/held']]);
    await scene.ledger.called('/held');
    const readers = await Promise.all(Array.from({ length: STREAMS }, () => follow(id)));
    const seen = readers.map((reader) => reader.readRest());
    expect(readers.map(({ status }) => status)).toEqual(readers.map(() => 200));
    const refused = await follow(id);
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([503, 5]);

    tap.roundTrips.length = 0;
    await eventually(() => expect(looks().length).toBeGreaterThanOrEqual(8));
    // 200 readers cause no more polls than one reader. The API may send two other statements, for a heartbeat or to
    // read the API key.
    const ofTheApi = tap.roundTrips.filter(({ application }) => application === 'api');
    expect(ofTheApi.length).toBeLessThanOrEqual(looks().length + 2);

    scene.ledger.release('/held');
    for (const events of await Promise.all(seen)) {
      expect(statusesOf(events).at(-1)).toBe('succeeded');
      expect(traceOf(events)).toHaveLength(3);
    }
    // If the API polled once per reader, a single poll interval would cause `STREAMS` statements.
    expect(looks().length).toBeLessThan(STREAMS);
  });

  it('does not query the database without a reader', async () => {
    scene.ledger.always('/while', { delayMillis: 4 * INTERVAL_MS });
    const id = await startRun('unwatched', [['read', '/while']]);
    tap.roundTrips.length = 0;
    await eventually(async () => expect(await scene.stack.client.run(id)).toMatchObject({ status: 'succeeded' }));
    expect(looks()).toEqual([]);
  });

  // This test must be the last one, because it stops the API.
  it('ends with its api, and continues at another one', async () => {
    scene.ledger.script('/long', { hang: true });
    const id = await startRun('survives', [['read', '/long']]);
    const reader = await follow(id);
    const first = reader.readRest();
    await scene.ledger.called('/long');
    await api.process.stop();
    const events = await first;
    expect(events.map(({ event }) => event)).not.toContain('end');

    const next = await follow(id, events.at(-1)?.id, '', scene.stack);
    scene.ledger.release('/long');
    const rest = await next.readRest();
    expect(rest.at(-1)?.event).toBe('end');
    expect(traceOf([...events, ...rest])).toEqual((await scene.stack.client.trace(id)).steps);
  });
});
