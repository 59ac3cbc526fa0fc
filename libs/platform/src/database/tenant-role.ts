import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, systemClock } from '@app/kernel';
import { escapeIdentifier, escapeLiteral, type Pool, type PoolClient, type QueryResult } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { FIND_TENANT_ROLE } from './tenant-policies.js';

/** The workspace that the present work belongs to, where it belongs to one. */
export type TenantOf = () => string | undefined;

const takenOff = new AsyncLocalStorage<true>();

/**
 * Runs `work` without the belt. For conditions on a member of a JSON value, which Postgres lets no index answer before it has
 * checked each row's workspace: `->>` is not leakproof. The workspace has to stand in the statement, as it always has to.
 */
export function withoutTenantRole<T>(work: () => T): T {
  return takenOff.run(true, work);
}

type Obtained = [PoolClient, (error?: Error) => void];

const OPENS = /^(START TRANSACTION|BEGIN)\b/i;
const CLOSES = /^(COMMIT|ROLLBACK)$/i;

/** How long a process without the role goes on without looking for it again. */
const LOOK_AGAIN_MILLIS = 5_000;

/**
 * The second belt: whatever repositories ask for a workspace is asked by a role that Postgres lets see that workspace alone
 * (tenant-policies.ts), so that a condition which somebody forgot shows nothing. Statements of the service itself
 * ({@link Statements}) are not held back: they serve no single workspace, or are the hot path.
 */
export class TenantRole {
  private found: string | undefined;
  private lookedAt = -Infinity;
  private looking: Promise<void> | undefined;

  private constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  /** Undefined: this database has no such role that the session may take on, and the belt is not on. */
  get role(): string | undefined {
    return this.found;
  }

  /**
   * From now on every statement of TypeORM that belongs to a workspace wears the belt. Where its role is not there, because the
   * migrate step has yet to make it, it is looked for every few seconds.
   */
  static async attach(dataSource: DataSource, tenantOf?: TenantOf, clock: Clock = systemClock): Promise<TenantRole> {
    const driver = dataSource.driver as PostgresDriver;
    const belt = new TenantRole(driver.master as Pool, clock);
    if (!tenantOf) return belt;
    await belt.look();
    const obtain = driver.obtainMasterConnection.bind(driver);
    driver.obtainMasterConnection = async () => {
      const workspaceId = takenOff.getStore() ? undefined : tenantOf();
      const role = workspaceId === undefined ? undefined : await belt.presentRole();
      const [client, release] = (await obtain()) as Obtained;
      const isBelted = workspaceId !== undefined && role !== undefined;
      return [isBelted ? belted(client, beltFor(role, workspaceId)) : client, release];
    };
    return belt;
  }

  private async presentRole(): Promise<string | undefined> {
    const isDue = this.clock.monotonicMillis() - this.lookedAt >= LOOK_AGAIN_MILLIS;
    if (this.found === undefined && (isDue || this.looking)) await (this.looking ??= this.look());
    return this.found;
  }

  /** Over the pool: what TypeORM asks through would look for the role as well. */
  private async look(): Promise<void> {
    try {
      const { rows } = await this.pool.query<{ role: string }>(FIND_TENANT_ROLE);
      this.found = rows[0]?.role;
    } finally {
      this.lookedAt = this.clock.monotonicMillis();
      this.looking = undefined;
    }
  }
}

/** Ends with the transaction, whatever becomes of it: the next user of the connection finds nothing of it. */
function beltFor(role: string, workspaceId: string): string {
  const setting = escapeLiteral(workspaceId);
  return [
    'set local role ',
    escapeIdentifier(role),
    `; select set_config('app.workspace_id', `,
    setting,
    ', true)',
  ].join('');
}

/**
 * The connection as TypeORM uses it. A statement by itself becomes a transaction of its own. Whatever is sent goes in one packet
 * (the pool pipelines), so none of this costs a round trip; where the belt cannot be put on, its transaction has failed by the
 * time the statement comes, which is refused.
 */
function belted(client: PoolClient, belt: string): PoolClient {
  let inTransaction = false;
  const query = async (text: string, values?: unknown[]): Promise<QueryResult> => {
    if (inTransaction) {
      if (CLOSES.test(text)) inTransaction = false;
      return client.query(text, values);
    }
    if (OPENS.test(text)) {
      inTransaction = true;
      return inOrder([client.query(text, values), client.query(belt)], 0);
    }
    const opened = client.query(['begin; ', belt].join(''));
    return inOrder([opened, client.query(text, values), client.query('commit')], 1);
  };
  return new Proxy(client, {
    get: (target, name) => {
      if (name === 'query') return query;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

/** The answer at `wanted`, when all are there; else the first failure, which is the cause of those behind it. */
async function inOrder(answers: Promise<QueryResult>[], wanted: number): Promise<QueryResult> {
  const settled = await Promise.allSettled(answers);
  for (const each of settled) if (each.status === 'rejected') throw each.reason;
  return answers[wanted]!;
}
