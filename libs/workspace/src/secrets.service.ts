import { Clock, DomainError, notFound, type Page, type PageRequest, ReadCache, toPage } from '@app/kernel';
import { SealedBox, type SealedCell } from '@app/platform/crypto';
import { Notifications, type Transaction, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { AuditLogService } from './audit-log.service.js';
import { listKeyOf } from './named-rows.repository.js';
import type { Principal } from './principal.js';
import { type ListedSecret, SecretRepository } from './secret.repository.js';

export type { ListedSecret } from './secret.repository.js';

/** Matches the names that a definition can use after `secrets.`. */
const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const MAX_SECRET_BYTES = 64 * 1024;

/** NOTIFY channel for replaced and deleted secrets. Listeners call {@link SecretsService.invalidateCached}. */
export const SECRET_CHANGED = 'secret_changed';

// A cached value is read again after this time. If a process misses the notification of a change, it uses the old value
// for at most 5 s, or 10 s if the read is slow.
const MAX_AGE_MILLIS = 5_000;
const MAX_CACHED_SECRETS = 1_000;

/** People write secrets, tools and connectors read them, and no route returns a value. */
@Injectable()
export class SecretsService {
  private readonly opened: ReadCache<{ value: string }>;

  constructor(
    private readonly transactions: Transactions,
    private readonly secrets: SecretRepository,
    private readonly box: SealedBox,
    private readonly audit: AuditLogService,
    private readonly notifications: Notifications,
    clock: Clock,
  ) {
    this.opened = new ReadCache({ limit: MAX_CACHED_SECRETS, maxAgeMillis: MAX_AGE_MILLIS, clock });
  }

  /**
   * Tool calls and connectors use the new value within 10 seconds, usually at once.
   * @throws DomainError `invalid_request` for an invalid name, or for a value that is empty or larger than 64 KiB
   */
  async put(actor: Principal, name: string, value: string): Promise<void> {
    if (!SECRET_NAME.test(name)) {
      throw refusal('name', 'A name has 1 to 128 letters, digits and underscores and does not begin with a digit.');
    }
    const bytes = Buffer.byteLength(value);
    if (bytes < 1 || bytes > MAX_SECRET_BYTES) {
      throw refusal('/value', `The value of a secret must be between 1 byte and ${MAX_SECRET_BYTES / 1024} KiB long.`);
    }
    const { workspaceId, email: updatedBy } = actor;
    const sealed = this.box.seal(value, secretCell(workspaceId, name));
    await this.transactions.run(async (transaction) => {
      const isNew = await this.secrets.put({ workspaceId, name, value: sealed, updatedBy }, transaction);
      const action = isNew ? 'secret.create' : 'secret.update';
      await this.audit.record(actor, { action, target: name, detail: {} }, transaction);
    });
    await this.announce(keyOf(workspaceId, name));
  }

  async list(workspaceId: string, page: PageRequest): Promise<Page<ListedSecret>> {
    const rows = await this.secrets.page(workspaceId, page);
    return toPage(
      rows.map((secret) => ({ ...secret, id: listKeyOf(secret) })),
      page.limit,
    );
  }

  /**
   * Tool calls that need the secret fail with `secret_missing` within 10 seconds, usually at once.
   * @throws DomainError `not_found`
   */
  async delete(actor: Principal, name: string): Promise<void> {
    if (!SECRET_NAME.test(name)) throw notFound('secret', name);
    await this.transactions.run(async (transaction) => {
      if (!(await this.secrets.delete(actor.workspaceId, name, transaction))) throw notFound('secret', name);
      await this.audit.record(actor, { action: 'secret.delete', target: name, detail: {} }, transaction);
    });
    await this.announce(keyOf(actor.workspaceId, name));
  }

  async missing(
    workspaceId: string,
    names: readonly string[],
    transaction?: Transaction,
  ): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const known = await this.secrets.known(workspaceId, names, transaction);
    return new Set(names.filter((name) => !known.has(name)));
  }

  /**
   * Cached values are at most 5 seconds old. Callers may only send a value to its destination. They must never store
   * it, log it or return it in the API.
   * @throws DomainError `unavailable`, `internal_error` if no encryption key of this installation decrypts a value
   */
  async values(workspaceId: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const read = async (name: string): Promise<void> => {
      const opened = await this.opened.get(keyOf(workspaceId, name), () => this.open(workspaceId, name));
      if (opened) found.set(name, opened.value);
    };
    await Promise.all(names.map(read));
    return found;
  }

  invalidateCached(key: string): void {
    this.opened.invalidate(key);
  }

  /** The notification may be lost. An error while sending it is ignored, because the change is already committed. */
  private async announce(key: string): Promise<void> {
    this.invalidateCached(key);
    await this.notifications.send(SECRET_CHANGED, key).catch(() => undefined);
  }

  private async open(workspaceId: string, name: string): Promise<{ value: string } | undefined> {
    const sealed = await this.secrets.findValue(workspaceId, name);
    return sealed && { value: this.box.openText(sealed, secretCell(workspaceId, name)) };
  }
}

/** The database field of a secret's value. In any other field, the encrypted value cannot be decrypted. */
export function secretCell(workspace: string, name: string): SealedCell {
  return { workspace, table: 'secrets', column: 'value', row: name };
}

function keyOf(workspaceId: string, name: string): string {
  return `${workspaceId}/${name}`;
}

function refusal(pointer: string, detail: string): DomainError {
  return new DomainError('invalid_request', detail, { errors: [{ pointer, detail }] });
}
