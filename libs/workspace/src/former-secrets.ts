import type { SealedBox, SealedCell } from '@app/platform/crypto';
import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { FormerSecretEntity } from './former-secret.entity.js';

/** The API key, agent or webhook endpoint that a secret is of. */
export interface SecretOwner {
  workspaceId: string;
  ownerId: string;
}

/** What the owner's row has of the secret before the current one, until a rotation puts the current one in its place. */
export interface DisplacedSecret extends Partial<Pick<FormerSecretEntity, 'hash' | 'sealed'>> {
  expiresAt: Date;
}

/** Beside the current one, and with the one in the row of the owner. */
const MOST_FORMER_SECRETS = 5;

const KEEP = `insert into former_secrets (owner_id, workspace_id, n, hash, sealed, expires_at)
  select $1, $2, (select coalesce(max(n), 0) + 1 from former_secrets where owner_id = $1), $3, $4, $5
    where $5::timestamptz > clock_timestamp()`;

const FORGET_OLD = `delete from former_secrets
  where owner_id = $1 and workspace_id = $2
    and (expires_at <= clock_timestamp() or n <= (select max(n) from former_secrets where owner_id = $1) - $3)`;

const FORGET_ALL = 'delete from former_secrets where owner_id = $1 and workspace_id = $2';

/**
 * The keys and secrets from before the last rotation but one. Each is valid until the time that its rotation promised, however
 * often its owner is rotated after that; a rotation without grace ends all of them. Whoever calls holds the owner's lock.
 */
@Injectable()
export class FormerSecrets {
  /** For a rotation, before it writes: keeps the secret that it displaces, as long as that is valid, or ends all that are former. */
  async rotate(
    owner: SecretOwner,
    displaced: DisplacedSecret | null,
    graceSeconds: number,
    transaction: Transaction,
  ): Promise<void> {
    if (graceSeconds === 0) return this.forget(owner, transaction);
    if (!displaced) return;
    const { ownerId, workspaceId } = owner;
    const { hash = null, sealed = null, expiresAt } = displaced;
    await transaction.manager.query(KEEP, [ownerId, workspaceId, hash, sealed, expiresAt]);
    await transaction.manager.query(FORGET_OLD, [ownerId, workspaceId, MOST_FORMER_SECRETS - 1]);
  }

  /** Ends all of them. */
  async forget({ ownerId, workspaceId }: SecretOwner, { manager }: Transaction): Promise<void> {
    await manager.query(FORGET_ALL, [ownerId, workspaceId]);
  }
}

/** What {@link FormerSecretEntity.sealed} is sealed for. */
export function formerSecretCell({ workspaceId, ownerId }: SecretOwner): SealedCell {
  return { workspace: workspaceId, table: 'former_secrets', column: 'sealed', row: ownerId };
}

/** A sealed secret, sealed to be kept here; null where none of the keys opens it, so that nothing could be signed with it anyway. */
export function sealedAsFormer(box: SealedBox, sealed: Buffer, from: SealedCell, owner: SecretOwner): Buffer | null {
  if (box.sealedBy(sealed) === 'unknown') return null;
  return box.seal(box.open(sealed, from), formerSecretCell(owner));
}
