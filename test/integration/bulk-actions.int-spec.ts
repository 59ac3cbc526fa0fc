import { GREETER, greeterNamed } from '../fixtures/definitions.js';
import { startApi } from '../support/api.js';
import { BulkScene } from '../support/bulk-scene.js';
import { BulkActionWorker } from '../../libs/runs/src/bulk/bulk-action.worker.js';
import { eventually } from '../support/eventually.js';

const UNKNOWN = 'run_01kahzvk3te9d8q6f0f1v3m2sx';
const YAML = { 'Content-Type': 'application/yaml' };

describe('a bulk action', () => {
  let scene: BulkScene;

  beforeAll(async () => {
    scene = await BulkScene.open();
  });
  beforeEach(() => scene.reset());
  afterAll(() => scene.close());

  describe('that cancels runs', () => {
    it('cancels each run, and names the refusal of the others', async () => {
      const [queued, ended, cancelled] = (await scene.runs(3)) as [string, string, string];
      await scene.end([ended]);
      await scene.call('POST', `/runs/${cancelled}/cancel`, { body: { reason: 'earlier' } });
      const key = (await scene.api.newTenant()).adminKey;
      const theirs = await scene.api.call('POST', '/v1/agents', { key, headers: YAML, body: GREETER });
      const input = { input: { name: 'Eve' } };
      const foreign = await scene.api.call('POST', `/v1/agents/${theirs.body.id}/runs`, { key, body: input });

      const ids = [cancelled, queued, UNKNOWN, ended, queued, foreign.body.id, 'no-id'];
      const accepted = await scene.start({ action: 'cancel', ids });
      const counts = { total: 6, succeeded: 0, failed: 0 };
      expect(accepted).toMatchObject({ status: 202, body: { action: 'cancel', status: 'queued', counts } });
      expect(accepted.headers.get('location')).toBe(`/v1/bulk-actions/${accepted.body.id}`);
      expect(await scene.get(accepted.body.id)).toEqual(accepted.body);
      await scene.work();

      const body = await scene.get(accepted.body.id);
      expect(body).toMatchObject({ status: 'completed', counts: { total: 6, succeeded: 2, failed: 4 } });
      expect(body.results).toHaveLength(6);
      expect(body.results).toEqual(
        expect.arrayContaining([
          { run: queued, status: 'succeeded' },
          { run: cancelled, status: 'succeeded' },
          { run: ended, status: 'failed', code: 'run_not_cancellable' },
          { run: UNKNOWN, status: 'failed', code: 'not_found' },
          { run: 'no-id', status: 'failed', code: 'not_found' },
          { run: foreign.body.id, status: 'failed', code: 'not_found' },
        ]),
      );
      const reason = `Bulk action ${body.id}.`;
      expect((await scene.call('GET', `/runs/${queued}`)).body).toMatchObject({ cancel_reason: reason });
      expect((await scene.call('GET', `/runs/${cancelled}`)).body).toMatchObject({ cancel_reason: 'earlier' });
      expect((await scene.api.call('GET', `/v1/runs/${foreign.body.id}`, { key })).body.status).toBe('queued');
    });

    it('selects the newest runs that match the filter when it is accepted', async () => {
      const other = await scene.createAgent(greeterNamed('other'));
      const [newest, middle, oldest] = (await scene.runs(3)) as [string, string, string];
      const [foreign] = await scene.runs(1, other);
      const filter = { agent: scene.agent, status: ['queued'], label: ['team=support'], since: '2020-01-01T00:00:00Z' };
      const { body } = await scene.start({ action: 'cancel', filter, limit: 2 });
      await scene.end([middle]);
      const [later] = await scene.runs(1);
      await scene.work();
      expect(await scene.resultsOf(body.id)).toEqual([
        { run: newest, status: 'succeeded' },
        { run: middle, status: 'failed', code: 'run_not_cancellable' },
      ]);
      for (const id of [oldest, foreign, later]) expect(await scene.statusOf(id!)).toBe('queued');
    });

    it('selects the newest of the ids', async () => {
      const [newest, middle] = (await scene.runs(3)) as [string, string];
      const { body } = await scene.start({ action: 'cancel', ids: [middle, UNKNOWN, newest], limit: 2 });
      expect(body.results.map(({ run }: { run: string }) => run)).toEqual([newest, middle]);
      await scene.work();
    });

    it('is completed at once if the filter matches no run', async () => {
      const counts = { total: 0, succeeded: 0, failed: 0 };
      for (const filter of [{ status: ['failed'] }, { agent: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' }]) {
        const { status, body } = await scene.start({ action: 'cancel', filter });
        const expected = { id: body.id, action: 'cancel', status: 'completed', counts, results: [] };
        expect([status, body]).toEqual([202, expected]);
        expect(await scene.get(body.id)).toEqual(expected);
      }
      expect(await scene.work()).toBe(0);
    });

    it('leaves a locked run to a later turn', async () => {
      const [locked, free] = (await scene.runs(2)) as [string, string];
      const { body } = await scene.start({ action: 'cancel', ids: [locked, free] });
      const holder = await scene.postgres.connect();
      await holder.query('begin');
      await holder.query('select from runs where id = $1 for update', [locked]);
      await scene.takeTurn();
      const counts = { total: 2, succeeded: 1, failed: 0 };
      expect(await scene.get(body.id)).toMatchObject({ status: 'running', counts });
      await holder.query('rollback');
      holder.release();
      await scene.takeTurn();
      expect(await scene.get(body.id)).toMatchObject({ status: 'completed' });
    });
  });

  describe('that replays runs', () => {
    it('starts one replay of each run, in mode test', async () => {
      const ended = await scene.endedRuns(3);
      const { body } = await scene.start({ action: 'replay', ids: ended });
      await scene.work();
      const results = await scene.resultsOf(body.id);
      expect(results.map(({ run, status }) => [run, status])).toEqual(ended.map((run) => [run, 'succeeded']));
      for (const { run, replay } of results) {
        const trigger = { type: 'replay', tool_results: 'recorded' };
        expect(await scene.replaysOf(run)).toMatchObject([
          { id: replay, mode: 'test', trigger, initiator: 'admin@example.com' },
        ]);
      }
    });

    it('starts them in production only if the body asks for it', async () => {
      const [ended] = (await scene.endedRuns(1)) as [string];
      await scene.start({ action: 'replay', ids: [ended], mode: 'production' });
      await scene.work();
      expect(await scene.replaysOf(ended)).toMatchObject([{ mode: 'production' }]);
    });

    it('starts none in production for a run in mode test', async () => {
      const [ended] = (await scene.endedRuns(1)) as [string];
      await scene.postgres.query(`update runs set mode = 'test' where id = $1`, [ended]);
      const { body } = await scene.start({ action: 'replay', ids: [ended], mode: 'production' });
      await scene.work();
      expect(await scene.resultsOf(body.id)).toMatchObject([{ run: ended, code: 'unknown_reference' }]);
    });

    it('starts no version in production that was never promoted', async () => {
      const agent = await scene.createAgent(greeterNamed('unpromoted'));
      const next = greeterNamed('unpromoted').replace('Hello', 'Hi');
      const headers = { 'Content-Type': 'application/yaml' };
      await scene.call('POST', `/agents/${agent}/versions`, { headers, body: next });
      const [ended] = (await scene.endedRuns(1, agent)) as [string];
      await scene.postgres.query('update runs set version = 2 where id = $1', [ended]);
      const { body } = await scene.start({ action: 'replay', ids: [ended], mode: 'production' });
      await scene.work();
      expect(await scene.resultsOf(body.id)).toMatchObject([{ run: ended, code: 'insufficient_scope' }]);
    });

    it('names the refusal of each run that is not replayed', async () => {
      const archived = await scene.createAgent(greeterNamed('archived'));
      const exclusive = `${greeterNamed('exclusive')}concurrency: { max: 1, on_conflict: reject }\n`;
      const busy = await scene.createAgent(exclusive);
      const [old] = (await scene.endedRuns(1, archived)) as [string];
      const [blocked] = (await scene.endedRuns(1, busy)) as [string];
      await scene.runs(1, busy);
      const [open] = (await scene.runs(1)) as [string];
      const [purged] = (await scene.endedRuns(1)) as [string];
      await scene.postgres.query('update runs set trace_forgotten_at = clock_timestamp() where id = $1', [purged]);
      await scene.call('DELETE', `/agents/${archived}`);
      const { body } = await scene.start({ action: 'replay', ids: [old, open, purged, blocked, UNKNOWN] });
      await scene.work();
      const results = await scene.resultsOf(body.id);
      expect(Object.fromEntries(results.map(({ run, code }) => [run, code]))).toEqual({
        [old]: 'agent_archived',
        [open]: 'unknown_reference',
        [purged]: 'unknown_reference',
        [blocked]: 'rate_limited',
        [UNKNOWN]: 'not_found',
      });
    });

    it('waits while the queue of the workspace is full, for a day', async () => {
      // The check for a full queue reads only a limited number of queued runs of all workspaces. The runs of other
      // workspaces are ended first, so that they do not use up this limit.
      await scene.endQueuedRuns();
      const [first, second] = (await scene.endedRuns(2)) as [string, string];
      await scene.runs(2);
      const small = await startApi({ databaseUrl: scene.api.databaseUrl, env: { MAX_QUEUED_RUNS: '1' } });
      try {
        const request = { key: scene.tenant.adminKey, body: { input: { name: 'Ada' } } };
        const startOne = () => small.call('POST', `/v1/agents/${scene.agent}/runs`, request);
        await eventually(async () => expect((await startOne()).status).toBe(429));
        const turn = () =>
          small.app.get(BulkActionWorker, { strict: false }).takeTurn(60_000, new AbortController().signal);
        const { body } = await scene.start({ action: 'replay', ids: [first] });
        expect([await turn(), await turn()]).toEqual([true, false]);
        expect(await scene.get(body.id)).toMatchObject({ status: 'running', results: [{ status: 'pending' }] });

        const { body: older } = await scene.start({ action: 'replay', ids: [second] });
        await scene.postgres.query(
          `update bulk_actions set created_at = created_at - interval '25 hours' where id = $1`,
          [older.id],
        );
        await turn();
        expect((await scene.get(older.id)).results).toEqual([{ run: second, status: 'failed', code: 'rate_limited' }]);

        await scene.endQueuedRuns();
        await scene.postgres.query('update bulk_actions set due_at = clock_timestamp() where id = $1', [body.id]);
        await scene.work();
        expect(await scene.get(body.id)).toMatchObject({ status: 'completed', results: [{ status: 'succeeded' }] });
      } finally {
        await small.close();
      }
    });
  });

  it('cancels runs and refuses replays while the workspace is stopped', async () => {
    const [open] = (await scene.runs(1)) as [string];
    const [ended] = (await scene.endedRuns(1)) as [string];
    await scene.call('POST', '/workspace/emergency-stop', { body: {} });
    const cancel = await scene.start({ action: 'cancel', ids: [open] });
    const replay = await scene.start({ action: 'replay', ids: [ended] });
    await scene.work();
    await scene.call('POST', '/workspace/resume', { body: {} });
    await scene.work();
    expect((await scene.get(cancel.body.id)).results).toEqual([{ run: open, status: 'succeeded' }]);
    expect((await scene.get(replay.body.id)).results).toEqual([
      { run: ended, status: 'failed', code: 'workspace_stopped' },
    ]);
    expect(await scene.replaysOf(ended)).toEqual([]);
  });

  it('takes turns with others', async () => {
    const many = await scene.start({ action: 'cancel', ids: Array.from({ length: 120 }, (_, n) => `run_${n}`) });
    const few = await scene.start({ action: 'cancel', ids: ['run_1'] });
    await scene.takeTurn();
    await scene.takeTurn();
    expect(await scene.get(few.body.id)).toMatchObject({ status: 'completed' });
    expect(await scene.get(many.body.id)).toMatchObject({ status: 'running', counts: { failed: 50 } });
    expect(await scene.work()).toBe(2);
  });

  it('is recorded in the audit log with its selection', async () => {
    const { body: ofIds } = await scene.start({ action: 'cancel', ids: [UNKNOWN] });
    const { body: ofFilter } = await scene.start({ action: 'replay', filter: { status: ['failed'] } });
    const { body } = await scene.call('GET', '/audit-events?action=bulk_action.create');
    const actor = 'admin@example.com';
    expect(body.data).toMatchObject([
      {
        actor,
        target: ofFilter.id,
        detail: { action: 'replay', mode: 'test', filter: { status: ['failed'] }, total: 0 },
      },
      { actor, target: ofIds.id, detail: { action: 'cancel', ids: 1, total: 1 } },
    ]);
    await scene.work();
  });
});
