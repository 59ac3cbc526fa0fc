import { SealedBox, type SealedCell } from '@app/platform/crypto';
import { Injectable } from '@nestjs/common';

/** The columns that keep an endpoint's secrets: a secret that is replaced moves from the first to the second. */
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
}

export function endpointSecretCell({ workspaceId, endpointId }: SecretOwner, column: SecretColumn): SealedCell {
  return { workspace: workspaceId, table: 'webhook_endpoints', column, row: endpointId };
}
