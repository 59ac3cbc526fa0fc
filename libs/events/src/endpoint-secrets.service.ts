import { SealedBox, type SealedCell } from '@app/platform/crypto';
import { sealedBytes, type SealedTable } from '@app/platform/resealing';
import { formerSecretCell, sealAsFormer } from '@app/workspace';
import { Injectable } from '@nestjs/common';

/**
 * A rotation moves the current secret to `previous_secret`, and the previous secret from there to the table of former
 * secrets.
 */
const SECRET_COLUMNS = ['secret', 'previous_secret'] as const;
type SecretColumn = (typeof SECRET_COLUMNS)[number];

export interface SecretOwner {
  workspaceId: string;
  endpointId: string;
}

@Injectable()
export class EndpointSecretsService {
  constructor(private readonly box: SealedBox) {}

  seal(secret: string, owner: SecretOwner, column: SecretColumn = 'secret'): Buffer {
    return this.box.seal(secret, endpointSecretCell(owner, column));
  }

  /** @throws DomainError `internal_error` if no key of this installation decrypts the sealed secret */
  open(sealed: Uint8Array, owner: SecretOwner, column: SecretColumn = 'secret'): string {
    return this.box.openText(sealed, endpointSecretCell(owner, column));
  }

  sealAsFormer(previous: Buffer, owner: SecretOwner): Buffer | null {
    return sealAsFormer(this.box, previous, endpointSecretCell(owner, 'previous_secret'), formerSecretOwner(owner));
  }

  /** @throws DomainError `internal_error` if no key of this installation decrypts the sealed secret */
  openFormer(sealed: Uint8Array, owner: SecretOwner): string {
    return this.box.openText(sealed, formerSecretCell(formerSecretOwner(owner)));
  }
}

function formerSecretOwner({ workspaceId, endpointId }: SecretOwner): { workspaceId: string; ownerId: string } {
  return { workspaceId, ownerId: endpointId };
}

function endpointSecretCell({ workspaceId, endpointId }: SecretOwner, column: SecretColumn): SealedCell {
  return { workspace: workspaceId, table: 'webhook_endpoints', column, row: endpointId };
}

export const SEALED_WEBHOOK_TABLES: readonly SealedTable[] = [
  sealedBytes(
    { table: 'webhook_endpoints', key: { id: 'text' }, row: 't.id', columns: SECRET_COLUMNS },
    ({ workspace, row }, column) =>
      endpointSecretCell(
        { workspaceId: workspace, endpointId: row },
        column === 'secret' ? 'secret' : 'previous_secret',
      ),
  ),
];
