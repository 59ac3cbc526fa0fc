import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, systemClock } from '@app/kernel';
import { escapeIdentifier, escapeLiteral, type Pool, type PoolClient, type QueryResult } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { FIND_TENANT_ROLE } from './tenant-policies.js';

/** Returns the id of the workspace of the current request or job, or undefined outside of a workspace. */
export type TenantOf = () => string | undefined;

const suspended = new AsyncLocalStorage<true>();

/**
 * Each statement in `work` must contain its own condition on the workspace, or only count the rows of all workspaces.
 * Use this function only for statements on workspaces other than that of the request, or with a condition on a field of
 * a JSON value. Under row-level security, Postgres would use no index for such a field, because `->>` is not leakproof.
 */
export function withoutTenantRole<T>(work: () => T): T {
  return suspended.run(true, work);
}

type Obtained = [PoolClient, (error?: Error) => void];

const OPENS = /^(START TRANSACTION|BEGIN)\b/i;
const CLOSES = /^(COMMIT|ROLLBACK)$/i;

/** Interval in milliseconds at which a process that has not found the tenant role looks for it again. */
const LOOK_AGAIN_MILLIS = 5_000;

/**
 * If a statement lacks its workspace condition, it still returns no row of another workspace. {@link Statements} does
 * not use the role, because its statements concern several workspaces or are performance-critical.
 */
export class TenantRole {
  private found: string | undefined;
  private lookedAt = -Infinity;
  private looking: Promise<void> | undefined;

  private constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  get role(): string | undefined {
    return this.found;
  }

  /** If the migrate step has not created the role yet, the process looks for it every few seconds. */
  static async attach(dataSource: DataSource, tenantOf?: TenantOf, clock: Clock = systemClock): Promise<TenantRole> {
    const driver = dataSource.driver as PostgresDriver;
    const tenantRole = new TenantRole(driver.master as Pool, clock);
    if (!tenantOf) return tenantRole;
    await tenantRole.look();
    const obtain = driver.obtainMasterConnection.bind(driver);
    driver.obtainMasterConnection = async () => {
      const workspaceId = suspended.getStore() ? undefined : tenantOf();
      const role = workspaceId === undefined ? undefined : await tenantRole.currentRole();
      const [client, release] = (await obtain()) as Obtained;
      const isRestricted = workspaceId !== undefined && role !== undefined;
      return [isRestricted ? restricted(client, setRole(role, workspaceId)) : client, release];
    };
    return tenantRole;
  }

  private async currentRole(): Promise<string | undefined> {
    const isDue = this.clock.monotonicMillis() - this.lookedAt >= LOOK_AGAIN_MILLIS;
    if (this.found === undefined && (isDue || this.looking)) await (this.looking ??= this.look());
    return this.found;
  }

  /** Uses the pool directly, because obtaining a connection of TypeORM would look for the role as well. */
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

/** The end of the transaction resets both. */
function setRole(role: string, workspaceId: string): string {
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
 * A statement outside of a transaction becomes a transaction of its own. Statements are pipelined, so setting the role
 * costs no round trip. If the role cannot be set, the transaction fails, and Postgres rejects the statement.
 */
function restricted(client: PoolClient, setRoleStatement: string): PoolClient {
  let inTransaction = false;
  const query = async (text: string, values?: unknown[]): Promise<QueryResult> => {
    if (inTransaction) {
      if (CLOSES.test(text)) inTransaction = false;
      return client.query(text, values);
    }
    if (OPENS.test(text)) {
      inTransaction = true;
      return inOrder([client.query(text, values), client.query(setRoleStatement)], 0);
    }
    const opened = client.query(['begin; ', setRoleStatement].join(''));
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

/** If several statements fail, throws the first error, because it caused the others. */
async function inOrder(answers: Promise<QueryResult>[], wanted: number): Promise<QueryResult> {
  const settled = await Promise.allSettled(answers);
  for (const each of settled) if (each.status === 'rejected') throw each.reason;
  return answers[wanted]!;
}
