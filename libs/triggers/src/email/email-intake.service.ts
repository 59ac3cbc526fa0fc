import type { HeldContent } from '@app/files';
import { DomainError, newId } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { type EventOutcome, TriggerIntakeService } from '../trigger-intake.service.js';
import { TriggerEventStore } from '../trigger-event.store.js';
import { emailEvent } from './email-event.js';
import { type MailboxAgent, TriggerRepository } from '../trigger.repository.js';
import { EmailFilesService, type OpenEmail } from './email-files.service.js';
import { UnreadableEmail } from './read-email.js';

export interface ArrivedMail {
  content: HeldContent;
  sender: string;
  mailboxes: readonly string[];
}

/**
 * - `accepted`: at least one agent of the mailbox has started a run or ignores the mail, and no agent defers it. If the
 * client sends the mail again, agents that have started a run start no second run. - `unknown`: no agent has this
 * mailbox. - `full`: the files of the workspace leave no room for the attachments.
 */
export interface MailVerdict {
  verdict: 'accepted' | 'deferred' | 'full' | 'rejected' | 'unknown';
  /** It reveals nothing about the agents. */
  reason: string;
}

const UNKNOWN: MailVerdict = { verdict: 'unknown', reason: 'There is no such mailbox here.' };
const DEFERRED: MailVerdict = { verdict: 'deferred', reason: 'The mailbox accepts no mail at the moment.' };
const FULL: MailVerdict = { verdict: 'full', reason: 'The mailbox has no room for the attachments at the moment.' };

@Injectable()
export class EmailIntakeService {
  constructor(
    private readonly mailboxes: TriggerRepository,
    private readonly triggers: TriggerIntakeService,
    private readonly events: TriggerEventStore,
    private readonly mails: EmailFilesService,
  ) {}

  /**
   * The verdict is `deferred` only if no agent of the mailbox accepts mail now.
   * @throws DomainError `unavailable`
   */
  async expects(address: string): Promise<MailVerdict> {
    const agents = await this.mailboxes.agentsOfMailbox(address.toLowerCase());
    if (agents.length === 0) return UNKNOWN;
    return agents.some(({ isReady }) => isReady) ? { verdict: 'accepted', reason: '' } : DEFERRED;
  }

  /**
   * `accepted` means that the runs are committed.
   * @throws DomainError `unavailable`.
   */
  async deliver({ content, sender, mailboxes }: ArrivedMail): Promise<MailVerdict[]> {
    const mail = this.mails.open({ content, sender });
    return inTurn(mailboxes, async (mailbox) => {
      try {
        return await this.deliverTo(mailbox.toLowerCase(), mail);
      } catch (error) {
        if (!(error instanceof UnreadableEmail)) throw error;
        return together(await this.refuse([mailbox], error.message));
      }
    });
  }

  async refuse(mailboxes: readonly string[], reason: string): Promise<MailVerdict[]> {
    return inTurn(mailboxes, async (mailbox) => {
      const agents = await this.mailboxes.agentsOfMailbox(mailbox.toLowerCase());
      for (const { triggerIds, ...agent } of agents) {
        for (const triggerId of triggerIds) {
          const entry = { id: newId('event'), ...agent, triggerId, type: 'email.received' as const };
          await this.events.log(entry, 'refused', reason);
        }
      }
      return agents.length === 0 ? UNKNOWN : { verdict: 'rejected', reason };
    });
  }

  private async deliverTo(mailbox: string, mail: OpenEmail): Promise<MailVerdict> {
    const agents = await this.mailboxes.agentsOfMailbox(mailbox);
    return together(await inTurn(agents, (agent) => this.offer(agent, mailbox, mail)));
  }

  private async offer({ workspaceId, agentId }: MailboxAgent, mailbox: string, mail: OpenEmail): Promise<MailVerdict> {
    try {
      return await mail.receive(workspaceId, async ({ email, ...files }) =>
        verdictOn(await this.triggers.take({ workspaceId, agentId, ...emailEvent(email, mailbox), ...files })),
      );
    } catch (error) {
      if (error instanceof DomainError && error.code === 'rate_limited') return DEFERRED;
      if (error instanceof DomainError && error.code === 'file_quota_exceeded') return FULL;
      throw error;
    }
  }
}

function verdictOn(outcome: EventOutcome): MailVerdict {
  switch (outcome.outcome) {
    case 'started':
    case 'duplicate':
    case 'filtered':
      return { verdict: 'accepted', reason: '' };
    case 'refused':
    case 'error':
      return { verdict: 'rejected', reason: 'The mail cannot be processed.' };
    case 'busy':
    case 'stopped':
    case 'paused':
      return DEFERRED;
    case 'unknown':
    case 'archived':
    case 'key_reused':
    case 'secret_changed':
      return UNKNOWN;
  }
}

/** Returns the first verdict of the list that at least one agent returned. */
export function together(verdicts: readonly MailVerdict[]): MailVerdict {
  const order = ['deferred', 'full', 'accepted', 'rejected', 'unknown'] as const;
  const found = order.flatMap((verdict) => verdicts.find((each) => each.verdict === verdict) ?? []);
  return found[0] ?? UNKNOWN;
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
