import { Client } from 'pg';

const ANNOUNCE = `
  create function bench_announce() returns trigger language plpgsql as $$
    begin perform pg_notify('bench_events', new.type || ' ' || new.run_id); return null; end $$;
  create trigger bench_announce after insert on events for each row execute function bench_announce()`;
const ANNOUNCE_NO_MORE = 'drop trigger bench_announce on events; drop function bench_announce()';

/**
 * Reports events of runs when they are committed. The database notifies this class, because polling would add load and
 * increase the figures.
 */
export class RunEvents {
  private readonly heard = new Map<string, number>();
  private readonly awaited = new Map<string, (at: number) => void>();

  private constructor(private readonly client: Client) {
    // If the benchmark is interrupted, the server closes the connection. Without a listener, this error would end the
    // process.
    client.on('error', () => undefined);
    client.on('notification', ({ payload = '' }) => {
      const at = performance.now();
      const waiting = this.awaited.get(payload);
      if (waiting) waiting(at);
      else this.heard.set(payload, at);
      this.awaited.delete(payload);
    });
  }

  static async listen(databaseUrl: string): Promise<RunEvents> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(ANNOUNCE);
    await client.query('listen bench_events');
    return new RunEvents(client);
  }

  async of(runId: string, type: 'run.completed' | 'run.approval_requested'): Promise<number> {
    const key = `${type} ${runId}`;
    const at = this.heard.get(key);
    this.heard.delete(key);
    return at ?? new Promise((resolve) => this.awaited.set(key, resolve));
  }

  async close(): Promise<void> {
    await this.client.query(ANNOUNCE_NO_MORE);
    await this.client.end();
  }
}
