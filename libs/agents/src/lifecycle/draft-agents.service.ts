import { DomainError, newId } from '@app/kernel';
import { SealedBox } from '@app/platform/crypto';
import { Transactions } from '@app/platform/database';
import { AuditLogService } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { type DescribedDefinition, DefinitionReaderService } from '../definitions/definition-reader.service.js';
import { grantedPlace } from '../definitions/granted-place.js';
import type { DefinitionSource } from '../definitions/submitted-definition.js';
import { AgentVersionRepository } from '../records/agent-version.repository.js';
import { AgentRepository } from '../records/agent.repository.js';
import type { Actor } from './agents.service.js';
import { issueWebhookSecret } from './webhook-secrets.service.js';

/** These agents are not listed, cannot be changed, and are deleted after 24 hours. */
@Injectable()
export class DraftAgentsService {
  constructor(
    private readonly reader: DefinitionReaderService,
    private readonly agents: AgentRepository,
    private readonly versions: AgentVersionRepository,
    private readonly box: SealedBox,
    private readonly transactions: Transactions,
    private readonly audit: AuditLogService,
  ) {}

  /**
   * Asserts that the definition uses nothing that agents are granted one by one: the caller's key is narrowed to
   * agents, and a draft is none of them.
   * @throws DomainError `draft_secret_forbidden`, and the errors of {@link DefinitionReaderService.parse}
   */
  assertUsesNoGrants(source: DefinitionSource): void {
    try {
      const place = grantedPlace(this.reader.parse(source));
      if (!place) return;
      const detail = `An API key that is narrowed to agents cannot run a draft that uses ${place.what}.`;
      throw new DomainError('draft_secret_forbidden', detail, { errors: [{ detail, ...place.at }] });
    } catch (error) {
      throw error instanceof DomainError ? ofDefinition(error, source) : error;
    }
  }

  /**
   * The pointers of errors begin with `/definition`, because this is the place of the definition in a request for a
   * draft run.
   */
  async read(workspaceId: string, source: DefinitionSource): Promise<DescribedDefinition> {
    try {
      const submitted = await this.reader.read(workspaceId, source);
      if (submitted.refusal) throw submitted.refusal;
      return submitted;
    } catch (error) {
      throw error instanceof DomainError ? ofDefinition(error, source) : error;
    }
  }

  /** @param draftKeyId the API key that starts the run, if it is narrowed to agents */
  async create(
    actor: Actor,
    { name, description, labels, record, descriptions }: DescribedDefinition,
    draftKeyId: string | null,
  ): Promise<string> {
    const { workspaceId, email: createdBy } = actor;
    const id = newId('agent');
    // The agent of a draft run needs a webhook secret. No response contains this secret, so the agent receives no
    // webhooks.
    const { hash, sealed } = issueWebhookSecret(this.box, workspaceId, id);
    const secret = { webhookSecretHash: hash, webhookSecret: sealed };
    await this.transactions.run(async (transaction) => {
      await this.agents.insertDraft(
        { id, workspaceId, name, description, labels, project: null, mcpTool: null, draftKeyId, ...secret },
        transaction,
      );
      const version = { agentId: id, workspaceId, version: 1, createdBy, project: null, ...record };
      await this.versions.insert(version, descriptions, transaction);
      const detail = { name, draft: true };
      await this.audit.record(actor, { action: 'agent.create', target: id, detail }, transaction);
    });
    return id;
  }
}

/** The author of a definition in JSON sent an object, in which line numbers mean nothing. */
function ofDefinition(error: DomainError, { format }: DefinitionSource): DomainError {
  const { code, message, extensions, errors, cause } = error;
  const places = errors.map(({ line, column, excerpt, ...place }) => ({
    ...place,
    pointer: `/definition${place.pointer}`,
    ...(format === 'yaml' && { line, column, excerpt }),
  }));
  return new DomainError(code, message, { errors: places, extensions, cause });
}
