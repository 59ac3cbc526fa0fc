import { randomUUID } from 'node:crypto';
import { lowestId, newId } from '@app/kernel';
import { RunMachine } from '../../runs/src/testing/run-machine.js';
import type { Creation } from '@app/runs';
import { ScheduleStore } from './schedule.store.js';
import { type DecidedEvent, type EventVerdict, TriggerEventStore } from './trigger-event.store.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the trigger event store', () => {
  let machine: RunMachine;
  let triggers: TriggerEventStore;

  beforeEach(async () => {
    machine = await RunMachine.create({ poolSize: 16 });
    triggers = new TriggerEventStore(machine.newStatements());
  });

  afterEach(() => machine.close());

  const aRun = (overrides: Partial<Creation> = {}): { kind: 'start'; run: Creation } => ({
    kind: 'start',
    run: machine.aCreation({ trigger: { type: 'webhook', id: 'hook' }, initiator: null, ...overrides }),
  });

  const anEvent = (overrides: Partial<DecidedEvent> = {}): DecidedEvent => ({
    id: newId('event'),
    workspaceId: machine.workspaceId,
    agentId: machine.agentId,
    triggerId: 'hook',
    type: 'webhook',
    version: 1,
    byHand: false,
    identity: null,
    secretHash: null,
    found: null,
    decision: aRun(),
    ...overrides,
  });

  const take = (overrides: Partial<DecidedEvent> = {}): Promise<EventVerdict> => triggers.take(anEvent(overrides));
  const known = (key: string, fingerprint: Buffer | null = null) => ({ key, fingerprint, keepMillis: HOUR });
  const outcomes = async () =>
    (await machine.query<{ outcome: string }>('select outcome from trigger_events order by id')).map((e) => e.outcome);
  const countRuns = async () => (await machine.query('select from runs')).length;
  const change = (assignment: string) => machine.query(`update agents set ${assignment}`);
  const stop = () => machine.query(`update workspaces set state = 'stopped', epoch = epoch + 1`);

  it('commits a run and a line of the log together', async () => {
    const decision = aRun();
    const { run } = decision;
    expect(await take({ decision })).toMatchObject({ verdict: 'started', runId: run.id });
    expect(await machine.statusOf(run.id)).toBe('queued');
    expect(await machine.query('select outcome, run_id, version, type, trigger_id from trigger_events')).toEqual([
      { outcome: 'started', run_id: run.id, version: 1, type: 'webhook', trigger_id: 'hook' },
    ]);
  });

  it('takes an event whose texts are cut in the middle of an emoji, or hold a NUL', async () => {
    const { run } = aRun({ input: { subject: 'Refund \ud83d', text: 'a\0b' } });
    expect(await take({ decision: { kind: 'start', run } })).toMatchObject({ verdict: 'started' });
    expect(await machine.query('select input from runs')).toEqual([
      { input: { subject: 'Refund \ufffd', text: 'a\ufffdb' } },
    ]);
    const errors = [{ pointer: '/subject', detail: 'is \ud83d' }];
    const refused = { kind: 'error', reason: 'x', errors } as const;
    expect(await take({ decision: refused })).toMatchObject({ verdict: 'error' });
  });

  it.each([
    ['one process', () => triggers],
    ['processes of their own', () => new TriggerEventStore(machine.newStatements())],
  ])('starts one run for one event, however often and at the same time it arrives in %s', async (_, triggers) => {
    const event = () => triggers().take(anEvent({ identity: known('delivery:1') }));
    const verdicts = await Promise.all(Array.from({ length: 12 }, event));
    expect(verdicts.filter(({ verdict }) => verdict === 'started')).toHaveLength(1);
    expect(new Set(verdicts.map((verdict) => ('runId' in verdict ? verdict.runId : null))).size).toBe(1);
    expect(await countRuns()).toBe(1);
    expect((await outcomes()).sort()).toEqual([...Array<string>(11).fill('duplicate'), 'started']);
  });

  it('knows an event until its time is over', async () => {
    await take({ identity: known('k') });
    await machine.query(`update trigger_receipts set expires_at = clock_timestamp() - interval '1 second'`);
    expect(await take({ identity: known('k') })).toMatchObject({ verdict: 'started' });
    expect(await take({ identity: known('k') })).toMatchObject({ verdict: 'duplicate' });
    expect(await countRuns()).toBe(2);
  });

  it('purges expired receipts, and no others', async () => {
    await Promise.all(['a', 'b', 'c'].map((key) => take({ identity: known(key) })));
    await machine.query(`update trigger_receipts set expires_at = clock_timestamp() where key <> 'c'`);
    expect(await triggers.purgeReceipts(1)).toBe(1);
    expect(await triggers.purgeReceipts(10)).toBe(1);
    expect(await machine.query('select key from trigger_receipts')).toEqual([{ key: 'c' }]);
  });

  it('answers an event that was decided before although there is no room for another, and says once a minute that there is none', async () => {
    const decision = { kind: 'rate_limited', reason: 'full', errors: [] } as const;
    const first = await take({ identity: known('a') });
    expect(await take({ identity: known('a'), decision })).toEqual({
      ...first,
      verdict: 'duplicate',
      createdAt: undefined,
    });
    for (const key of ['b', 'c'])
      expect(await take({ identity: known(key), decision })).toEqual({ verdict: 'rate_limited' });
    expect(await outcomes()).toEqual(['started', 'duplicate', 'rate_limited']);
    await machine.query(`update trigger_events set created_at = created_at - interval '1 minute'`);
    await take({ decision });
    expect(await outcomes()).toEqual(['started', 'duplicate', 'rate_limited', 'rate_limited']);
    expect(await take({ identity: known('b') })).toMatchObject({ verdict: 'started' });
  });

  it('purges old trigger events, and no others', async () => {
    const old = Array.from({ length: 4 }, (_, n) => lowestId('event', Date.now() - 40 * DAY + n));
    for (const id of old) await take({ id });
    await take({});
    const before = lowestId('event', Date.now() - 30 * DAY);
    expect(await triggers.purgeEvents(before, 3)).toBe(3);
    expect(await triggers.purgeEvents(before, 3)).toBe(1);
    expect(await outcomes()).toHaveLength(1);
  });

  it('knows an event for ever where that is asked', async () => {
    await take({ identity: { ...known('mail'), keepMillis: null } });
    expect(await machine.query('select from trigger_receipts where expires_at = $1', ['infinity'])).toHaveLength(1);
  });

  it('refuses a key that another event has, if it can tell', async () => {
    await take({ identity: known('k', Buffer.from('a')) });
    expect(await take({ identity: known('k', Buffer.from('b')) })).toEqual({ verdict: 'key_reused' });
    expect(await take({ identity: known('k', Buffer.from('a')) })).toMatchObject({ verdict: 'duplicate' });
  });

  it('remembers what was filtered, not what was refused', async () => {
    const decision = { kind: 'filtered', reason: 'no', errors: [] } as const;
    expect(await take({ identity: known('f'), decision })).toEqual({ verdict: 'filtered' });
    expect(await take({ identity: known('f') })).toEqual({ verdict: 'duplicate', runId: null });
    for (const kind of ['refused', 'error'] as const) {
      const errors = [{ pointer: '/a', detail: 'wrong' }];
      expect(await take({ identity: known(kind), decision: { kind, reason: 'no', errors } })).toEqual({
        verdict: kind,
      });
      expect(await take({ identity: known(kind) })).toMatchObject({ verdict: 'started' });
    }
    expect(await outcomes()).toEqual(['filtered', 'duplicate', 'refused', 'started', 'error', 'started']);
  });

  it('sends events back while the agent is paused or archived or the workspace stopped, and keeps nothing of them', async () => {
    await change(`status = 'paused'`);
    expect(await take({ identity: known('k') })).toEqual({ verdict: 'paused' });
    expect(await take({ byHand: true })).toMatchObject({ verdict: 'started' });
    await stop();
    expect(await take({ identity: known('k') })).toEqual({ verdict: 'stopped' });
    await change(`status = 'archived'`);
    expect(await take({ identity: known('k') })).toEqual({ verdict: 'archived' });
    expect(await machine.query('select from trigger_receipts')).toHaveLength(0);
    expect(await outcomes()).toEqual(['started']);
  });

  it('answers an event that was decided before the stop', async () => {
    await take({ identity: known('k') });
    await stop();
    expect(await take({ identity: known('k') })).toMatchObject({ verdict: 'duplicate' });
  });

  it('asks for the version that is in production now', async () => {
    await machine.addVersion(2);
    await change('production_version = 2');
    expect(await take()).toEqual({ verdict: 'version_changed' });
    expect(await take({ version: 2 })).toMatchObject({ verdict: 'started' });
  });

  it('takes the current secret, and the one before it for its time', async () => {
    const [current, previous, other] = [Buffer.from('new'), Buffer.from('old'), Buffer.from('other')];
    await machine.query(
      `update agents set webhook_secret_hash = $1, previous_webhook_secret_hash = $2,
         previous_webhook_secret_expires_at = clock_timestamp() + interval '1 hour'`,
      [current, previous],
    );
    expect(await take({ secretHash: current })).toMatchObject({ verdict: 'started' });
    expect(await take({ secretHash: previous })).toMatchObject({ verdict: 'started' });
    expect(await take({ secretHash: other })).toEqual({ verdict: 'secret_changed' });
    await change('previous_webhook_secret_expires_at = clock_timestamp()');
    expect(await take({ secretHash: previous })).toEqual({ verdict: 'secret_changed' });
  });

  it('reports a busy agent, and the sender may repeat the event', async () => {
    const rules = { queueTtlMs: null, concurrency: { max: 1, key: null, maxPerKey: null, rejectConflict: true } };
    await take({ decision: aRun({ rules }) });
    expect(await take({ identity: known('k'), decision: aRun({ rules }) })).toEqual({ verdict: 'conflict' });
    await machine.query(`update runs set status = 'cancelled', wake_at = null, ended_at = clock_timestamp()`);
    expect(await take({ identity: known('k'), decision: aRun({ rules }) })).toMatchObject({ verdict: 'started' });
    expect(await outcomes()).toEqual(['started', 'rate_limited', 'started']);
  });

  it('knows no agent of another workspace', async () => {
    expect(await take({ workspaceId: newId('workspace') })).toEqual({ verdict: 'not_found' });
  });

  it('fires a schedule once for each fire time, and skips a fire time while the last run has not ended', async () => {
    await machine.query(
      `insert into triggers (agent_id, id, workspace_id, ordinal, type, cron, timezone, overlap, catch_up, active_since, due_at)
       values ($1, 'nightly', $2, 0, 'schedule', '0 3 * * *', 'UTC', 'skip', 'last', '2026-01-01 00:00:00.123456+00', '2026-01-01')`,
      [machine.agentId, machine.workspaceId],
    );
    const schedules = new ScheduleStore(machine.newStatements());
    const [first, second] = [new Date('2026-01-02T03:00:00Z'), new Date('2026-01-03T03:00:00Z')];
    const [due] = await schedules.due(1, HOUR);
    const fire = (expected: Date | null, next: Date, generation = due!.generation) => {
      const event = anEvent({ triggerId: 'nightly', type: 'schedule', identity: known(next.toISOString()) });
      return triggers.fire(event, { expected, generation, next });
    };
    expect(due).toMatchObject({ triggerId: 'nightly', fireAt: null });
    expect(await fire(null, first, '2026-01-01 00:00:00.123457+00')).toEqual({ verdict: 'superseded' });
    expect(await fire(null, first)).toMatchObject({ verdict: 'started' });
    expect(await fire(null, first)).toEqual({ verdict: 'superseded' });
    expect(await fire(first, second)).toEqual({ verdict: 'overlap' });
    expect(await machine.query('select fire_at, due_at from triggers')).toEqual([{ fire_at: second, due_at: second }]);
    expect(await outcomes()).toEqual(['started', 'filtered']);
    expect(await countRuns()).toBe(1);
  });

  it('does not confuse equal keys of two agents', async () => {
    const agentId = newId('agent');
    await machine.query(
      `insert into agents (id, workspace_id, name, production_version, latest_version, webhook_secret_hash)
       values ($1, $2, 'other', 1, 1, '')`,
      [agentId, machine.workspaceId],
    );
    await machine.query(
      `insert into agent_versions select $1, version, workspace_id, source, source_format, definition,
        definition_hash, created_at, created_by from agent_versions`,
      [agentId],
    );
    const identity = known(randomUUID());
    expect(await take({ identity })).toMatchObject({ verdict: 'started' });
    expect(await take({ identity, agentId })).toMatchObject({ verdict: 'started' });
  });
});
