import { SealedBox, type SealedCell } from '@app/platform/crypto';
import { formerSecretCell, sealedAsFormer } from '@app/workspace';
import { Injectable } from '@nestjs/common';

/**
 * The columns that keep an endpoint's secrets: a secret that is replaced moves from the first to the second, and from
 * there to those that are kept apart until their time is over.
 */
export const SECRET_COLUMNS = ['secret', 'previous_secret'] as const;
type SecretColumn = (typeof SECRET_COLUMNS)[number];

/** The row that a secret is sealed for. */
export interface SecretOwner {
  workspaceId: string;
  endpointId: string;
}

/** Signing secrets at rest. Each is sealed for one column of one row, and opens nowhere else. */
@Injectable()
export class EndpointSecrets {
  constructor(private readonly box: SealedBox) {}

  seal(secret: string, owner: SecretOwner, column: SecretColumn = 'secret'): Buffer {
    return this.box.seal(secret, endpointSecretCell(owner, column));
  }

  /** @throws DomainError `internal_error` where it cannot be opened with this installation's keys */
  open(sealed: Uint8Array, owner: SecretOwner, column: SecretColumn = 'secret'): string {
    return this.box.openText(sealed, endpointSecretCell(owner, column));
  }

  /**
   * The one in the second column, as it is kept once the next one comes there; null where it cannot be opened any more.
   */
  asFormer(previous: Buffer, owner: SecretOwner): Buffer | null {
    return sealedAsFormer(this.box, previous, endpointSecretCell(owner, 'previous_secret'), keptFor(owner));
  }

  /** @throws DomainError `internal_error` where it cannot be opened with this installation's keys */
  openFormer(sealed: Uint8Array, owner: SecretOwner): string {
    return this.box.openText(sealed, formerSecretCell(keptFor(owner)));
  }
}

function keptFor({ workspaceId, endpointId }: SecretOwner): { workspaceId: string; ownerId: string } {
  return { workspaceId, ownerId: endpointId };
}

export function endpointSecretCell({ workspaceId, endpointId }: SecretOwner, column: SecretColumn): SealedCell {
  return { workspace: workspaceId, table: 'webhook_endpoints', column, row: endpointId };
}
