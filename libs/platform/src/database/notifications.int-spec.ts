import { getEventListeners } from 'node:events';
import { eventually } from '../../../../test/support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { createDataSource, Notifications, Statements } from './index.js';

const SETTINGS = { poolSize: 2, applicationName: 'notifications-test' };

const END_LISTENERS = {
  name: 'end_listeners',
  text: `select count(pg_terminate_backend(pid))::integer as count from pg_stat_activity
    where datname = current_database() and application_name = 'notifications-test listener'`,
};

class Listener {
  readonly events: string[] = [];
  private readonly closing = new AbortController();
  private readonly listening: Promise<void>;

  constructor(notifications: Notifications) {
    this.listening = notifications.listen(
      {
        handlers: { test_channel: (payload) => void this.events.push(payload) },
        onConnected: () => void this.events.push('connected'),
        onDisconnected: (cause) => void this.events.push(`disconnected: ${cause instanceof Error ? cause.name : ''}`),
      },
      this.closing.signal,
    );
  }

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

  it('arrive, also after the connection was lost', async () => {
    const { url, statements } = await aDatabase();
    const { events } = listen(url, statements);
    const notify = (payload: string) =>
      statements.query({ name: 'notify', text: `select pg_notify('test_channel', $1)` }, [payload]);
    await eventually(() => expect(events).toEqual(['connected']));
    await notify('one');
    await eventually(() => expect(events).toEqual(['connected', 'one']));

    const ended = await statements.query<{ count: number }>(END_LISTENERS, []);
    expect(ended).toEqual([{ count: 1 }]);
    await eventually(() => expect(events.slice(2)).toEqual([expect.stringMatching(/^disconnected/), 'connected']));
    await notify('two');
    await eventually(() => expect(events.at(-1)).toBe('two'));
  });

  it('remove the listeners of connections that were lost', async () => {
    const { url, statements } = await aDatabase();
    const listener = listen(url, statements);
    const heard = (times: number) =>
      eventually(() => expect(listener.events.filter((event) => event === 'connected')).toHaveLength(times), {
        within: 60_000,
      });
    for (let lost = 0; lost < 4; lost++) {
      await heard(lost + 1);
      await statements.query(END_LISTENERS, []);
    }
    await heard(5);
    expect(listener.waiters).toBeLessThanOrEqual(1);
  });

  it('that never arrive are noticed, although the connection works', async () => {
    // The test sends notifications to another database, so they do not reach the listening session. A pooler in
    // transaction mode has the same effect.
    const here = await aDatabase();
    const elsewhere = await aDatabase();
    const { events } = listen(here.url, elsewhere.statements);
    await eventually(() => expect(events).toEqual(['disconnected: NotificationsSwallowed']));
  });

  it('are tried again while the database is away, with longer and longer pauses', async () => {
    const { statements } = await aDatabase();
    const { events } = listen('postgres://127.0.0.1:1/nowhere', statements);
    await eventually(() => expect(events.length).toBeGreaterThan(2));
    expect(events.length).toBeLessThan(10);
    expect(events).not.toContain('connected');
  });
});
