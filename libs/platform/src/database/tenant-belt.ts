import { AsyncLocalStorage } from 'node:async_hooks';
import { escapeIdentifier, escapeLiteral, type PoolClient, type QueryResult } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { TENANT_ROLE } from './tenant-policies.js';

/** The workspace that the present work belongs to, where it belongs to one. */
export type TenantOf = () => string | undefined;

const takenOff = new AsyncLocalStorage<true>();

/**
 * Runs `work` without the belt. For conditions on a member of a JSON value, which Postgres lets no index answer before it has
 * checked each row's workspace: `->>` is not leakproof. The workspace has to stand in the statement, as it always has to.
 */
export function withoutBelt<T>(work: () => T): T {
  return takenOff.run(true, work);
}

type Obtained = [PoolClient, (error?: Error) => void];

const OPENS = /^(START TRANSACTION|BEGIN)\b/i;
const CLOSES = /^(COMMIT|ROLLBACK)$/i;

/**
 * The second belt: whatever repositories ask for a workspace is asked by a role that Postgres lets see that workspace alone
 * (tenant-policies.ts), so that a condition which somebody forgot shows nothing. Statements of the service itself
 * ({@link Statements}) are not held back: they serve no single workspace, or are the hot path.
 */
export class TenantBelt {
  private constructor(
    /** Undefined: this database has no such role, and the belt is not on. */
    readonly role: string | undefined,
  ) {}

  /** From now on every statement of TypeORM that belongs to a workspace wears the belt. */
  static async fasten(dataSource: DataSource, tenantOf?: TenantOf): Promise<TenantBelt> {
    if (!tenantOf) return new TenantBelt(undefined);
    const [found] = await dataSource.query<{ role: string }[]>(TENANT_ROLE);
    if (!found) return new TenantBelt(undefined);
    const driver = dataSource.driver as PostgresDriver;
    const obtain = driver.obtainMasterConnection.bind(driver);
    driver.obtainMasterConnection = async () => {
      const workspaceId = takenOff.getStore() ? undefined : tenantOf();
      const [client, release] = (await obtain()) as Obtained;
      return [workspaceId === undefined ? client : belted(client, beltFor(found.role, workspaceId)), release];
    };
    return new TenantBelt(found.role);
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
