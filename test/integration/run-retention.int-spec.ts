import { randomUUID } from 'node:crypto';
import { lowestId, newId, systemClock } from '@app/kernel';
import { createDataSource, Statements } from '@app/platform/database';
import { createLogger, Metrics } from '@app/platform/observability';
import { checkInvariants } from '@app/installation';
import type { ClaimedRun } from '../../libs/runs/src/records/run-commands.js';
import { RunMachine } from '../../libs/runs/src/testing/run-machine.js';
import { RetentionRepository } from '../../libs/runs/src/retention/retention.repository.js';
import { RunRetentionService } from '../../libs/runs/src/retention/run-retention.service.js';

const HOUR = 3_600_000;
const SUCCESS = { results: [], notes: [], outcome: { status: 'succeeded', output: {} } } as const;
const LAST = 'zzz';

describe('retention', () => {
  let machine: RunMachine;
  let forgetting: RetentionRepository;
  let statements: Statements;
  let close: () => Promise<void>;

  beforeEach(async () => {
    machine = await RunMachine.create();
    const dataSource = createDataSource({ url: machine.databaseUrl, poolSize: 4, applicationName: 'test' });
    await dataSource.initialize();
    statements = new Statements(dataSource);
    forgetting = new RetentionRepository(statements);
    close = () => dataSource.destroy();
  });
  afterEach(async () => {
    await close();
    await machine.close();
  });

  /** Creates and claims a run with one tool call and one model turn. */
  async function aRunWithSteps(): Promise<ClaimedRun> {
    const run = await machine.aClaimedRun();
    const call = { type: 'tool_call', tool: 't.read', scope: 'read', effect: 'read', request: { q: 1 } } as const;
    const begun = await machine.store.advance(run, randomUUID(), {
      results: [],
      notes: [],
      intents: [
        { ...call, path: 'a' },
        { type: 'model_call', path: 'm', effect: 'read', request: { provider: 'p', model: 'x' } },
      ],
    });
    if (begun.verdict !== 'ok') throw new Error(begun.verdict);
    const detail = { provider: 'p', model: 'x', usage: { input_tokens: 7, output_tokens: 2 }, summary: 'said' };
    const results = begun.steps.map(({ n }) => ({ n, state: 'succeeded', output: { said: 'much' }, detail }) as const);
    await machine.store.advance(run, randomUUID(), { results, notes: [], intents: [] });
    return run;
  }

  async function anEndedRun(daysAgo: number): Promise<string> {
    const run = await aRunWithSteps();
    await machine.store.finish(run, randomUUID(), SUCCESS);
    const age = [run.id, daysAgo];
    await machine.query(`update run_steps set started_at = started_at - $2 * interval '1 day' where run_id = $1`, age);
    await machine.query(`update runs set ended_at = clock_timestamp() - $2 * interval '1 day' where id = $1`, age);
    return run.id;
  }

  const everything = { after: '', before: LAST };
  const stepsOf = (run: string) =>
    machine.query<{ type: string; request: unknown; output: unknown; detail: object }>(
      'select type, request, output, detail from run_steps where run_id = $1 order by n',
      [run],
    );
  const runs = async () => (await machine.query<{ id: string }>('select id from runs order by id')).map(({ id }) => id);
  const violations = () => checkInvariants(statements, { youngestRuns: 1_000 });

  it('purges the contents of old steps, keeps the usage of models and changes nothing younger', async () => {
    const [old, young] = [await anEndedRun(31), await anEndedRun(29)];
    expect(await forgetting.purgeTraces(everything, 30, 100)).toEqual({ last: young, purged: 1 });
    expect(await stepsOf(old)).toEqual([
      {
        type: 'model_call',
        request: null,
        output: null,
        detail: { provider: 'p', model: 'x', usage: { input_tokens: 7, output_tokens: 2 } },
      },
    ]);
    expect(await stepsOf(young)).toHaveLength(2);
    expect(await forgetting.purgeTraces(everything, 30, 100)).toMatchObject({ purged: 0 });
    expect(await violations()).toEqual([]);
  });

  it('never purges a run that has not ended, whatever its age', async () => {
    const running = await aRunWithSteps();
    const queued = await machine.aQueuedRun();
    await machine.query(`update runs set created_at = created_at - interval '9 years'`);
    expect(await forgetting.purgeTraces(everything, 0, 100)).toMatchObject({ purged: 0 });
    expect(await forgetting.purgeRuns(everything, 0, 100)).toMatchObject({ purged: 0 });
    expect(await runs()).toEqual([running.id, queued].sort());
    expect(await stepsOf(running.id)).toHaveLength(2);
  });

  it('purges old runs with all their rows, and their events once every delivery is done', async () => {
    const [old, young] = [await anEndedRun(366), await anEndedRun(364)];
    const eventsOf = (run: string) => machine.query('select id from events where run_id = $1', [run]);
    expect(await forgetting.purgeEvents(everything, 100)).toMatchObject({ purged: 0 });
    expect(await forgetting.purgeRuns(everything, 365, 100)).toMatchObject({ purged: 1 });
    expect(await runs()).toEqual([young]);
    expect(await stepsOf(old)).toEqual([]);
    const [event] = (await eventsOf(old)) as { id: string }[];
    const message = `insert into webhook_messages (event_id, workspace_id, occurred_at, snapshot) values ($1, $2, now(), '{}')`;
    await machine.query(message, [event!.id, machine.workspaceId]);
    expect(await forgetting.purgeEvents(everything, 100)).toMatchObject({ purged: 0 });
    await machine.query('delete from webhook_messages');
    expect(await forgetting.purgeEvents(everything, 100)).toMatchObject({ purged: 1 });
    expect(await eventsOf(young)).toHaveLength(1);
    expect(await violations()).toEqual([]);
  });

  it('keeps the runs of evaluations, which are evidence for promotions', async () => {
    const [trial, source] = [await anEndedRun(4_000), await anEndedRun(4_000)];
    await machine.query('select run_machine.keep_runs($1)', [[trial, source]]);
    expect(await forgetting.purgeTraces(everything, 30, 100)).toMatchObject({ purged: 0 });
    expect(await forgetting.purgeRuns(everything, 365, 100)).toMatchObject({ purged: 0 });
  });

  it('keeps a run while it is replayed, and while its parent or child run is open', async () => {
    const [replayed, child, parent] = [await anEndedRun(999), await anEndedRun(999), await anEndedRun(999)];
    const [open, replay] = [await machine.aQueuedRun(), await machine.aQueuedRun()];
    await machine.query('update runs set replay_of = $1 where id = $2', [replayed, replay]);
    const add = `insert into child_runs (run_id, workspace_id, parent_run_id, call_key, depth) values ($1, $2, $3, 'k', 1)`;
    await machine.query(add, [child, machine.workspaceId, open]);
    await machine.query(add, [replay, machine.workspaceId, parent]);
    expect(await forgetting.purgeRuns(everything, 365, 100)).toMatchObject({ purged: 0 });
    await machine.query(
      `update runs set status = 'failed', wake_at = null, ended_at = clock_timestamp() where id = any ($1)`,
      [[open, replay]],
    );
    expect(await forgetting.purgeRuns(everything, 365, 100)).toMatchObject({ purged: 3 });
  });

  it('continues after the last batch, and shares the work with other workers without waiting for them', async () => {
    const old: string[] = [];
    for (let n = 0; n < 12; n++) old.push(await anEndedRun(400));
    const first = await forgetting.purgeTraces(everything, 30, 5);
    expect(first).toEqual({ last: old[4], purged: 5 });
    expect(await forgetting.purgeTraces({ after: old[4]!, before: LAST }, 30, 5)).toEqual({ last: old[9], purged: 5 });
    const together = await Promise.all(Array.from({ length: 4 }, () => forgetting.purgeRuns(everything, 365, 100)));
    expect(together.reduce((sum, { purged }) => sum + purged, 0)).toBe(12);
    expect(await runs()).toEqual([]);
  });

  it('purges a draft run with its agent when its time is over, after it has ended', async () => {
    const [kept, ended] = [await machine.aQueuedRun(), await anEndedRun(1)];
    const draft = newId('agent');
    await machine.query(
      `insert into agents (id, workspace_id, name, status, production_version, latest_version, webhook_secret_hash, draft_until)
        values ($1, $2, 'draft', 'archived', 1, 1, '', clock_timestamp() + interval '1 second')`,
      [draft, machine.workspaceId],
    );
    await machine.query(
      `insert into agent_versions (agent_id, version, workspace_id, source, source_format, definition, definition_hash, created_by)
        values ($1, 1, $2, '', 'yaml', '{}', '', 'ann')`,
      [draft, machine.workspaceId],
    );
    const open = await machine.aQueuedRun();
    await machine.query('update runs set agent_id = $1 where id = any ($2)', [draft, [ended, open]]);
    await machine.query('update listed_runs set agent_id = $1 where id = any ($2)', [draft, [ended, open]]);
    const drafts = () => machine.query('select id from agents where draft_until is not null');
    expect(await forgetting.purgeDrafts('', 100)).toEqual({ last: null, purged: 0 });
    await machine.query(`update agents set draft_until = clock_timestamp() - interval '1 second' where id = $1`, [
      draft,
    ]);
    expect(await forgetting.purgeDrafts('', 100)).toEqual({ last: draft, purged: 0 });
    expect(await machine.query('select status from runs where id = $1', [open])).toEqual([{ status: 'cancelled' }]);
    expect(await runs()).not.toContain(ended);
    await machine.query(`update runs set ended_at = ended_at - interval '2 minutes' where id = $1`, [open]);
    expect(await forgetting.purgeDrafts('', 100)).toEqual({ last: draft, purged: 1 });
    expect(await drafts()).toEqual([]);
    expect(await runs()).toEqual([kept]);
    expect(await violations()).toEqual([]);
  });

  it('purges idempotency keys one hour after the promised time, never before', async () => {
    const keys = [1, 26, 50].map((hours) => `key-${hours}`);
    for (const key of keys) {
      await machine.query(
        `insert into idempotency_keys (workspace_id, endpoint, key, fingerprint, resource_id, created_at)
          values ($1, 'e', $2, '', 'r', clock_timestamp() - $3 * interval '1 hour')`,
        [machine.workspaceId, key, key.slice(4)],
      );
    }
    expect(await forgetting.purgeIdempotencyKeys(100, 48 * HOUR)).toBe(1);
    expect(await forgetting.purgeIdempotencyKeys(100, 24 * HOUR)).toBe(1);
    expect(await machine.query('select key from idempotency_keys')).toEqual([{ key: 'key-1' }]);
  });

  it('purges the audit log only before the given id', async () => {
    const ids = [1, 2, 3].map((millis) => lowestId('event', millis));
    for (const id of ids) {
      const add = `insert into audit_events (id, workspace_id, actor, action) values ($1, $2, 'ann', 'x')`;
      await machine.query(add, [id, machine.workspaceId]);
    }
    expect(await forgetting.purgeAuditEvents(ids[2]!, 1)).toBe(1);
    expect(await forgetting.purgeAuditEvents(ids[2]!, 10)).toBe(1);
    expect(await machine.query('select id from audit_events')).toEqual([{ id: ids[2] }]);
  });

  it('purges nothing if the retention is unlimited', async () => {
    const old = await anEndedRun(4_000);
    const days = { traceRetentionDays: 0, runRetentionDays: 0, auditRetentionDays: 0 };
    const keys = { idempotencyMillis: 24 * HOUR };
    const logger = createLogger({ level: 'silent', format: 'json', name: 'spec' });
    const { now, monotonicMillis } = systemClock;
    const soon = { now, monotonicMillis, sleep: () => Promise.resolve() };
    const retention = new RunRetentionService(forgetting, soon, days, keys, logger, new Metrics());
    retention.start();
    await new Promise(setImmediate);
    await retention.stop();
    expect(await stepsOf(old)).toHaveLength(2);
  });
});
