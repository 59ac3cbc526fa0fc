import type { SealedBox, SealedCell } from '@app/platform/crypto';
import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

export interface SecretOwner {
  workspaceId: string;
  ownerId: string;
}

/** The next rotation overwrites it there with the secret that is still current. */
export interface DisplacedSecret {
  hash?: Buffer | null;
  sealed?: Buffer | null;
  expiresAt: Date;
}

/** Includes the previous secret in the owner's row, but not the current secret. */
const MAX_FORMER_SECRETS = 5;

const INSERT = `insert into former_secrets (owner_id, workspace_id, n, hash, sealed, expires_at)
  select $1, $2, (select coalesce(max(n), 0) + 1 from former_secrets where owner_id = $1), $3, $4, $5
    where $5::timestamptz > clock_timestamp()`;

const DELETE_EXPIRED = `delete from former_secrets
  where owner_id = $1 and workspace_id = $2
    and (expires_at <= clock_timestamp() or n <= (select max(n) from former_secrets where owner_id = $1) - $3)`;

const DELETE_ALL = 'delete from former_secrets where owner_id = $1 and workspace_id = $2';

/**
 * Stores former keys and secrets, except the one that was replaced last, which is in the owner's row. Each remains
 * valid until the time that was set when it was replaced, even after later rotations. A rotation without grace time
 * deletes all of them.
 */
@Injectable()
export class FormerSecretStore {
  /**
   * Must be called before a rotation writes the owner's row. Stores `displaced`. If there is no grace time, deletes all
   * former secrets instead.
   */
  async rotate(
    owner: SecretOwner,
    displaced: DisplacedSecret | null,
    graceSeconds: number,
    transaction: Transaction,
  ): Promise<void> {
    if (graceSeconds === 0) return this.deleteAll(owner, transaction);
    if (!displaced) return;
    const { ownerId, workspaceId } = owner;
    const { hash = null, sealed = null, expiresAt } = displaced;
    await transaction.manager.query(INSERT, [ownerId, workspaceId, hash, sealed, expiresAt]);
    await transaction.manager.query(DELETE_EXPIRED, [ownerId, workspaceId, MAX_FORMER_SECRETS - 1]);
  }

  async deleteAll({ ownerId, workspaceId }: SecretOwner, { manager }: Transaction): Promise<void> {
    await manager.query(DELETE_ALL, [ownerId, workspaceId]);
  }
}

export function formerSecretCell({ workspaceId, ownerId }: SecretOwner): SealedCell {
  return { workspace: workspaceId, table: 'former_secrets', column: 'sealed', row: ownerId };
}

export function sealAsFormer(box: SealedBox, sealed: Buffer, from: SealedCell, owner: SecretOwner): Buffer | null {
  if (box.sealedBy(sealed) === 'unknown') return null;
  return box.seal(box.open(sealed, from), formerSecretCell(owner));
}
