import type { JsonObject } from '@app/kernel';
import { Transactions } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { type AuditEntry, AuditLogService } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { recordEvent } from './event.store.js';
import type { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
import { WebhookEndpointRepository } from './webhook-endpoint.repository.js';
import type { DisabledReason } from './webhook-status.js';

const THE_SERVICE = 'service';

@Injectable()
export class FailingEndpointsService {
  /** Its next failure after this time disables it. */
  static readonly MAX_FAILURE_MILLIS = 5 * 24 * 3_600_000;

  constructor(
    private readonly transactions: Transactions,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly audit: AuditLogService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async disableAll(endpoints: readonly { workspaceId: string; endpointId: string }[]): Promise<void> {
    for (const { workspaceId, endpointId } of endpoints) await this.disable(workspaceId, endpointId, 'failing');
  }

  async disable(workspaceId: string, endpointId: string, reason: Exclude<DisabledReason, 'requested'>): Promise<void> {
    await this.transactions.run(async (transaction) => {
      const endpoint = await this.endpoints.find(workspaceId, endpointId, transaction);
      if (!endpoint || !(await this.endpoints.disable(workspaceId, endpointId, reason, transaction))) return;
      const data = failure(endpoint, reason);
      await recordEvent(workspaceId, { type: 'webhook.failing', data }, transaction);
      const entry: AuditEntry = {
        action: 'webhook.disable',
        target: endpointId,
        detail: { reason, url: endpoint.url },
      };
      await this.audit.record({ workspaceId, email: THE_SERVICE }, entry, transaction);
      transaction.afterCommit(() =>
        this.logger.warn({ workspaceId, endpointId, reason }, 'webhooks: endpoint disabled'),
      );
    });
  }
}

function failure({ id, url, failingSince }: WebhookEndpointEntity, reason: DisabledReason): JsonObject {
  return { endpoint: id, url, status: 'disabled', reason, failing_since: failingSince?.toISOString() ?? null };
}
