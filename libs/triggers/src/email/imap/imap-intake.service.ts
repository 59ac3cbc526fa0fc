import type { EmailTrigger } from '@app/definition';
import { DomainError, newId } from '@app/kernel';
import { type MailConfig, mailConfig } from '@app/platform/mail';
import type { ImapFolder } from './imap-folder.js';
import { Inject, Injectable } from '@nestjs/common';
import { TriggerIntakeService } from '../../trigger-intake.service.js';
import { TriggerEventStore } from '../../trigger-event.store.js';
import { emailEvent } from '../email-event.js';
import { EmailReaderService } from '../email-reader.service.js';
import { UnreadableEmail } from '../read-email.js';
import type { ReceivedEmail } from '../received-email.js';
import { type ClaimedWatch, MailboxWatchRepository } from './mailbox-watch.repository.js';

export interface OpenWatch {
  watch: ClaimedWatch;
  worker: string;
  folder: ImapFolder;
  trigger: EmailTrigger;
}

@Injectable()
export class ImapIntakeService {
  constructor(
    private readonly triggers: TriggerIntakeService,
    private readonly events: TriggerEventStore,
    private readonly watches: MailboxWatchRepository,
    private readonly reader: EmailReaderService,
    @Inject(mailConfig.KEY) private readonly config: MailConfig,
  ) {}

  get largest(): number {
    return this.config.smtpMaxMessageBytes;
  }

  /** Returns false if the caller must call this method again for the mail. */
  async take(open: OpenWatch, uid: number): Promise<boolean> {
    const { folder } = open;
    const size = await folder.sizeOf(uid);
    if (size === undefined) return this.skip(open, uid);
    if (size > this.largest) return this.refuse(open, uid, 'The mail is too large.');
    const raw = await folder.read(uid);
    if (!raw) return this.skip(open, uid);
    try {
      const email = await this.reader.read({ raw, sender: null });
      return await this.offer(open, uid, email);
    } catch (error) {
      if (error instanceof UnreadableEmail) return this.refuse(open, uid, error.message);
      if (error instanceof DomainError && ['rate_limited', 'unavailable'].includes(error.code)) return false;
      throw error;
    }
  }

  private async offer(
    { watch, worker, folder, trigger }: OpenWatch,
    uid: number,
    email: ReceivedEmail,
  ): Promise<boolean> {
    const { workspaceId, agentId } = watch;
    const event = emailEvent(email, trigger.mailbox, ({ id }) => id === trigger.id);
    const found = { worker, uidValidity: folder.uidValidity, uid };
    const { outcome } = await this.triggers.take({ workspaceId, agentId, ...event, found });
    return !['busy', 'stopped', 'paused'].includes(outcome);
  }

  private async refuse(open: OpenWatch, uid: number, reason: string): Promise<boolean> {
    const { workspaceId, agentId, triggerId } = open.watch;
    const entry = { id: newId('event'), workspaceId, agentId, triggerId, type: 'email.received' as const };
    await this.events.log(entry, 'refused', reason);
    return this.skip(open, uid);
  }

  private async skip({ watch, worker, folder }: OpenWatch, uid: number): Promise<boolean> {
    await this.watches.skip(watch, worker, folder.uidValidity, uid);
    return true;
  }
}
