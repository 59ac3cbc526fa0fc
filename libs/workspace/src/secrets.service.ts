import { Clock, DomainError, notFound, type Page, type PageRequest, ReadCache, toPage } from '@app/kernel';
import { SealedBox, type SealedCell } from '@app/platform/crypto';
import { Notifications, type Transaction, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { AuditLog } from './audit-log.js';
import { listKeyOf } from './named-rows.repository.js';
import type { Principal } from './principal.js';
import { type ListedSecret, SecretRepository } from './secret.repository.js';

export type { ListedSecret } from './secret.repository.js';

/** What a definition can say after `secrets.`. */
const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const LARGEST_SECRET_BYTES = 64 * 1024;

/** Where other processes hear that a secret was replaced or deleted; handlers call {@link Secrets.forget}. */
export const SECRET_CHANGED = 'secret_changed';

// Processes are told of changes. One that has not heard of a change uses the old value no longer than 10 seconds; what is
// left of that is for a slow read.
const MAX_AGE_MILLIS = 5_000;
const KNOWN_SECRETS = 1_000;

/** Named values of a workspace that are written by people and read by tools and connectors only: no route shows one. */
@Injectable()
export class Secrets {
  private readonly opened: ReadCache<{ value: string }>;

  constructor(
    private readonly transactions: Transactions,
    private readonly secrets: SecretRepository,
    private readonly box: SealedBox,
    private readonly audit: AuditLog,
    private readonly notifications: Notifications,
    clock: Clock,
  ) {
    this.opened = new ReadCache({ limit: KNOWN_SECRETS, maxAgeMillis: MAX_AGE_MILLIS, clock });
  }

  /**
   * Creates the secret, or replaces its value; calls use the new value at once, at the latest within 10 seconds.
   * @throws DomainError `invalid_request`: the name, or a value that is empty or beyond 64 KiB
   */
  async put(actor: Principal, name: string, value: string): Promise<void> {
    if (!SECRET_NAME.test(name)) {
      throw refusal('name', 'A name has 1 to 128 letters, digits and underscores and does not begin with a digit.');
    }
    const bytes = Buffer.byteLength(value);
    if (bytes < 1 || bytes > LARGEST_SECRET_BYTES) {
      throw refusal('/value', `A value has 1 byte to ${LARGEST_SECRET_BYTES / 1024} KiB.`);
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

  /** By creation: a new value does not move a secret. */
  async list(workspaceId: string, page: PageRequest): Promise<Page<ListedSecret>> {
    const rows = await this.secrets.page(workspaceId, page);
    return toPage(
      rows.map((secret) => ({ ...secret, id: listKeyOf(secret) })),
      page.limit,
    );
  }

  /**
   * Calls that need the secret fail as `secret_missing` at once, at the latest within 10 seconds.
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

  /** Those of the names that the workspace has no secret for. */
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
   * The values by name, at most 5 seconds old; a name without a secret is left out, and is looked for again by the next
   * call. For whoever sends them where they belong, and nobody else: a value is never stored, logged or answered.
   * @throws DomainError `unavailable`, `internal_error` where a value cannot be opened with this installation's keys
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

  /** The next call that needs the secret reads it again. `key`: what came over {@link SECRET_CHANGED}. */
  forget(key: string): void {
    this.opened.invalidate(key);
  }

  /** After the commit. A hint, which may be lost and must not fail what is done already. */
  private async announce(key: string): Promise<void> {
    this.forget(key);
    await this.notifications.send(SECRET_CHANGED, key).catch(() => undefined);
  }

  private async open(workspaceId: string, name: string): Promise<{ value: string } | undefined> {
    const sealed = await this.secrets.findValue(workspaceId, name);
    return sealed && { value: this.box.openText(sealed, secretCell(workspaceId, name)) };
  }
}

/** The cell that a secret's value is sealed for. */
export function secretCell(workspace: string, name: string): SealedCell {
  return { workspace, table: 'secrets', column: 'value', row: name };
}

function keyOf(workspaceId: string, name: string): string {
  return `${workspaceId}/${name}`;
}

function refusal(pointer: string, detail: string): DomainError {
  return new DomainError('invalid_request', detail, { errors: [{ pointer, detail }] });
}
