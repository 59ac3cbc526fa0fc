import type { EmailTrigger } from '@app/definition';
import { type HeldContent, HeldContentsService } from '@app/files';
import { DomainError, newId } from '@app/kernel';
import { type MailConfig, mailConfig } from '@app/platform/mail';
import type { ImapFolder } from './imap-folder.js';
import { Inject, Injectable } from '@nestjs/common';
import { TriggerIntakeService } from '../../trigger-intake.service.js';
import { TriggerEventStore } from '../../trigger-event.store.js';
import { emailEvent } from '../email-event.js';
import { EmailFilesService } from '../email-files.service.js';
import { UnreadableEmail } from '../read-email.js';
import { type ClaimedWatch, MailboxWatchRepository } from './mailbox-watch.repository.js';

const TOO_LARGE = 'The mail is too large.';
const DEFERRED_MILLIS = 2_000;
/** Each attempt reads the mail from the server, and files are rarely deleted within seconds. */
const FULL_MILLIS = 60_000;
const WAITS = new Map<string, number>([
  ['rate_limited', DEFERRED_MILLIS],
  ['unavailable', DEFERRED_MILLIS],
  ['file_quota_exceeded', FULL_MILLIS],
]);

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
    private readonly contents: HeldContentsService,
    private readonly mails: EmailFilesService,
    @Inject(mailConfig.KEY) private readonly config: MailConfig,
  ) {}

  get largest(): number {
    return this.config.smtpMaxMessageBytes;
  }

  /** Returns the milliseconds after which the caller must call this method again for the mail, or 0. */
  async take(open: OpenWatch, uid: number): Promise<number> {
    const { folder } = open;
    const size = await folder.sizeOf(uid);
    if (size === undefined) return this.skip(open, uid);
    if (size > this.largest) return this.refuse(open, uid, TOO_LARGE);
    const content = await folder.read(uid);
    if (!content) return this.skip(open, uid);
    try {
      return await this.contents.hold(content, (held) => this.offer(open, uid, held));
    } catch (error) {
      if (isUnacceptable(error)) return this.refuse(open, uid, error.message);
      const wait = error instanceof DomainError ? WAITS.get(error.code) : undefined;
      if (wait === undefined) throw error;
      return wait;
    }
  }

  private offer({ watch, worker, folder, trigger }: OpenWatch, uid: number, content: HeldContent): Promise<number> {
    const { workspaceId, agentId } = watch;
    const found = { worker, uidValidity: folder.uidValidity, uid };
    return this.mails.open({ content, sender: null }).receive(workspaceId, async ({ email, ...files }) => {
      const event = emailEvent(email, trigger.mailbox, ({ id }) => id === trigger.id);
      const { outcome } = await this.triggers.take({ workspaceId, agentId, ...event, ...files, found });
      return ['busy', 'stopped', 'paused'].includes(outcome) ? DEFERRED_MILLIS : 0;
    });
  }

  private async refuse(open: OpenWatch, uid: number, reason: string): Promise<number> {
    const { workspaceId, agentId, triggerId } = open.watch;
    const entry = { id: newId('event'), workspaceId, agentId, triggerId, type: 'email.received' as const };
    await this.events.log(entry, 'refused', reason);
    return this.skip(open, uid);
  }

  private async skip({ watch, worker, folder }: OpenWatch, uid: number): Promise<number> {
    await this.watches.skip(watch, worker, folder.uidValidity, uid);
    return 0;
  }
}

function isUnacceptable(error: unknown): error is Error {
  return error instanceof UnreadableEmail || (error instanceof DomainError && error.code === 'payload_too_large');
}
