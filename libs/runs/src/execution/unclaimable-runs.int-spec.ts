import { randomUUID } from 'node:crypto';
import { systemClock } from '@app/kernel';
import { StorageAlarmService } from '@app/platform/database';
import { createLogger } from '@app/platform/observability';
import { MAX_RECOVERIES } from '../store/run.store.js';
import { anIntent, RunMachine } from '../testing/run-machine.js';
import { ActiveRunsService } from './active-runs.service.js';
import { RunClaimsService } from './run-claims.service.js';
import { StatementTimeouts, WorkerLeaseService } from './worker-lease.service.js';

describe('a run whose steps the database cannot read or record in time', () => {
  let machine: RunMachine;
  let lease: WorkerLeaseService;
  let claims: RunClaimsService;

  beforeAll(async () => {
    machine = await RunMachine.create();
    // Postgres reports a time limit with this code. The limit itself takes four seconds.
    await machine.query(`create function fail() returns trigger language plpgsql as $$
      begin raise exception 'the time limit' using errcode = TG_ARGV[0]; end $$`);
    await machine.query(`create trigger fail_claim before update on runs for each row
      when (new.status = 'running' and new.labels @> '{"fails": "timeout"}') execute function fail('57014')`);
    await machine.query(`create trigger fail_size before update on runs for each row
      when (new.status = 'running' and new.labels @> '{"fails": "size"}') execute function fail('54000')`);
    await machine.query(`create trigger fail_step before insert on run_steps for each row
      when (new.path = 'slow') execute function fail('57014')`);
  });

  beforeEach(async () => {
    const active = new ActiveRunsService(systemClock);
    const logger = createLogger({ level: 'fatal', format: 'json', name: 'spec' });
    const config = { leaseMillis: 60_000, heartbeatMillis: 20_000 } as ConstructorParameters<
      typeof WorkerLeaseService
    >[3];
    lease = new WorkerLeaseService(machine.workers, active, systemClock, config, logger);
    await lease.begin();
    claims = new RunClaimsService(machine.store, lease, active, systemClock, new StorageAlarmService(), logger);
  });

  afterEach(() => lease.end());

  afterAll(() => machine.close());

  const row = async (id: string) => {
    const sql = 'select status, recoveries, error, wake_at > clock_timestamp() as deferred from runs where id = $1';
    return (await machine.query<object>(sql, [id]))[0];
  };
  const makeDue = (id: string) => machine.query('update runs set wake_at = clock_timestamp() where id = $1', [id]);

  it.each(['timeout', 'size'])('is deferred and does not block the runs after it (%s)', async (fails) => {
    const poison = await machine.aQueuedRun({ labels: { fails } });
    const next = await machine.aQueuedRun();
    expect(await claims.claimNextRun()).toBeUndefined();
    expect(await row(poison)).toMatchObject({ status: 'queued', recoveries: 1, deferred: true });
    expect((await claims.claimNextRun())?.id).toBe(next);
    await machine.query('delete from runs where id = $1', [poison]);
  });

  it('fails with a cause after several attempts', async () => {
    const poison = await machine.aQueuedRun({ labels: { fails: 'timeout' } });
    await machine.query('update runs set recoveries = $2 where id = $1', [poison, MAX_RECOVERIES]);
    await makeDue(poison);
    expect(await claims.claimRun(poison)).toBeUndefined();
    expect(await row(poison)).toMatchObject({ status: 'failed', error: { code: 'recording_failed', step: null } });
    expect(await machine.stepsOf(poison)).toEqual(['2 error failed']);
  });

  it('is not deferred while it is not due', async () => {
    const run = await machine.aClaimedRun();
    expect(await machine.store.deferUnclaimable(run.id, MAX_RECOVERIES)).toBe('noop');
    expect(await row(run.id)).toMatchObject({ status: 'running', recoveries: 0 });
  });

  it('fails with a cause if the database repeatedly does not record a step', async () => {
    const run = await machine.aClaimedRun();
    let attempts = 0;
    const write = lease.retryWhileHeld(() => {
      attempts += 1;
      return machine.store.advance(run, randomUUID(), { results: [], notes: [], intents: [anIntent('slow')] });
    });
    const error = await write.catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(StatementTimeouts);
    expect(attempts).toBe(10);
    await claims.failRun(run, error);
    expect(await row(run.id)).toMatchObject({ status: 'failed', error: { code: 'recording_failed' } });
  });
});
