import { randomUUID } from 'node:crypto';
import { systemClock } from '@app/kernel';
import { Client } from 'pg';
import type { ConnectionSettings } from './service-pool.js';
import type { Statement, Statements } from './statements.js';

export interface Listening {
  /** A handler receives the payload of every notification of its channel and must not throw. */
  handlers: Readonly<Record<string, (payload: string) => void>>;
  /** Notifications that were sent earlier may be lost. */
  onConnected: () => void;
  /** Notifications are lost until `onConnected` is called again. */
  onDisconnected: (cause: unknown) => void;
}

/** Each further pause is twice as long, up to `MAX_PAUSE`. */
const FIRST_PAUSE = 100;
const MAX_PAUSE = 5_000;
/** Pause in milliseconds before reconnecting, if the last connection delivered no notifications. */
const PAUSE_WHEN_SWALLOWED = 60_000;
/** Time in milliseconds within which a new connection must deliver a test notification. */
const ECHO_WITHIN = 2_000;
/** Time in milliseconds between two statements that check whether the connection still works. */
const HEARTBEAT_EVERY = 15_000;

const NOTIFY: Statement = { name: 'database_notify', text: 'select pg_notify($1, $2)' };

class NotificationsSwallowed extends Error {
  override readonly name = 'NotificationsSwallowed';
}

/** Postgres drops notifications for a process that is not connected, so no code may depend on their arrival. */
export class Notifications {
  constructor(
    private readonly settings: ConnectionSettings,
    private readonly statements: Statements,
  ) {}

  /** The payload must be shorter than 8 000 bytes. */
  async send(channel: string, payload: string): Promise<void> {
    await this.statements.query(NOTIFY, [channel, payload]);
  }

  /** Never rejects. */
  async listen(listening: Listening, signal: AbortSignal): Promise<void> {
    let pause = FIRST_PAUSE;
    const isOver = () => signal.aborted;
    while (!isOver()) {
      try {
        await this.hear(listening, signal, () => {
          pause = FIRST_PAUSE;
          listening.onConnected();
        });
      } catch (error) {
        if (isOver()) return;
        listening.onDisconnected(error);
        const swallowed = error instanceof NotificationsSwallowed;
        await systemClock.sleep(swallowed ? PAUSE_WHEN_SWALLOWED : pause, signal);
        pause = Math.min(pause * 2, MAX_PAUSE);
      }
    }
  }

  private async hear({ handlers }: Listening, signal: AbortSignal, onHearing: () => void): Promise<void> {
    const client = new Client({
      connectionString: this.settings.url,
      application_name: `${this.settings.applicationName} listener`,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
    });
    const broken = new Promise<never>((_, reject) => {
      client.once('error', reject);
      client.once('end', () => reject(new Error('The listening connection was closed.')));
    });
    broken.catch(() => undefined);
    const over = new AbortController();
    try {
      await Promise.race([client.connect(), broken]);
      client.on('notification', ({ channel, payload = '' }) => handlers[channel]?.(payload));
      for (const channel of Object.keys(handlers)) await subscribe(client, channel);
      await Promise.race([this.echo(client), broken]);
      onHearing();
      await Promise.race([sendHeartbeats(client, AbortSignal.any([signal, over.signal])), broken]);
    } finally {
      // Without this call, the heartbeat timer of a lost connection would run until the signal aborts.
      over.abort();
      // The first listener handles only one 'error' event. Another 'error' during the close would end the process.
      client.on('error', () => undefined);
      await client.end().catch(() => undefined);
    }
  }

  private async echo(client: Client): Promise<void> {
    const channel = `echo_${randomUUID()}`;
    const arrived = new AbortController();
    client.on('notification', (message) => {
      if (message.channel === channel) arrived.abort();
    });
    await subscribe(client, channel);
    await this.statements.query(NOTIFY, [channel, '']);
    await systemClock.sleep(ECHO_WITHIN, arrived.signal);
    if (!arrived.signal.aborted)
      throw new NotificationsSwallowed('Notifications are not delivered to a listening connection.');
  }
}

/** LISTEN accepts no parameters, so the statement contains the quoted name of the channel. */
async function subscribe(client: Client, channel: string): Promise<void> {
  const statement = `listen ${client.escapeIdentifier(channel)}`;
  await client.query(statement);
}

/** If the connection was lost without an error, rejects at the next heartbeat. */
async function sendHeartbeats(client: Client, signal: AbortSignal): Promise<void> {
  for (;;) {
    await systemClock.sleep(HEARTBEAT_EVERY, signal);
    if (signal.aborted) return;
    await client.query('select 1');
  }
}
