import { DomainError } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { Secrets } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import type { DefinitionWarning, SecretUse } from '@app/definition';

/** Whether the secrets that a definition names are there. */
@Injectable()
export class NamedSecrets {
  constructor(private readonly secrets: Secrets) {}

  /**
   * A warning for each mention of a secret that is not there. No mistake: somebody else may write it later, and until
   * then the calls that need it fail as `secret_missing`.
   */
  async warnings(workspaceId: string, uses: readonly SecretUse[]): Promise<DefinitionWarning[]> {
    const names = [...new Set(uses.map((use) => use.name))];
    const missing = await this.secrets.missing(workspaceId, names);
    return uses
      .filter((use) => missing.has(use.name))
      .map(({ name, place }) => ({
        ...place(),
        detail: `There is no secret ${JSON.stringify(name)}: calls that need it fail.`,
        suggestion: remedy(name),
      }));
  }

  /**
   * Keeps a version whose calls would fail out of production.
   * @throws DomainError `unknown_reference` with what is missing
   */
  async require(workspaceId: string, names: readonly string[], transaction: Transaction): Promise<void> {
    const missing = [...(await this.secrets.missing(workspaceId, names, transaction))];
    if (missing.length === 0) return;
    const errors = missing.map((name) => ({
      pointer: '',
      detail: `There is no secret ${JSON.stringify(name)}.`,
      suggestion: remedy(name),
    }));
    const list = missing.map((name) => JSON.stringify(name)).join(', ');
    throw new DomainError('unknown_reference', `The version names secrets that are not there: ${list}.`, { errors });
  }
}

function remedy(name: string): string {
  return `Set it with PUT /v1/secrets/${encodeURIComponent(name)}.`;
}
