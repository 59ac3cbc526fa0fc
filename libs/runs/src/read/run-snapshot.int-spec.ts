import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@app/kernel';
import { aGate, aWrite, RunMachine } from '../testing/run-machine.js';
import { presentRun, runOfSnapshot } from './run.view.js';

const CARD = { $sealed: 'c2VhbGVk', shown: '[redacted]' };
const SNAPSHOT = 'select run_machine.run_snapshot($1) as snapshot, run_machine.run_snapshot($1)::text as stored';

describe('the snapshot of a run', () => {
  let machine: RunMachine;

  beforeAll(async () => {
    machine = await RunMachine.create();
  });

  afterAll(() => machine.close());

  const snapshotOf = async (runId: string) =>
    (await machine.query<{ snapshot: JsonObject; stored: string }>(SNAPSHOT, [runId]))[0]!;

  it('is presented as the run with its approvals, redacted, and is no longer than what it is presented as', async () => {
    const run = await machine.aClaimedRun({ initiator: 'ann@example.com', input: { card: CARD, sum: 9.5 } });
    const intents = [{ ...aWrite('pay'), request: { card: CARD, amount: 900 }, gate: aGate() }];
    await machine.store.advance(run, randomUUID(), { results: [], notes: [], intents });
    await machine.query(
      'update runs set cost_micros = 12500, cost_partial = true, input_tokens = 7, cache_read_tokens = 5 where id = $1',
      [run.id],
    );
    const [row] = await machine.query<{ created_at: Date }>('select created_at from runs where id = $1', [run.id]);

    const { snapshot, stored } = await snapshotOf(run.id);
    const presented = presentRun(runOfSnapshot(snapshot), null);
    expect(presented).toMatchObject({
      id: run.id,
      agent: machine.agentId,
      agent_name: expect.any(String),
      waiting: { for: 'approval', until: expect.any(String) },
      status: 'waiting_approval',
      input: { card: '[redacted]', sum: 9.5 },
      output: null,
      cost: { amount: '0.0125', partial: true },
      usage: {
        input_tokens: 7,
        output_tokens: 0,
        cache_read_tokens: 5,
        cache_write_tokens: 0,
        reasoning_tokens: 0,
      },
      created_at: row!.created_at.toISOString(),
      ended_at: null,
      duration_ms: null,
      approvals: [
        { run: run.id, agent: machine.agentId, request: { card: '[redacted]', amount: 900 }, decided_at: null },
      ],
    });
    expect(stored).not.toContain('$sealed');
    expect(stored.length).toBeLessThanOrEqual(JSON.stringify(presented).length);
  });

  it('is presented as the run was, whatever has become of its row', async () => {
    const run = await machine.aClaimedRun();
    const { snapshot } = await snapshotOf(run.id);
    await machine.query(`update runs set input = '{"other": 1}' where id = $1`, [run.id]);
    expect(presentRun(runOfSnapshot(snapshot), null).input).toEqual(run.input);
  });
});
