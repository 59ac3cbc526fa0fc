import { fileURLToPath } from 'node:url';
import { isolatedEnvironment } from '@app/platform/config';
import type { HostGuard } from '@app/platform/egress';
import { ConfinedProcess, type ConfinedProgram, ProcessEnded, SandboxFailure } from '@app/platform/sandbox';
import { SQL_LIMITS, type SqlLimits } from './sql-limits.js';
import type { BatchesRequest, OpenRequest, RowsRequest } from './sql-process.js';
import { type SqlKind, sqlTarget } from './sql-target.js';
import { TableReadError, type TableReader, type TableReadFailure, type TableRow } from './table-reader.js';

export interface ReaderSettings extends SqlLimits, ConfinedProgram {}

const SETTINGS: ReaderSettings = {
  ...SQL_LIMITS,
  heapMegabytes: 512,
  memoryMegabytes: 1_024,
  blockedMillis: 10_000,
  program: fileURLToPath(new URL('./sql-process.js', import.meta.url)),
};

const GRACE_MILLIS = 15_000;

const NAMES: Readonly<Record<SqlKind, string>> = { postgres: 'Postgres', mysql: 'MySQL' };

/**
 * A confined process handles the protocol, so a hostile server can end only that process.
 * @throws TableReadError; EgressError if the guard blocks the host
 */
export async function openReader(
  kind: SqlKind,
  dsn: string,
  guard: HostGuard,
  settings: Partial<ReaderSettings> = {},
): Promise<TableReader> {
  const target = sqlTarget(kind, dsn);
  const [address] = await guard.resolve(target.hostname, target.port);
  const reader = new IsolatedReader(kind, target.hostname, { ...SETTINGS, ...settings });
  await reader.open(dsn, address?.address ?? '');
  return reader;
}

class IsolatedReader implements TableReader {
  private readonly process: ConfinedProcess;

  constructor(
    private readonly kind: SqlKind,
    private readonly hostname: string,
    private readonly settings: ReaderSettings,
  ) {
    this.process = new ConfinedProcess({ ...settings, environment: isolatedEnvironment() });
  }

  async open(dsn: string, address: string): Promise<void> {
    const { connectMillis, statementMillis, maxBytes } = this.settings;
    const limits = { connectMillis, statementMillis, maxBytes };
    try {
      const request: OpenRequest = { kind: this.kind, dsn, address, limits };
      await this.call('open', request, connectMillis);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  async *batches(select: string, size: number, values: readonly unknown[] = []): AsyncGenerator<TableRow[]> {
    const request: BatchesRequest = { select, size, values };
    await this.call('begin', request);
    for (;;) {
      const rows = await this.call<TableRow[] | null>('next', undefined);
      if (rows === null) return;
      yield rows;
    }
  }

  orders(select: string): Promise<boolean> {
    return this.call('orders', select);
  }

  rows(select: string, values: readonly unknown[]): Promise<TableRow[]> {
    const request: RowsRequest = { select, values };
    return this.call('rows', request);
  }

  close(): void {
    this.process.kill();
  }

  private async call<Value>(
    method: string,
    argument: unknown,
    millis: number = this.settings.statementMillis,
  ): Promise<Value> {
    try {
      return await this.process.call<Value>(method, argument, millis + GRACE_MILLIS);
    } catch (error) {
      throw this.explained(error);
    }
  }

  private explained(error: unknown): unknown {
    if (error instanceof ProcessEnded) {
      const what =
        error.reason === 'closed'
          ? `The connection to ${this.hostname} was closed`
          : `The response violates the protocol of ${NAMES[this.kind]}, so the service closed the connection to ${this.hostname}`;
      return new TableReadError('protocol', `${what}. ${error.message}`, { cause: error });
    }
    if (!(error instanceof SandboxFailure)) return error;
    const { reason } = error.details;
    const known = error.name === 'TableReadError' && typeof reason === 'string';
    return new TableReadError(known ? (reason as TableReadFailure) : 'protocol', error.message, { cause: error });
  }
}
