import { invalidWebhookSecret, type WebhookProof, WebhookSecretsService } from '@app/agents';
import { DomainError } from '@app/kernel';
import { type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import { type WebhookCaller, WebhookSendersService } from '@app/triggers';
import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { readBytes } from '../http/request-body.js';
import { isMultipart } from '../http/sent-bodies.service.js';
import type { ApiRequest } from '../http/request-context.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import { ownSignature } from './webhook-request.js';

/** A webhook call whose sender is authenticated. */
export interface AuthenticatedCall {
  workspaceId: string;
  caller: WebhookCaller;
  /** The body, if it was read to check the sender. */
  bytes: Buffer | undefined;
}

/** The called agent, and the trigger that the sender selected, if any. */
export interface Addressed {
  agentId: string;
  trigger?: string | undefined;
}

type Found = Pick<AuthenticatedCall, 'workspaceId' | 'caller'>;

/**
 * Determines which triggers the sender of a webhook call may reach. A sender that knows the agent's secret may reach
 * every trigger. Any other sender may reach the triggers whose `auth` it satisfies. Every failure has the same
 * response.
 */
@Injectable()
export class WebhookAuthenticationService {
  constructor(
    private readonly secrets: WebhookSecretsService,
    private readonly senders: WebhookSendersService,
    private readonly limits: RequestLimitsService,
    @Inject(runIntakeConfig.KEY) private readonly config: RunIntakeConfig,
  ) {}

  /**
   * @throws DomainError `invalid_webhook_secret`, `rate_limited`. If a signature must be checked, also the errors of
   * {@link readBytes}.
   */
  async authenticate(request: ApiRequest, response: Response, addressed: Addressed): Promise<AuthenticatedCall> {
    let read: Promise<Buffer> | undefined;
    const body = (): Promise<Buffer> => (read ??= readBytes(request, this.config.maxInputBytes));
    const found = (await this.byOwnSecret(request, addressed, body)) ?? (await this.bySender(request, addressed, body));
    if (found) return { ...found, bytes: await read };
    await this.limits.refuse(request, response);
    throw invalidWebhookSecret();
  }

  /** Checks the token with which Meta verifies the address. @throws DomainError `invalid_webhook_secret` */
  async verifyMeta(request: ApiRequest, response: Response, addressed: Addressed, token: string): Promise<void> {
    const workspaceId = await this.secrets.workspaceOf(addressed.agentId);
    if (workspaceId !== undefined && (await this.senders.isVerifyToken({ workspaceId, ...addressed }, token))) return;
    await this.limits.refuse(request, response);
    throw invalidWebhookSecret();
  }

  /** Checks a secret in a header without reading the body. Only a signature needs the body. */
  private async byOwnSecret(
    { headers }: ApiRequest,
    { agentId }: Addressed,
    body: () => Promise<Buffer>,
  ): Promise<Found | undefined> {
    const secret = headers['x-service-webhook-secret'];
    if (typeof secret === 'string') return this.proven(agentId, { kind: 'secret', secret });
    const signature = ownSignature(headers);
    if (signature) return this.proven(agentId, { kind: 'signature', signature, body: await body() });
    // A request without a secret or signature is also checked, so that the response takes equally long whether or not
    // the agent exists.
    return this.proven(agentId, { kind: 'secret', secret: '' });
  }

  private async proven(agentId: string, proof: WebhookProof): Promise<Found | undefined> {
    try {
      const { workspaceId, secretHash } = await this.secrets.authenticate(agentId, proof);
      return { workspaceId, caller: { secretHash } };
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') return undefined;
      throw error;
    }
  }

  private async bySender(
    request: ApiRequest,
    addressed: Addressed,
    body: () => Promise<Buffer>,
  ): Promise<Found | undefined> {
    const workspaceId = await this.secrets.workspaceOf(addressed.agentId);
    if (workspaceId === undefined) return undefined;
    const called = { workspaceId, ...addressed };
    if (!(await this.senders.areDeclared(called))) return undefined;
    const { headers, originalUrl: target } = request;
    if (this.isLongForm(request)) {
      const proven = await this.senders.provenByHeaders(called, { headers, target });
      if (proven.length > 0) return { workspaceId, caller: { satisfied: proven } };
    }
    const satisfied = await this.senders.satisfied(called, { headers, target, body: await body() });
    return satisfied.length > 0 ? { workspaceId, caller: { satisfied } } : undefined;
  }

  /** Whether the body is a form that is too large to read before the sender is known. */
  private isLongForm(request: ApiRequest): boolean {
    const { 'content-length': length } = request.headers;
    return isMultipart(request) && (length === undefined || Number(length) > this.config.maxInputBytes);
  }
}
