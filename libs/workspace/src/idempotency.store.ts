import { deserialize, serialize } from 'node:v8';
import { DomainError } from '@app/kernel';
import { type IdempotencyConfig, idempotencyConfig } from './idempotency.config.js';
import { constantTimeEqual, SealedBox, type SealedCell } from '@app/platform/crypto';
import { isLockTimeoutOn, type Transaction, Transactions } from '@app/platform/database';
import { Inject, Injectable } from '@nestjs/common';

export interface IdempotencyClaim {
  endpoint: string;
  key: string;
  fingerprint: Buffer;
}

export interface OnceOnly<T> {
  result: T;
  replayed: boolean;
}

interface StoredRequest {
  fingerprint: Buffer;
  response: Buffer | null;
}

/** The key, the created rows and the response are committed in one transaction. */
@Injectable()
export class IdempotencyStore {
  constructor(
    private readonly transactions: Transactions,
    private readonly box: SealedBox,
    @Inject(idempotencyConfig.KEY) private readonly config: IdempotencyConfig,
  ) {}

  /**
   * Executes `work` in a transaction, or returns the stored result of the first request. The stored result is
   * encrypted, because it may contain a secret that the API returns only once. The result must be a value that can be
   * cloned with the structured clone algorithm.
   * @throws DomainError `idempotency_key_reused` if the first request with the key had another body,
   * `idempotency_in_progress` if the first request is still in progress after the lock timeout
   */
  async runOnce<T>(
    workspaceId: string,
    claim: IdempotencyClaim | undefined,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<OnceOnly<T>> {
    if (!claim) return { result: await this.transactions.run(work), replayed: false };
    const cell = idempotentResponseCell(workspaceId, `${claim.endpoint} ${claim.key}`);
    const once = this.transactions.run(async (transaction) => {
      const stored = await this.reserve(workspaceId, claim, transaction);
      if (stored) return { result: this.openStoredResult<T>(stored, claim, cell), replayed: true };
      const result = await work(transaction);
      await transaction.manager.query(
        'update idempotency_keys set response = $4 where workspace_id = $1 and endpoint = $2 and key = $3',
        [workspaceId, claim.endpoint, claim.key, this.box.seal(serialize(result), cell)],
      );
      return { result, replayed: false };
    });
    return afterEqualRequest('idempotency_keys', once);
  }

  /**
   * Reserves the key for this request and returns undefined. If an equal request is in progress, first waits for this
   * request, up to the lock timeout.
   */
  private async reserve(
    workspaceId: string,
    { endpoint, key, fingerprint }: IdempotencyClaim,
    { manager }: Transaction,
  ): Promise<StoredRequest | undefined> {
    const reserved = await manager.query<unknown[]>(
      `insert into idempotency_keys as k (workspace_id, endpoint, key, fingerprint, resource_id) values ($1, $2, $3, $4, '')
       on conflict on constraint idempotency_keys_pk do update
         set fingerprint = excluded.fingerprint, resource_id = '', response = null, created_at = clock_timestamp()
         where k.created_at <= clock_timestamp() - $5::bigint * interval '1 millisecond'
       returning 1`,
      [workspaceId, endpoint, key, fingerprint, this.config.idempotencyMillis],
    );
    if (reserved.length > 0) return undefined;
    const [stored] = await manager.query<StoredRequest[]>(
      'select fingerprint, response from idempotency_keys where workspace_id = $1 and endpoint = $2 and key = $3',
      [workspaceId, endpoint, key],
    );
    return stored;
  }

  private openStoredResult<T>({ fingerprint, response }: StoredRequest, claim: IdempotencyClaim, cell: SealedCell): T {
    if (!response || !constantTimeEqual(fingerprint, claim.fingerprint)) {
      const detail = 'This Idempotency-Key was used with another body. Use a new key for a new request.';
      throw new DomainError('idempotency_key_reused', detail);
    }
    return deserialize(this.box.open(response, cell)) as T;
  }
}

export function idempotentResponseCell(workspace: string, row: string): SealedCell {
  return { workspace, table: 'idempotency_keys', column: 'response', row };
}

/** @throws DomainError `idempotency_in_progress` if the equal request did not end within the lock timeout */
export async function afterEqualRequest<T>(
  table: 'idempotency_keys' | 'trigger_receipts',
  request: Promise<T>,
): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (!isLockTimeoutOn(error, table)) throw error;
    const detail = 'The first request with this Idempotency-Key is still in progress. Try again shortly.';
    throw new DomainError('idempotency_in_progress', detail, { cause: error, retryAfterSeconds: 1 });
  }
}
