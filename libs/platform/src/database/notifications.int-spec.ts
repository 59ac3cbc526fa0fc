import { getEventListeners } from 'node:events';
import { eventually } from '../../../../test/support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { createDataSource, Notifications, Statements } from './index.js';

const SETTINGS = { poolSize: 2, applicationName: 'bell' };

const END_LISTENERS = {
  name: 'end_listeners',
  text: `select count(pg_terminate_backend(pid))::integer as count from pg_stat_activity
    where datname = current_database() and application_name = 'bell listener'`,
};

/** One who listens to the channel `bell`, and what happened to them. */
class Listener {
  readonly events: string[] = [];
  private readonly closing = new AbortController();
  private readonly listening: Promise<void>;

  constructor(notifications: Notifications) {
    this.listening = notifications.listen(
      {
        handlers: { bell: (payload) => void this.events.push(payload) },
        onHearing: () => void this.events.push('hearing'),
        onDeaf: (cause) => void this.events.push(`deaf: ${cause instanceof Error ? cause.name : ''}`),
      },
      this.closing.signal,
    );
  }

  /** What waits for the end of the listening. */
  get waiters(): number {
    return getEventListeners(this.closing.signal, 'abort').length;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.listening;
  }
}

describe('notifications', () => {
  const databases: TestDatabase[] = [];
  const ends: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  const aDatabase = async (): Promise<{ url: string; statements: Statements }> => {
    const database = await createTestDatabase();
    databases.push(database);
    const source = await createDataSource({ url: database.url, ...SETTINGS }).initialize();
    ends.push(async () => {
      await source.destroy();
      await database.drop();
    });
    return { url: database.url, statements: new Statements(source) };
  };

  const listen = (url: string, statements: Statements): Listener => {
    const listener = new Listener(new Notifications({ url, ...SETTINGS }, statements));
    ends.push(() => listener.close());
    return listener;
  };

  it('arrive, and again after the connection was lost', async () => {
    const { url, statements } = await aDatabase();
    const { events } = listen(url, statements);
    const ring = (payload: string) =>
      statements.query({ name: 'ring', text: `select pg_notify('bell', $1)` }, [payload]);
    await eventually(() => expect(events).toEqual(['hearing']));
    await ring('one');
    await eventually(() => expect(events).toEqual(['hearing', 'one']));

    const ended = await statements.query<{ count: number }>(END_LISTENERS, []);
    expect(ended).toEqual([{ count: 1 }]);
    await eventually(() => expect(events.slice(2)).toEqual([expect.stringMatching(/^deaf/), 'hearing']));
    await ring('two');
    await eventually(() => expect(events.at(-1)).toBe('two'));
  });

  it('leave nothing behind of the connections that were lost', async () => {
    const { url, statements } = await aDatabase();
    const listener = listen(url, statements);
    const heard = (times: number) =>
      eventually(() => expect(listener.events.filter((event) => event === 'hearing')).toHaveLength(times), {
        within: 60_000,
      });
    for (let lost = 0; lost < 4; lost++) {
      await heard(lost + 1);
      await statements.query(END_LISTENERS, []);
    }
    await heard(5);
    expect(listener.waiters).toBeLessThanOrEqual(1);
  });

  it('that never come through are noticed, although the connection works', async () => {
    // What a pooler does that hands the listening session to others: what is sent does not reach who listens.
    const here = await aDatabase();
    const elsewhere = await aDatabase();
    const { events } = listen(here.url, elsewhere.statements);
    await eventually(() => expect(events).toEqual(['deaf: NotificationsSwallowed']));
  });

  it('are tried again while the database is away, with longer and longer pauses', async () => {
    const { statements } = await aDatabase();
    const { events } = listen('postgres://127.0.0.1:1/nowhere', statements);
    await eventually(() => expect(events.length).toBeGreaterThan(2));
    expect(events.length).toBeLessThan(10);
    expect(events).not.toContain('hearing');
  });
});
