import { getEventListeners } from 'node:events';
import type { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { PostgresTap } from '../../../../test/support/postgres-tap.js';
import { createDataSource, type DueWork, DueWorkService, Statements } from './index.js';

const has = (name: string): DueWork => ({
  name,
  isDue: `exists (select from marks where name = '${name}')`,
});

describe('the question which work is due', () => {
  let database: TestDatabase;
  let tap: PostgresTap;
  let dataSource: DataSource;
  let dueWork: DueWorkService;
  let signal: AbortSignal;
  let abort: () => void;

  beforeAll(async () => {
    database = await createTestDatabase();
    tap = await PostgresTap.open(database.url);
  });

  afterAll(async () => {
    await tap.close();
    await database.drop();
  });

  beforeEach(async () => {
    dataSource = createDataSource({ url: tap.url, poolSize: 1, applicationName: 'due-work-test' });
    await dataSource.initialize();
    await dataSource.query('create temporary table marks (name text)');
    dueWork = new DueWorkService(new Statements(dataSource));
    const controller = new AbortController();
    signal = controller.signal;
    abort = () => controller.abort();
  });

  afterEach(async () => {
    await dueWork.stop();
    await dataSource.destroy();
  });

  const mark = (name: string) => dataSource.query('insert into marks values ($1)', [name]);

  /** Counts the pauses that have ended. */
  const watched = (pause: Promise<void>) => {
    const seen = { ended: 0 };
    void pause.then(() => (seen.ended += 1));
    return seen;
  };

  it('ends the pause of work that is due, and no other pause', async () => {
    const [first, second] = [dueWork.untilDue(has('first')), dueWork.untilDue(has('second'))];
    const waiting = second(signal);
    const other = watched(waiting);
    await mark('first');
    dueWork.start(1);
    for (let n = 0; n < 3; n++) await first(signal);
    expect(other.ended).toBe(0);
    await mark('second');
    await waiting;
  });

  it('is one statement for all kinds, and none while no work waits', async () => {
    const pauses = ['a', 'b', 'c'].map((name) => dueWork.untilDue(has(name)));
    for (const name of ['a', 'b', 'c']) await mark(name);
    tap.roundTrips.length = 0;
    dueWork.start(1);
    const waits = pauses.map((pause) => pause(signal));
    await Promise.all(waits);
    expect(tap.roundTrips.map(({ statement }) => statement)).toEqual(['due_work']);
  });

  it('ends the pause of busy work after each interval', async () => {
    const idle = watched(dueWork.untilDue(has('idle'), () => false)(signal));
    const busy = dueWork.untilDue(has('busy'), () => true);
    dueWork.start(1);
    for (let n = 0; n < 3; n++) await busy(signal);
    expect(idle.ended).toBe(0);
    abort();
  });

  it('ends each pause if the database rejects a condition', async () => {
    const pauses = [
      dueWork.untilDue({ name: 'broken', isDue: 'exists (select from missing)' }),
      dueWork.untilDue(has('no')),
    ];
    dueWork.start(1);
    await Promise.all(pauses.map((pause) => pause(signal)));
  });

  it('ends a pause when its signal aborts, and leaves no listener', async () => {
    const pause = dueWork.untilDue(has('due'));
    const waiting = pause(signal);
    abort();
    await waiting;
    await pause(signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('leaves no listener after work was due', async () => {
    const pause = dueWork.untilDue(has('due'));
    await mark('due');
    dueWork.start(1);
    for (let n = 0; n < 3; n++) await pause(signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
