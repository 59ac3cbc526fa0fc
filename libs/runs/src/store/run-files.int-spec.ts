import { randomUUID } from 'node:crypto';
import { newId } from '@app/kernel';
import { anIntent, RunMachine } from '../testing/run-machine.js';

describe('the files to which runs refer', () => {
  let machine: RunMachine;

  beforeEach(async () => {
    machine = await RunMachine.create();
  });

  afterEach(() => machine.close());

  const aFile = async (sourceRun: string | null = null): Promise<string> => {
    const id = newId('file');
    await machine.query(
      `insert into files (id, workspace_id, filename, content_type, bytes, sha256, source, key, expires_at, source_run)
        values ($1, $2, 'a.txt', 'text/plain', 3, 'aa', 'upload', '\\x00', clock_timestamp() + interval '1 day', $3)`,
      [id, machine.workspaceId, sourceRun],
    );
    return id;
  };
  const place = (file: string, at = 'input.doc') => ({ file, place: at, step: null, redacted: false });
  const given = (file: string) => ({ files: [{ ...place(file), granted: true as const }] });
  const usedUntil = async (file: string) =>
    (
      await machine.query<{ until: string | null }>('select used_until::text as until from files where id = $1', [file])
    )[0]!.until;
  const runsOf = async (file: string) =>
    (
      await machine.query<{ id: string }>('select run_id as id from file_references where file_id = $1 order by 1', [
        file,
      ])
    ).map(({ id }) => id);
  const finish = (run: Awaited<ReturnType<RunMachine['aClaimedRun']>>, files = [] as ReturnType<typeof place>[]) =>
    machine.store.finish(run, randomUUID(), {
      results: [],
      notes: [],
      files,
      outcome: { status: 'succeeded', output: { ok: true } },
    });

  it('are in use until the last of the runs has ended', async () => {
    const file = await aFile();
    const [first, second] = [await machine.aClaimedRun(given(file)), await machine.aClaimedRun(given(file))];
    expect(await usedUntil(file)).toBe('infinity');
    await finish(first);
    expect(await usedUntil(file)).toBe('infinity');
    await finish(second);
    expect(await usedUntil(file)).toMatch(/^20/);
  });

  it('two runs that end at the same time leave no file in use', async () => {
    const file = await aFile();
    const runs = [await machine.aClaimedRun(given(file)), await machine.aClaimedRun(given(file))];
    await Promise.all(runs.map((run) => finish(run)));
    expect(await usedUntil(file)).toMatch(/^20/);
  });

  it('an id in data from outside proves nothing, but a file that came in this run counts', async () => {
    const run = await machine.aClaimedRun();
    const [foreign, own] = [await aFile(), await aFile(run.id)];
    await machine.store.advance(run, randomUUID(), {
      results: [],
      notes: [],
      intents: [anIntent('fetch')],
      files: [place(foreign, 'steps.fetch.output'), place(own, 'steps.fetch.output.body')],
    });
    expect(await runsOf(foreign)).toEqual([]);
    expect(await runsOf(own)).toEqual([run.id]);
    await finish(run);
    expect(await usedUntil(own)).toMatch(/^20/);
  });

  it('a later run of the same agent may use the file, and a run of another agent may not', async () => {
    const file = await aFile();
    await finish(await machine.aClaimedRun(given(file)));
    const later = await machine.aClaimedRun();
    await finish(later, [place(file, 'output.doc')]);
    expect(await runsOf(file)).toHaveLength(2);
    const other = newId('agent');
    await machine.query(
      `insert into agents (id, workspace_id, name, production_version, latest_version, webhook_secret_hash)
        select $1, workspace_id, 'other', 1, 1, '' from agents limit 1`,
      [other],
    );
    await machine.query(
      `insert into agent_versions (agent_id, version, workspace_id, source, source_format, definition, definition_hash, created_by)
        select $1, 1, workspace_id, '{}', 'json', '{}', 'hash', 'ann@example.com' from agents where id = $1`,
      [other],
    );
    await finish(await machine.aClaimedRun({ agentId: other }), [place(file, 'output.doc')]);
    expect(await runsOf(file)).toHaveLength(2);
    const child = await machine.aClaimedRun({ agentId: other, trigger: { type: 'agent', run: later.id } });
    await finish(child, [place(file, 'output.doc')]);
    expect(await runsOf(file)).toHaveLength(3);
  });

  it('a replay refers to the files of its input and of the steps that it copies', async () => {
    const file = await aFile();
    const source = await machine.aClaimedRun(given(file));
    const verdict = await machine.store.advance(source, randomUUID(), {
      results: [],
      notes: [],
      intents: [anIntent('fetch')],
    });
    const n = verdict.verdict === 'ok' ? verdict.steps[0]!.n : 0;
    const own = await aFile(source.id);
    await machine.store.finish(source, randomUUID(), {
      results: [{ n, state: 'succeeded', output: { file: own } }],
      notes: [],
      files: [{ file: own, place: 'steps.fetch.output', step: 'fetch', redacted: true }],
      outcome: { status: 'succeeded', output: {} },
    });
    const replay = machine.aCreation({
      ...given(file),
      mode: 'test',
      replay: { of: source.id, first: { n: n + 1, path: 'next' } },
    });
    await machine.store.create(replay);
    expect(await runsOf(file)).toContain(replay.id);
    expect(await runsOf(own)).toContain(replay.id);
    const rows = await machine.query('select place, redacted from file_references where run_id = $1 order by 1', [
      replay.id,
    ]);
    expect(rows).toEqual([
      { place: 'input.doc', redacted: false },
      { place: 'steps.fetch.output', redacted: true },
    ]);
  });

  it('a cancelled run no longer uses its files, and a deleted run forgets them', async () => {
    const file = await aFile();
    const runId = await machine.aQueuedRun(given(file));
    await machine.store.cancel(machine.workspaceId, runId, { reason: null, actor: 'ann@example.com' });
    expect(await usedUntil(file)).toMatch(/^20/);
    await machine.query('select run_machine.delete_runs($1)', [[runId]]);
    expect(await runsOf(file)).toEqual([]);
  });
});
