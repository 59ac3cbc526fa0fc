import { randomUUID } from 'node:crypto';
import { type MailConfig, mailConfig, MailRelay } from '@app/platform/mail';
import { LOGGER, type Logger } from '@app/platform/observability';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { Inject, Injectable } from '@nestjs/common';

const SEND_MILLIS = 20_000;

/** They are plain text without remote content. */
@Injectable()
export class SignInMailsService {
  constructor(
    private readonly relay: MailRelay,
    @Inject(mailConfig.KEY) private readonly mail: MailConfig,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  get isConfigured(): boolean {
    return this.relay.isConfigured;
  }

  /** Without a token, the page offers the available sign-in methods. */
  linkOf(token: string | undefined): string {
    const page = `${this.address.publicUrl}/console/sign-in`;
    return token === undefined ? page : `${page}#${token}`;
  }

  sendCode(email: string, code: string, token: string): Promise<boolean> {
    const lines = [
      `Your sign-in code is ${code}`,
      'Enter the code in the browser in which you requested it. Or open this link in any browser:',
      this.linkOf(token),
      'The code and the link expire after 15 minutes. You can use one of them, once.',
      'If you did not request this mail, you can ignore it.',
    ];
    return this.send(email, 'Your sign-in code', lines);
  }

  async sendInvitation(
    email: string,
    invitation: { workspace: string; actor: string; link: string },
  ): Promise<boolean> {
    if (!this.isConfigured) return false;
    const lines = [
      `${invitation.actor} invites you to the workspace ${invitation.workspace}. Open this link to sign in:`,
      invitation.link,
      'The invitation expires after 7 days and can be used once.',
      'If you do not expect it, you can ignore this mail.',
    ];
    return this.send(email, 'Invitation to a workspace', lines);
  }

  /** If the preparation fails, logs the error instead of rejecting. */
  async guard(preparing: Promise<void>): Promise<void> {
    try {
      await preparing;
    } catch (error) {
      this.logger.error({ err: error }, 'sign-in: preparing a mail failed');
    }
  }

  private async send(to: string, subject: string, lines: readonly string[]): Promise<boolean> {
    const { hostname } = new URL(this.address.publicUrl);
    const mail = {
      from: this.mail.mailFrom,
      to: [to],
      cc: [],
      subject,
      text: `${lines.join('\n\n')}\n`,
      html: null,
      messageId: `<${randomUUID()}@${hostname}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
    const sending = { signal: new AbortController().signal, timeoutMs: SEND_MILLIS, onBeforeSend: () => true };
    try {
      return (await this.relay.send(mail, sending)).accepted.length > 0;
    } catch (error) {
      this.logger.error({ err: error }, 'sign-in: sending a mail failed');
      return false;
    }
  }
}
