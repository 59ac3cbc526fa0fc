import { DomainError } from '@app/kernel';
import { EgressClient, EgressError } from '@app/platform/egress';
import { WorkspaceStore } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { stoppedDelivery } from './event-refusal.js';

const READ_BYTES = 4_096;
const TIMEOUT_MS = 10_000;
const SNS_HOST = /^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/;

@Injectable()
export class WebhookConfirmationsService {
  constructor(
    private readonly egress: EgressClient,
    private readonly workspaces: WorkspaceStore,
  ) {}

  /**
   * A sender must not make the service call any address, so the URL must belong to SNS, or to an address in
   * EGRESS_ALLOW that emulates SNS.
   * @throws DomainError `invalid_request` for another URL, `workspace_stopped`, and `unavailable` if SNS does not
   * confirm; SNS then repeats its message
   */
  async confirm(workspaceId: string, url: string): Promise<void> {
    if (!(await this.isOfSns(url))) {
      const detail =
        '`SubscribeURL` is not an address of Amazon SNS. Subscribe the address of the webhook to a topic of SNS.';
      throw new DomainError('invalid_request', detail, { errors: [{ pointer: '/SubscribeURL', detail }] });
    }
    const { state } = await this.workspaces.get(workspaceId);
    if (state === 'stopped') throw stoppedDelivery();
    const refused = await this.refusal(url);
    if (refused === undefined) return;
    throw new DomainError('unavailable', `The subscription could not be confirmed: ${refused}`, {
      retryAfterSeconds: 20,
    });
  }

  private async isOfSns(text: string): Promise<boolean> {
    const url = URL.parse(text);
    if (url === null || url.username !== '' || url.password !== '') return false;
    if (url.protocol === 'https:' && url.port === '' && SNS_HOST.test(url.hostname)) return true;
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    return this.egress.guard.isListed(url.hostname.replace(/^\[|\]$/g, ''), port);
  }

  /** Returns the reason if the request fails. */
  private async refusal(url: string): Promise<string | undefined> {
    const limits = { timeoutMs: TIMEOUT_MS, headersTimeoutMs: TIMEOUT_MS, maxResponseBytes: READ_BYTES };
    try {
      const { status } = await this.egress.request({ url, ...limits });
      return status >= 200 && status < 300 ? undefined : `SNS answered with status ${status}.`;
    } catch (error) {
      if (error instanceof EgressError) return error.message;
      throw error;
    }
  }
}
