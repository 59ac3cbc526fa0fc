import { TenantRole } from '@app/platform/database';
import type { Pool } from 'pg';
import { DataSource, type Logger } from 'typeorm';

import type { TestApi } from './api.js';

export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Rows Removed by Filter'?: number;
  /** How often Postgres executed the plan node. 0 if it did not. */
  'Actual Loops': number;
  'Actual Rows': number;
  'Total Cost': number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

/**
 * Matches the URL or the body of a request that filters by a field of a JSON value. The statements of such requests run
 * without row-level security (see docs/security.md).
 */
const WITHOUT_TENANT_ROLE = /\/runs\?.*(error_code|label)=|\/events\?.*agent=|"(error_code|label)":/;

/** Captures the SQL statements of an API request, and explains them (`explain`) with the same parameters. */
export class AskedPlans implements Logger {
  private readonly asked: [string, unknown[]][] = [];
  private readonly role: string;

  constructor(
    private readonly api: TestApi,
    private readonly database: Pool,
  ) {
    const { role } = api.app.get(TenantRole, { strict: false });
    if (role === undefined) throw new Error('Row-level security is not in force.');
    this.role = role;
    api.app.get(DataSource).setOptions({ logger: this, logging: ['query'] });
  }

  logQuery(query: string, parameters: unknown[] = []): void {
    this.asked.push([query, parameters]);
  }

  // TypeORM requires these methods of a logger. They are not needed here.
  logQueryError(): void {}
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
  log(): void {}

  /**
   * Sends a GET request, or a POST request if `sent` is given. Returns the plans of the statements that read `table`.
   * Postgres explains them with the database role of the request, because row-level security can prevent the use of an
   * index. Rejects if the request fails.
   */
  async of(
    table: string,
    path: string,
    tenant: { workspaceId: string; adminKey: string },
    sent?: object,
  ): Promise<PlanNode[]> {
    this.asked.length = 0;
    const method = sent ? 'POST' : 'GET';
    const { status, body } = await this.api.call(method, path, { key: tenant.adminKey, ...(sent && { body: sent }) });
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
    const reading = this.asked.filter(([query]) => new RegExp(`from "?${table}"?\\b`, 'i').test(query));
    if (reading.length === 0) throw new Error(`${method} ${path} reads nothing of ${table}.`);
    const setRole = `set local role "${this.role}"; set local app.workspace_id = '${tenant.workspaceId}'`;
    const client = await this.database.connect();
    try {
      const plans: PlanNode[] = [];
      for (const [query, parameters] of reading) {
        const isUnrestricted = WITHOUT_TENANT_ROLE.test(`${path} ${JSON.stringify(sent)}`);
        await client.query(isUnrestricted ? 'begin' : `begin; ${setRole}`);
        const explain = `explain (analyze, buffers, format json) ${query}`;
        const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain, parameters);
        await client.query('commit');
        plans.push(rows[0]!['QUERY PLAN'][0].Plan);
      }
      return plans;
    } finally {
      client.release();
    }
  }
}
