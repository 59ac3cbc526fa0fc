import type { CompiledDefinition, Condition, EmailTrigger } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import type { ArrivedEvent } from '../trigger-intake.service.js';
import type { EventRule } from '../trigger-decision.js';
import type { EmailView, ReceivedEmail } from './received-email.js';

/** What a mail is to the agents that have its mailbox: the same whichever way it came. */
export type EmailEvent = Pick<ArrivedEvent, 'rulesOf' | 'scope' | 'input' | 'facts' | 'identity'>;

/**
 * The event that a mail is for a mailbox (in lower case). It starts one run per agent, mailbox and message id, for ever:
 * nothing says when a relay has given up sending a mail again.
 *
 * Mail of machines is ignored where the trigger's filter does not speak of it, so that no two of them ever talk to each other:
 * `auto_submitted` and `bounce` each have to be named. Mail of this service, and mail that has been answered for this
 * mailbox before (`X-Loop`), is always ignored.
 * @param isMeant which of the mailbox's triggers it came for; default: those whose mail is sent to the service
 */
export function emailEvent(
  email: ReceivedEmail,
  mailbox: string,
  isMeant: (trigger: EmailTrigger) => boolean = ({ imap }) => imap === null,
): EmailEvent {
  const { view } = email;
  const isLooped = email.isOwn || email.loopAddresses.includes(mailbox);
  const json = asJson(view);
  return {
    rulesOf: (definition) =>
      triggersOf(definition, mailbox)
        .filter(isMeant)
        .map((trigger) => ruleOf(trigger, view, isLooped)),
    scope: { email: json },
    input: json,
    facts: { mailbox, message_id: view.message_id },
    identity: { key: `email:${mailbox}:${view.message_id}`, fingerprint: null, keepMillis: null },
  };
}

function triggersOf(definition: CompiledDefinition, mailbox: string): EmailTrigger[] {
  return definition.triggers.filter(
    (trigger) => trigger.kind === 'email.received' && trigger.mailbox.toLowerCase() === mailbox,
  ) as EmailTrigger[];
}

function ruleOf({ id, filter, map }: EmailTrigger, view: EmailView, isLooped: boolean): EventRule {
  return { id, type: 'email.received', filter: machineFilter(view, isLooped, filter) ?? filter, map };
}

/** The unwritten filter that ignores the mail; undefined where none does. */
function machineFilter(view: EmailView, isLooped: boolean, filter: Condition | null): Condition | undefined {
  if (isLooped) return ignoring('!email.loop');
  const unspoken = (['bounce', 'auto_submitted'] as const).find(
    (member) => view[member] && !new RegExp(`\\b${member}\\b`).test(filter?.source ?? ''),
  );
  return unspoken && ignoring(`!email.${unspoken}`);
}

function ignoring(source: string): Condition {
  return { source, evaluate: () => false };
}

function asJson(view: EmailView): JsonObject {
  return { ...view, attachments: view.attachments.map((attachment) => ({ ...attachment })) };
}
