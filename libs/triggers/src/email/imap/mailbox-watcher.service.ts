import { CompiledVersionsService } from '@app/agents';
import type { ImapAccount } from '@app/definition';
import { Clock, DomainError } from '@app/kernel';
import { EgressClient } from '@app/platform/egress';
import { ImapFolder } from './imap-folder.js';
import { type ImapLogin } from './imap-session.js';
import { SecretsService } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { ImapIntakeService, type OpenWatch } from './imap-intake.service.js';
import { type ClaimedWatch, MailboxWatchRepository } from './mailbox-watch.repository.js';

/**
 * The commit that records the outcome of the event also moves the cursor. If two workers read the same mail, its
 * message id prevents a second run.
 */
@Injectable()
export class MailboxWatcherService {
  constructor(
    private readonly watches: MailboxWatchRepository,
    private readonly versions: CompiledVersionsService,
    private readonly secrets: SecretsService,
    private readonly egress: EgressClient,
    private readonly mails: ImapIntakeService,
    private readonly clock: Clock,
  ) {}

  async watch(watch: ClaimedWatch, worker: string, signal: AbortSignal): Promise<void> {
    const { definition } = await this.versions.production(watch.workspaceId, watch.agentId);
    const trigger = definition.triggers.find(({ id }) => id === watch.triggerId);
    if (trigger?.kind !== 'email.received' || !trigger.imap) return;
    const login = await this.login(watch.workspaceId, trigger.imap);
    const { largest } = this.mails;
    const folder = await ImapFolder.open(login, this.egress.guard, watch.workspaceId, { largest });
    const close = (): void => folder.close();
    signal.addEventListener('abort', close);
    try {
      await this.follow({ watch, worker, folder, trigger }, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', close);
      folder.close();
    }
  }

  private async follow(open: OpenWatch, signal: AbortSignal): Promise<void> {
    const { watch, worker, folder } = open;
    const isKnown = watch.cursor?.uidValidity === folder.uidValidity;
    const startAt = isKnown ? 0 : await folder.uidBefore(watch.since);
    const opened = await this.watches.opened(watch, worker, folder.uidValidity, startAt);
    if (!opened) return;
    let { lastUid } = opened;
    while (!signal.aborted && folder.isOpen) {
      for (const uid of await folder.uidsAfter(lastUid)) {
        if (!(await this.take(open, uid, signal))) return;
        lastUid = uid;
      }
      await folder.changed();
    }
    if (!signal.aborted) throw new DomainError('unavailable', 'The IMAP server has closed the connection.');
  }

  /** Returns false if `signal` aborts first. */
  private async take(open: OpenWatch, uid: number, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const wait = await this.mails.take(open, uid);
      if (wait === 0) return true;
      await this.clock.sleep(wait, signal);
    }
    return false;
  }

  private async login(workspaceId: string, account: ImapAccount): Promise<ImapLogin> {
    const { host, port, security, user, folder } = account;
    const values = await this.secrets.values(workspaceId, account.secretNames);
    const missing = account.secretNames.find((name) => !values.has(name));
    if (missing !== undefined)
      throw new DomainError(
        'unknown_reference',
        `The mailbox needs the secret \`${missing}\`, which does not exist. Create it with PUT /v1/secrets/${missing}.`,
      );
    const password = account.password.evaluate({ secrets: Object.fromEntries(values) });
    if (typeof password !== 'string')
      throw new DomainError('invalid_request', 'The password of the mailbox must be a string.');
    return { host, port, security, user, folder, password };
  }
}
