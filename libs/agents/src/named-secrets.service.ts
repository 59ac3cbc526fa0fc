import { DomainError } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { Secrets } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import type { SubmittedDefinition } from './submitted-definition.js';

/** Whether the secrets that a definition names are there. */
@Injectable()
export class NamedSecrets {
  constructor(private readonly secrets: Secrets) {}

  /**
   * Refuses what could not make its calls. A secret that is deleted later fails those calls as `secret_missing`.
   * @throws DomainError `unknown_reference` with a place for each mention
   */
  async assertKnown(
    workspaceId: string,
    { secrets: uses }: SubmittedDefinition,
    transaction: Transaction,
  ): Promise<void> {
    const names = [...new Set(uses.map((use) => use.name))];
    const missing = await this.secrets.missing(workspaceId, names, transaction);
    const errors = uses
      .filter((use) => missing.has(use.name))
      .map(({ name, ...place }) => ({
        ...place,
        detail: `There is no secret ${JSON.stringify(name)}.`,
        suggestion: `Set it with PUT /v1/secrets/${encodeURIComponent(name)}.`,
      }));
    const [first] = errors;
    if (!first) return;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : '';
    throw new DomainError('unknown_reference', `${first.detail} ${first.suggestion}${more}`, { errors });
  }
}
