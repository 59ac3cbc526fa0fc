import { RunMachine } from '../../runs/src/testing/run-machine.js';

const HOOK = { id: 'hook', type: 'webhook' };
const INBOX = { id: 'inbox', type: 'email.received', mailbox: 'Refunds@Example.com' };
const MORNING = { id: 'morning', type: 'schedule', cron: '0 7 * * 1-5', timezone: 'Europe/Berlin', catch_up: 'last' };

describe('the triggers of production versions', () => {
  let machine: RunMachine;

  beforeEach(async () => {
    machine = await RunMachine.create();
  });

  afterEach(() => machine.close());

  const promote = (version: number) => machine.query('update agents set production_version = $1', [version]);
  const setStatus = (status: string) => machine.query('update agents set status = $1', [status]);
  const setState = (state: string) => machine.query('update workspaces set state = $1, epoch = epoch + 1', [state]);
  const ids = async () =>
    (await machine.query<{ id: string }>('select id from triggers order by ordinal')).map(({ id }) => id);
  const schedule = async () => {
    const [row] = await machine.query<{ fire_at: Date | null; due: boolean; fresh: boolean }>(
      `select fire_at, due_at is not null as due, active_since > clock_timestamp() - interval '1 minute' as fresh
         from triggers where id = 'morning'`,
    );
    return row;
  };
  const plan = () =>
    machine.query(`update triggers set fire_at = clock_timestamp() + interval '1 hour', due_at = clock_timestamp() + interval '1 hour',
      active_since = clock_timestamp() - interval '1 hour' where id = 'morning'`);

  it('follow the production version in the transaction that changes it, not the latest version', async () => {
    await machine.addVersion(2, { triggers: [HOOK, INBOX, MORNING] });
    expect(await ids()).toEqual([]);
    await promote(2);
    expect(
      await machine.query('select id, type, mailbox, cron, timezone, overlap, catch_up from triggers order by ordinal'),
    ).toEqual([
      { id: 'hook', type: 'webhook', mailbox: null, cron: null, timezone: null, overlap: null, catch_up: null },
      {
        id: 'inbox',
        type: 'email.received',
        mailbox: 'refunds@example.com',
        cron: null,
        timezone: null,
        overlap: null,
        catch_up: null,
      },
      {
        id: 'morning',
        type: 'schedule',
        mailbox: null,
        cron: '0 7 * * 1-5',
        timezone: 'Europe/Berlin',
        overlap: 'skip',
        catch_up: 'last',
      },
    ]);
    await machine.addVersion(3, { triggers: [INBOX] });
    await promote(3);
    expect(await ids()).toEqual(['inbox']);
    await promote(1);
    expect(await ids()).toEqual([]);
  });

  it('keep the next fire time of a schedule that stays what it was', async () => {
    await machine.addVersion(2, { triggers: [MORNING] });
    await promote(2);
    await plan();
    const before = await schedule();
    await machine.addVersion(3, { triggers: [HOOK, { ...MORNING, overlap: 'queue' }] });
    await promote(3);
    expect(await schedule()).toEqual(before);
    await machine.addVersion(4, { triggers: [{ ...MORNING, cron: '0 8 * * *' }] });
    await promote(4);
    expect(await schedule()).toEqual({ fire_at: null, due: true, fresh: true });
  });

  it('are due only while their agent is active', async () => {
    await machine.addVersion(2, { triggers: [MORNING] });
    await promote(2);
    await plan();
    await setStatus('paused');
    expect(await schedule()).toMatchObject({ due: false, fresh: false });
    await machine.addVersion(3, { triggers: [{ ...MORNING, cron: '0 9 * * *' }] });
    await promote(3);
    expect(await schedule()).toMatchObject({ due: false, fire_at: null });
    await setStatus('active');
    expect(await schedule()).toMatchObject({ due: true, fresh: true });
    await setStatus('archived');
    expect(await schedule()).toMatchObject({ due: false });
  });

  it('count what a resume finds overdue as missed, and leave alone what is yet to come', async () => {
    await machine.addVersion(2, { triggers: [MORNING] });
    await promote(2);
    await plan();
    await setState('stopped');
    await setState('active');
    expect(await schedule()).toMatchObject({ due: true, fresh: false });
    await machine.query(`update triggers set fire_at = clock_timestamp() - interval '1 minute', due_at = null`);
    await setState('stopped');
    await setState('active');
    expect(await schedule()).toMatchObject({ due: true, fresh: true });
  });
});
