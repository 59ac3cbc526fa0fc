import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError, type JsonObject } from '@app/kernel';
import { type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import { extendContext } from '@app/platform/observability';
import {
  type SatisfiedTrigger,
  type WebhookAnswer,
  type WebhookCaller,
  type WebhookDelivery,
  WebhookIntakeService,
} from '@app/triggers';
import { answered } from '../http/answers.js';
import type { ApiRequest } from '../http/request-context.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import { type Addressed, WebhookAuthenticationService } from './webhook-authentication.service.js';
import { parseObjectBody } from '../http/form-body.js';
import { deliveryName } from './webhook-request.js';
import { type ComputedAnswer, WebhookResponsesService } from './webhook-responses.service.js';

/**
 * Reply to a webhook call:
 * - `accepted`: a run was started, the delivery was a repetition, or the trigger filtered the delivery out;
 * - `computed`: the answer that the `respond` of the trigger computed;
 * - `challenge`: the text that Slack expects when it verifies the address.
 */
export type WebhookReply =
  | { kind: 'accepted'; answer: WebhookAnswer }
  | { kind: 'computed'; answer: ComputedAnswer }
  | { kind: 'challenge'; challenge: string };

/** Handles webhook calls. Checks the sender first, then the rate limit, then the content of the body. */
@Injectable()
export class WebhookCallsService {
  constructor(
    private readonly authentication: WebhookAuthenticationService,
    private readonly limits: RequestLimitsService,
    private readonly intake: WebhookIntakeService,
    private readonly responses: WebhookResponsesService,
    @Inject(runIntakeConfig.KEY) private readonly config: RunIntakeConfig,
  ) {}

  /**
   * @throws DomainError `invalid_webhook_secret`, `rate_limited`, `run_failed`, and the errors of {@link
   * parseObjectBody} and {@link WebhookIntakeService.receive}
   */
  async answer(request: ApiRequest, response: Response, addressed: Addressed): Promise<WebhookReply> {
    const { workspaceId, caller, body: bytes } = await this.authentication.authenticate(request, response, addressed);
    extendContext({ workspaceId });
    const called = { workspaceId, ...addressed };
    await this.admit(called, response);
    const body = await parseObjectBody(request, await bytes(), this.config.maxInputBytes);
    const satisfied = satisfiedBy(caller);
    const challenge = slackChallenge(body, satisfied);
    if (challenge !== undefined) return { kind: 'challenge', challenge };
    const answer = await this.intake.receive({ ...called, caller, body, name: deliveryName(request, body, satisfied) });
    answered(response, { replayed: answer.duplicate });
    if (answer.status === 'filtered') return { kind: 'accepted', answer };
    const { agentId } = addressed;
    const computed = await this.responses.answer({ workspaceId, agentId, runId: answer.runId, body }, response);
    return computed ? { kind: 'computed', answer: computed } : { kind: 'accepted', answer };
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

/** Returns the challenge if the call is a signed `url_verification` of Slack. Such a call starts no run. */
function slackChallenge({ type, challenge }: JsonObject, satisfied: readonly SatisfiedTrigger[]): string | undefined {
  const isFromSlack = satisfied.some(({ auth }) => auth.scheme === 'slack');
  return isFromSlack && type === 'url_verification' && typeof challenge === 'string' ? challenge : undefined;
}
