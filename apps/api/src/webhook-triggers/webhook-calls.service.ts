import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type WebhookProof, WebhookSecretsService } from '@app/agents';
import { DomainError } from '@app/kernel';
import { type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import { extendContext } from '@app/platform/observability';
import { type WebhookAnswer, type WebhookDelivery, WebhookIntakeService } from '@app/triggers';
import type { ApiRequest } from '../http/request-context.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import { readDelivery, readProof } from './webhook-request.js';

/** Handles calls of webhook triggers. Checks the secret first, then the rate limit, then the body. */
@Injectable()
export class WebhookCallsService {
  constructor(
    private readonly secrets: WebhookSecretsService,
    private readonly limits: RequestLimitsService,
    private readonly intake: WebhookIntakeService,
    @Inject(runIntakeConfig.KEY) private readonly config: RunIntakeConfig,
  ) {}

  /**
   * @throws DomainError `invalid_webhook_secret`, errors of the body, and the errors of {@link
   * WebhookIntakeService.receive}
   */
  async answer(request: ApiRequest, response: Response, agentId: string, trigger?: string): Promise<WebhookAnswer> {
    const { proof, text } = await readProof(request, this.config.maxInputBytes);
    const { workspaceId, secretHash } = await this.authenticate(request, response, agentId, proof);
    extendContext({ workspaceId });
    await this.admit({ workspaceId, agentId, trigger }, response);
    const { body, name } = await readDelivery(request, text, this.config.maxInputBytes);
    return this.intake.receive({ workspaceId, agentId, secretHash, body, trigger, name });
  }

  private async admit(
    call: Pick<WebhookDelivery, 'workspaceId' | 'agentId' | 'trigger'>,
    response: Response,
  ): Promise<void> {
    try {
      await this.limits.admitTrigger(call.agentId, response);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'rate_limited') await this.intake.turnedAway(call);
      throw error;
    }
  }

  private async authenticate(
    request: ApiRequest,
    response: Response,
    agentId: string,
    proof: WebhookProof,
  ): Promise<{ workspaceId: string; secretHash: Buffer }> {
    try {
      return await this.secrets.authenticate(agentId, proof);
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') await this.limits.refuse(request, response);
      throw error;
    }
  }
}
