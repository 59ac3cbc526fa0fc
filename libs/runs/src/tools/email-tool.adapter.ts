import { createHash } from 'node:crypto';
import type { EmailTool } from '@app/definition';
import { DomainError, type JsonObject } from '@app/kernel';
import { EgressError } from '@app/platform/egress';
import {
  type MailAttachment,
  type MailConfig,
  mailConfig,
  MailRefused,
  MailRelay,
  type OutgoingMail,
} from '@app/platform/mail';
import { MembersService } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import {
  attachmentsOf,
  mailAttachments,
  type MailRecipients,
  mailRecipients,
  replyParts,
  subjectOf,
  textOf,
} from './mail-request.js';
import { SentFilesService } from './sent-files.service.js';
import type { ToolAdapter } from './tool-adapter.js';
import { UnusableRequest } from './unusable-request.js';
import { type PreparedCall, refused, type ToolCallResult } from '../calls/tool-call.js';

/**
 * Sends the mail of `type: email` tools and of the built-in tool `notify` through the SMTP relay of the installation.
 */
@Injectable()
export class EmailToolAdapter implements ToolAdapter<EmailTool> {
  constructor(
    private readonly relay: MailRelay,
    private readonly members: MembersService,
    private readonly files: SentFilesService,
    @Inject(mailConfig.KEY) private readonly config: MailConfig,
  ) {}

  async call(tool: EmailTool, call: PreparedCall): Promise<ToolCallResult> {
    if (!this.relay.isConfigured) {
      return refused('This installation cannot send mail. The operator must set SMTP_RELAY_URL.');
    }
    const fixed = tool.computedTo ? [] : await this.fixedRecipients(tool, call);
    if (!fixed) return { kind: 'not_started' };
    try {
      const recipients = mailRecipients(tool, call, fixed);
      const attachments = await this.attachments(call);
      return await this.send(call, { ...this.mailOf(tool, call, recipients), attachments });
    } catch (error) {
      if (error instanceof UnusableRequest) return error.asResult();
      throw error;
    }
  }

  /**
   * Returns undefined if the database is unavailable. No mail has been sent in this case, so the call can be repeated.
   */
  private async fixedRecipients(
    { to }: EmailTool,
    { workspaceId }: PreparedCall,
  ): Promise<readonly string[] | undefined> {
    if (to) return to;
    try {
      return await this.members.adminEmails(workspaceId);
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unavailable') return undefined;
      throw error;
    }
  }

  private async attachments(call: PreparedCall): Promise<MailAttachment[]> {
    const files = await this.files.resolve(attachmentsOf(call.request.attachments), call);
    const attachments = mailAttachments(files, this.config.smtpMaxMessageBytes);
    await this.files.assertReadable(
      attachments.map(({ content }) => content),
      call,
    );
    return attachments;
  }

  private mailOf(
    tool: EmailTool,
    { request, idempotencyKey, origin }: PreparedCall,
    { to, cc }: MailRecipients,
  ): OutgoingMail {
    const { mailFrom } = this.config;
    const id = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 40);
    return {
      from: mailFrom,
      to,
      cc,
      subject: subjectOf(tool, request),
      text: textOf(request.text),
      html: request.html === undefined ? null : textOf(request.html),
      messageId: `<${id}@${mailFrom.slice(mailFrom.lastIndexOf('@') + 1)}>`,
      ...replyParts(request),
      // `Auto-Submitted` prevents automatic replies (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated', 'Agent-Run': origin.runId },
    };
  }

  private async send(call: PreparedCall, mail: OutgoingMail): Promise<ToolCallResult> {
    const { signal, timeoutMs, mayStart } = call;
    try {
      const receipt = await this.relay.send(mail, { signal, timeoutMs, onBeforeSend: mayStart });
      const output: JsonObject = {
        message_id: mail.messageId,
        accepted: [...receipt.accepted],
        rejected: [...receipt.rejected],
      };
      const summary = `${receipt.response} (${receipt.accepted.length} recipients)`;
      return { kind: 'answered', output, response: { body: output }, detail: { response_summary: summary } };
    } catch (error) {
      return failed(call, error);
    }
  }
}

function failed({ operation }: PreparedCall, error: unknown): ToolCallResult {
  if (error instanceof MailRefused) {
    const message = `${operation.fullName}: ${error.message}`;
    const detail = { smtp_status: error.status, response_summary: message };
    return { kind: 'refused', code: 'tool_error', message, detail, permanent: error.status >= 500 };
  }
  if (!(error instanceof EgressError)) throw error;
  const code = error.reason === 'timeout' ? 'timeout' : 'tool_error';
  const message = `${operation.fullName}: ${error.message}`;
  const detail = { response_summary: message };
  if (error.sent) return { kind: 'unknown', code, message, detail };
  return { kind: 'refused', code, message, detail, permanent: false, unanswered: true };
}
