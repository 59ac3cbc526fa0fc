import { newId } from '@app/kernel';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { RunMachine } from '../testing/run-machine.js';

describe('the runs of an archived agent', () => {
  let database: TestDatabase;
  let machine: RunMachine;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  beforeEach(async () => {
    machine = await RunMachine.open(database.url);
  });

  afterEach(() => machine.close());

  afterAll(async () => {
    await database.drop();
  });

  const archive = (sweep = '1 minute') =>
    machine.query(
      `update agents set status = 'archived', sweep_until = clock_timestamp() + $2::interval where id = $1`,
      [machine.agentId, sweep],
    );

  const sweeps = async (): Promise<boolean> => {
    const rows = await machine.query('select from agents where id = $1 and sweep_until is not null', [machine.agentId]);
    return rows.length > 0;
  };

  it('are cancelled if no worker has begun them, and continue otherwise', async () => {
    const [queued, held] = [await machine.aQueuedRun(), await machine.aQueuedRun()];
    await machine.query(`update runs set wake_at = 'infinity' where id = $1`, [held]);
    const begun = await machine.aClaimedRun();
    await machine.store.release(begun, []);
    const running = await machine.aClaimedRun();
    await archive();
    await machine.store.cancelRunsOfArchivedAgent(machine.agentId);
    expect(await machine.statusOf(queued)).toBe('cancelled');
    expect(await machine.statusOf(held)).toBe('cancelled');
    expect(await machine.statusOf(begun.id)).toBe('queued');
    expect(await machine.statusOf(running.id)).toBe('running');
    const [row] = await machine.query('select cancel_reason from runs where id = $1', [queued]);
    expect(row).toEqual({ cancel_reason: 'The agent was archived.' });
  });

  it('of other agents are left alone', async () => {
    const run = await machine.aQueuedRun();
    await machine.store.cancelRunsOfArchivedAgent(newId('agent'));
    await machine.store.sweepRunsOfArchivedAgents();
    expect(await machine.statusOf(run)).toBe('queued');
  });

  it('are all cancelled, however many they are', async () => {
    for (let n = 0; n < 250; n++) await machine.aQueuedRun();
    await archive();
    await machine.store.cancelRunsOfArchivedAgent(machine.agentId);
    const left = await machine.query(`select from runs where agent_id = $1 and status <> 'cancelled'`, [
      machine.agentId,
    ]);
    expect(left).toEqual([]);
  });

  it('that were being accepted at that moment are cancelled by a later sweep', async () => {
    await archive();
    await machine.store.cancelRunsOfArchivedAgent(machine.agentId);
    await machine.query(`update agents set status = 'active' where id = $1`, [machine.agentId]);
    const late = await machine.aQueuedRun();
    await archive();
    await machine.store.sweepRunsOfArchivedAgents();
    expect(await machine.statusOf(late)).toBe('cancelled');
    expect(await sweeps()).toBe(true);
    await archive('0 seconds');
    await machine.store.sweepRunsOfArchivedAgents();
    expect(await sweeps()).toBe(false);
  });
});
