import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError, type JsonObject, type JsonValue } from '@app/kernel';
import { extendContext } from '@app/platform/observability';
import {
  type SatisfiedTrigger,
  type WebhookAnswer,
  type WebhookCaller,
  WebhookConfirmationsService,
  type WebhookDelivery,
  webhookHandshake,
  WebhookIntakeService,
} from '@app/triggers';
import { answered } from '../http/answers.js';
import type { ApiRequest } from '../http/request-context.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import { type ReceivedBody, SentBodiesService } from '../http/sent-bodies.service.js';
import {
  type Addressed,
  type AuthenticatedCall,
  WebhookAuthenticationService,
} from './webhook-authentication.service.js';
import { deliveryName } from './webhook-request.js';
import { type ComputedAnswer, WebhookResponsesService } from './webhook-responses.service.js';

/**
 * Reply to a webhook call:
 * - `accepted`: a run was started, the delivery was a repetition, or the trigger filtered the delivery out;
 * - `computed`: the answer that the `respond` of the trigger computed;
 * - `verified`: the object that the sender expects when it verifies the address.
 */
export type WebhookReply =
  | { kind: 'accepted'; answer: WebhookAnswer }
  | { kind: 'computed'; answer: ComputedAnswer }
  | { kind: 'verified'; body: JsonObject };

function noEvent(reason: string): WebhookReply {
  return { kind: 'accepted', answer: { status: 'filtered', reason, duplicate: false } };
}

/** Handles webhook calls. Checks the sender first, then the rate limit, then the content of the body. */
@Injectable()
export class WebhookCallsService {
  constructor(
    private readonly authentication: WebhookAuthenticationService,
    private readonly limits: RequestLimitsService,
    private readonly intake: WebhookIntakeService,
    private readonly confirmations: WebhookConfirmationsService,
    private readonly responses: WebhookResponsesService,
    private readonly bodies: SentBodiesService,
  ) {}

  /**
   * @throws DomainError `invalid_webhook_secret`, `rate_limited`, `run_failed`, and the errors of {@link
   * SentBodiesService} and {@link WebhookIntakeService.receive}
   */
  async answer(request: ApiRequest, response: Response, addressed: Addressed): Promise<WebhookReply> {
    const call = await this.authentication.authenticate(request, response, addressed);
    const { workspaceId, bytes } = call;
    extendContext({ workspaceId });
    await this.admit({ workspaceId, ...addressed }, response);
    const sent = { request, bytes, workspaceId, source: { type: 'form' } } as const;
    const { reply, body } = await this.bodies.receive(sent, async (received) => ({
      reply: await this.receive(request, addressed, call, received),
      body: received.body,
    }));
    if (reply.kind !== 'accepted') return reply;
    const { answer } = reply;
    answered(response, { replayed: answer.duplicate });
    if (answer.status === 'filtered') return reply;
    const { agentId } = addressed;
    const computed = await this.responses.answer({ workspaceId, agentId, runId: answer.runId, body }, response);
    return computed ? { kind: 'computed', answer: computed } : reply;
  }

  private async receive(
    request: ApiRequest,
    addressed: Addressed,
    { workspaceId, caller }: AuthenticatedCall,
    { body, files, comparable }: ReceivedBody,
  ): Promise<WebhookReply> {
    const satisfied = satisfiedBy(caller);
    const verified = await this.verify(request, workspaceId, body, satisfied);
    if (verified) return verified;
    const name = deliveryName(request, body, satisfied);
    const answer = await this.intake.receive({ workspaceId, ...addressed, caller, body, files, comparable, name });
    return { kind: 'accepted', answer };
  }

  /** Handles a call with which a sender verifies the address. Returns undefined for any other call. */
  private async verify(
    { headers }: ApiRequest,
    workspaceId: string,
    body: JsonValue,
    satisfied: readonly SatisfiedTrigger[],
  ): Promise<WebhookReply | undefined> {
    const handshake = webhookHandshake(headers, body, satisfied);
    switch (handshake?.kind) {
      case undefined:
        return undefined;
      case 'answer':
        return { kind: 'verified', body: handshake.body };
      case 'confirm':
        await this.confirmations.confirm(workspaceId, handshake.url);
        return noEvent('The subscription is confirmed. The message starts no run.');
      case 'ended':
        return noEvent('The message says that a subscription ended. It starts no run.');
    }
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
}

function satisfiedBy(caller: WebhookCaller): readonly SatisfiedTrigger[] {
  return 'satisfied' in caller ? caller.satisfied : [];
}
