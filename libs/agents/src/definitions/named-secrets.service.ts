import { DomainError } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { SecretsService } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import type { DefinitionWarning, SecretUse } from '@app/definition';

@Injectable()
export class NamedSecretsService {
  constructor(private readonly secrets: SecretsService) {}

  /** Until then, calls that need the secret fail with `secret_missing`. */
  async warnings(workspaceId: string, uses: readonly SecretUse[]): Promise<DefinitionWarning[]> {
    const names = [...new Set(uses.map((use) => use.name))];
    const missing = await this.secrets.missing(workspaceId, names);
    return uses
      .filter((use) => missing.has(use.name))
      .map(({ name, place }) => ({
        ...place(),
        detail: `There is no secret ${JSON.stringify(name)}, so calls that need it fail.`,
        suggestion: remedy(name),
      }));
  }

  /** @throws DomainError `unknown_reference` with the missing names */
  async require(workspaceId: string, names: readonly string[], transaction: Transaction): Promise<void> {
    const missing = [...(await this.secrets.missing(workspaceId, names, transaction))];
    if (missing.length === 0) return;
    const errors = missing.map((name) => ({
      pointer: '',
      detail: `There is no secret ${JSON.stringify(name)}.`,
      suggestion: remedy(name),
    }));
    const list = missing.map((name) => JSON.stringify(name)).join(', ');
    throw new DomainError('unknown_reference', `The version uses secrets that do not exist: ${list}.`, { errors });
  }
}

function remedy(name: string): string {
  return `Set it with PUT /v1/secrets/${encodeURIComponent(name)}.`;
}
