import { randomUUID } from 'node:crypto';
import { newId } from '@app/kernel';
import { createDataSource, Statements, Transactions } from '@app/platform/database';
import type { DataSource } from 'typeorm';
import { RetentionRepository } from '../retention/retention.repository.js';
import type { ClaimedRun } from '../records/run-commands.js';
import { RunMachine } from '../testing/run-machine.js';
import { MAX_KEYS, StateStore, type StateView, type WritingCall } from './state.store.js';

const SUCCESS = { results: [], notes: [], outcome: { status: 'succeeded', output: {} } } as const;

describe('the store of state', () => {
  let machine: RunMachine;
  let dataSource: DataSource;
  let store: StateStore;
  let run: ClaimedRun;
  let paths = 0;

  beforeAll(async () => {
    machine = await RunMachine.create({ poolSize: 8 });
    dataSource = createDataSource({ url: machine.databaseUrl, poolSize: 8, applicationName: 'test' });
    await dataSource.initialize();
    store = new StateStore(new Statements(dataSource));
    run = await machine.aClaimedRun();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await machine.close();
  });

  /** Returns a view of the stored state of a new owner, which has no entries. */
  const aState = (overrides: Partial<StateView> = {}): StateView => ({
    workspaceId: machine.workspaceId,
    ownerId: newId('agent'),
    copyOf: null,
    begin: null,
    ...overrides,
  });
  const aCall = (by = run): WritingCall => ({ runId: by.id, attempt: by.attempt, path: `step-${++paths}` });
  const put = (view: StateView, key: string, value: unknown, more: { ttlMs?: number; ifVersion?: number } = {}) =>
    store.putEntry(view, aCall(), { key, value: value as never, ttlMs: null, ifVersion: null, ...more });
  const increment = (view: StateView, key: string, by: number, ttlMs: number | null = null) =>
    store.increment(view, aCall(), { key, by, ttlMs });
  const remove = (view: StateView, key: string, ifVersion: number | null = null) =>
    store.deleteEntry(view, aCall(), { key, ifVersion });
  const valueOf = async (view: StateView, key: string) => (await store.readEntry(view, key))?.value;
  const keysOf = async (view: StateView, page: { prefix?: string; after?: string; limit?: number } = {}) => {
    const { data, last } = await store.readPage(view, { prefix: '', after: '', limit: 100, ...page });
    return [...data.map(({ key }) => key), ...(last === null ? [] : ['…'])];
  };
  /** Moves the expiry times of all entries into the past. */
  const expire = (ownerId: string) =>
    machine.query(`update state_entries set expires_at = expires_at - interval '1 day' where owner_id = $1`, [ownerId]);

  it('counts the versions of a key from 1, and again after the key was deleted', async () => {
    const state = aState();
    expect(await put(state, 'k', { b: 1, a: [null] })).toMatchObject({ verdict: 'ok', version: 1, expiresAt: null });
    expect(await put(state, 'k', 'text')).toMatchObject({ version: 2 });
    expect(await store.readEntry(state, 'k')).toMatchObject({ key: 'k', value: 'text', version: 2 });
    expect(await remove(state, 'k')).toMatchObject({ verdict: 'ok', value: true });
    expect(await remove(state, 'k')).toMatchObject({ verdict: 'ok', value: false });
    expect(await store.readEntry(state, 'k')).toBeUndefined();
    expect(await put(state, 'k', null)).toMatchObject({ version: 1 });
    expect(await valueOf(state, 'k')).toBeNull();
  });

  it('keeps the order of the members of a value, and texts that jsonb cannot store', async () => {
    const state = aState();
    await put(state, 'k', { zulu: 1, alpha: 'a\0b' });
    expect(JSON.stringify(await valueOf(state, 'k'))).toBe('{"zulu":1,"alpha":"a\\u0000b"}');
  });

  it('rejects a write whose version is not that of the entry, and returns that version', async () => {
    const state = aState();
    expect(await put(state, 'k', 1, { ifVersion: 1 })).toEqual({ verdict: 'conflict', version: 0 });
    expect(await put(state, 'k', 1, { ifVersion: 0 })).toMatchObject({ version: 1 });
    expect(await put(state, 'k', 2, { ifVersion: 0 })).toEqual({ verdict: 'conflict', version: 1 });
    expect(await put(state, 'k', 2, { ifVersion: 1 })).toMatchObject({ version: 2 });
    expect(await remove(state, 'k', 1)).toEqual({ verdict: 'conflict', version: 2 });
    expect(await remove(state, 'k', 2)).toMatchObject({ value: true });
    expect(await remove(state, 'k', 0)).toMatchObject({ value: false });
  });

  it('carries out a repeated call once, and returns its first result', async () => {
    const state = aState();
    const call = aCall();
    const first = await store.increment(state, call, { key: 'n', by: 2, ttlMs: null });
    await put(state, 'n', 40);
    expect(await store.increment(state, call, { key: 'n', by: 2, ttlMs: null })).toEqual({
      ...first,
      verdict: 'repeated',
    });
    expect(await valueOf(state, 'n')).toBe(40);
    const deletion = aCall();
    await store.deleteEntry(state, deletion, { key: 'n', ifVersion: null });
    expect(await store.deleteEntry(state, deletion, { key: 'n', ifVersion: null })).toMatchObject({ value: true });
  });

  it('writes nothing for an attempt that no longer owns the run, for an ended run, and in a stopped workspace', async () => {
    const state = aState();
    const late = { ...aCall(), attempt: run.attempt + 1 };
    expect(await store.increment(state, late, { key: 'n', by: 1, ttlMs: null })).toEqual({ verdict: 'fenced' });
    const ended = await machine.aClaimedRun();
    await machine.store.finish(ended, randomUUID(), SUCCESS);
    expect(await store.increment(state, aCall(ended), { key: 'n', by: 1, ttlMs: null })).toEqual({ verdict: 'fenced' });
    await machine.query(`update workspaces set state = 'stopped', epoch = epoch + 1 where id = $1`, [
      machine.workspaceId,
    ]);
    expect(await put(state, 'n', 1)).toEqual({ verdict: 'fenced' });
    await machine.query(`update workspaces set state = 'active', epoch = epoch + 1 where id = $1`, [
      machine.workspaceId,
    ]);
    expect(await store.readEntry(state, 'n')).toBeUndefined();
  });

  it('loses no increment of concurrent runs', async () => {
    const state = aState();
    await Promise.all(Array.from({ length: 40 }, () => increment(state, 'n', 0.5)));
    expect(await store.readEntry(state, 'n')).toMatchObject({ value: 20, version: 40 });
  });

  it('lets one of several concurrent writes with the same version win', async () => {
    const state = aState();
    await put(state, 'k', 0);
    const writes = await Promise.all(Array.from({ length: 8 }, (_, n) => put(state, 'k', n, { ifVersion: 1 })));
    expect(writes.filter(({ verdict }) => verdict === 'ok')).toHaveLength(1);
    expect(writes.filter(({ verdict }) => verdict === 'conflict')).toHaveLength(7);
  });

  it('increments numbers only', async () => {
    const state = aState();
    expect(await increment(state, 'n', -3)).toMatchObject({ verdict: 'ok', value: -3, version: 1 });
    expect(await increment(state, 'n', 0.25)).toMatchObject({ value: -2.75, version: 2 });
    await put(state, 'text', '7');
    await put(state, 'null', null);
    await put(state, 'huge', Number.MAX_VALUE);
    for (const key of ['text', 'null', 'huge'])
      expect(await increment(state, key, Number.MAX_VALUE)).toEqual({ verdict: 'no_number' });
  });

  it('expires entries: a put without ttl removes the time, an increment without ttl keeps it', async () => {
    const state = aState();
    const { expiresAt } = (await put(state, 'k', 1, { ttlMs: 60_000 })) as { expiresAt: Date };
    expect(await increment(state, 'k', 1)).toMatchObject({ expiresAt, version: 2 });
    expect(await put(state, 'k', 1)).toMatchObject({ expiresAt: null, version: 3 });
    await increment(state, 'k', 1, 60_000);
    await put(state, 'stays', 1);
    await expire(state.ownerId);
    expect(await store.readEntry(state, 'k')).toBeUndefined();
    expect(await keysOf(state)).toEqual(['stays']);
    expect(await put(state, 'k', 1, { ifVersion: 0 })).toMatchObject({ version: 1 });
    await put(state, 'k', 1, { ttlMs: 60_000 });
    await expire(state.ownerId);
    const retention = new RetentionRepository(new Statements(dataSource));
    expect(await retention.purgeState(100)).toBeGreaterThan(0);
    expect(await machine.query('select key from state_entries where owner_id = $1', [state.ownerId])).toEqual([
      { key: 'stays' },
    ]);
  });

  it('lists keys by their characters, with a prefix and in pages', async () => {
    const state = aState();
    for (const key of ['b', 'a%', 'a', 'ab', 'B', 'ä', 'a_']) await put(state, key, key);
    expect(await keysOf(state)).toEqual(['B', 'a', 'a%', 'a_', 'ab', 'b', 'ä']);
    expect(await keysOf(state, { prefix: 'a' })).toEqual(['a', 'a%', 'a_', 'ab']);
    expect(await keysOf(state, { prefix: 'a%' })).toEqual(['a%']);
    expect(await keysOf(state, { prefix: 'a', limit: 2 })).toEqual(['a', 'a%', '…']);
    expect(await keysOf(state, { prefix: 'a', limit: 2, after: 'a%' })).toEqual(['a_', 'ab']);
  });

  it('ends a page early if its values are large', async () => {
    const state = aState();
    const large = 'x'.repeat(60_000);
    for (const key of ['1', '2', '3', '4', '5', '6']) await put(state, key, large);
    expect(await keysOf(state)).toEqual(['1', '2', '3', '4', '…']);
    expect(await keysOf(state, { after: '4' })).toEqual(['5', '6']);
  });

  it('accepts 10 000 keys of an owner, of which expired ones do not count', async () => {
    const state = aState();
    await machine.query(
      `insert into state_entries (owner_id, key, workspace_id, value, version, updated_at, expires_at)
       select $1, 'key-' || n, $2, '1', 1, clock_timestamp(), case when n = 1 then clock_timestamp() + interval '1 hour' end
         from generate_series(1, $3::integer) n`,
      [state.ownerId, machine.workspaceId, MAX_KEYS],
    );
    expect(await put(state, 'one more', 1)).toEqual({ verdict: 'full' });
    expect(await increment(state, 'one more', 1)).toEqual({ verdict: 'full' });
    expect(await put(state, 'key-7', 2)).toMatchObject({ verdict: 'ok', version: 2 });
    await expire(state.ownerId);
    const both = await Promise.all([put(state, 'one more', 1), put(state, 'two more', 1)]);
    expect(both.map(({ verdict }) => verdict).sort()).toEqual(['full', 'ok']);
  });

  it('keeps the state of owners and workspaces apart', async () => {
    const [one, other] = [aState(), aState()];
    await put(one, 'k', 1);
    expect(await store.readEntry(other, 'k')).toBeUndefined();
    expect(await store.readEntry({ ...one, workspaceId: newId('workspace') }, 'k')).toBeUndefined();
  });

  describe('of a run in mode test', () => {
    it('reads the state, and writes to a copy of the run', async () => {
      const state = aState();
      for (const key of ['kept', 'changed', 'deleted']) await put(state, key, 'before');
      const copy = { ...state, copyOf: run.id };
      expect(await put(copy, 'changed', 'after', { ifVersion: 1 })).toMatchObject({ version: 2 });
      expect(await remove(copy, 'deleted')).toMatchObject({ value: true });
      expect(await remove(copy, 'deleted')).toMatchObject({ value: false });
      expect(await increment(copy, 'new', 1)).toMatchObject({ value: 1, version: 1 });
      expect(await keysOf(copy)).toEqual(['changed', 'kept', 'new']);
      expect(await valueOf(copy, 'changed')).toBe('after');
      expect(await keysOf(state)).toEqual(['changed', 'deleted', 'kept']);
      expect(await valueOf(state, 'changed')).toBe('before');
      expect(await put(copy, 'deleted', 1)).toMatchObject({ version: 1 });
    });

    it('begins with the values of a case of an evaluation, and does not read the state', async () => {
      const state = aState();
      await put(state, 'real', 1);
      const copy = { ...state, copyOf: run.id, begin: { cursor: '17', list: { z: 1, a: 2 } } };
      expect(await keysOf(copy)).toEqual(['cursor', 'list']);
      expect(await store.readEntry(copy, 'list')).toMatchObject({ value: { z: 1, a: 2 }, version: 1 });
      expect(await put(copy, 'cursor', '18')).toMatchObject({ version: 2 });
      await remove(copy, 'list');
      expect(await keysOf(copy)).toEqual(['cursor']);
      expect(await keysOf({ ...state, copyOf: run.id, begin: {} })).toEqual(['cursor']);
    });

    it('is purged with the trace of the run', async () => {
      const ended = await machine.aClaimedRun({ mode: 'test' });
      const copy = aState({ copyOf: ended.id });
      await store.putEntry(copy, aCall(ended), { key: 'k', value: 1, ttlMs: null, ifVersion: null });
      await machine.store.finish(ended, randomUUID(), SUCCESS);
      await machine.query(`update runs set ended_at = clock_timestamp() - interval '400 days' where id = $1`, [
        ended.id,
      ]);
      const retention = new RetentionRepository(new Statements(dataSource));
      await retention.purgeRuns({ after: '', before: 'zzz' }, 365, 1_000);
      expect(await machine.query('select 1 from state_entries where run_id = $1', [ended.id])).toEqual([]);
      expect(await machine.query('select 1 from state_writes where run_id = $1', [ended.id])).toEqual([]);
    });
  });

  it('deletes one key, or everything', async () => {
    const [state, transactions] = [aState(), new Transactions(dataSource)];
    for (const key of ['a', 'b', 'c']) await put(state, key, 1);
    const other = { ...state, workspaceId: newId('workspace') };
    expect(await transactions.run((transaction) => store.deleteState(other, undefined, transaction))).toBe(0);
    expect(await transactions.run((transaction) => store.deleteState(state, 'b', transaction))).toBe(1);
    expect(await keysOf(state)).toEqual(['a', 'c']);
    expect(await transactions.run((transaction) => store.deleteState(state, undefined, transaction))).toBe(2);
    expect(await keysOf(state)).toEqual([]);
  });
});
