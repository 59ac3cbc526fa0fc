import type { CompiledDefinition, Condition, EmailTrigger } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import type { ArrivedEvent } from '../trigger-intake.service.js';
import type { EventRule } from '../trigger-decision.js';
import type { EmailView, ReceivedEmail } from './received-email.js';

export type EmailEvent = Pick<ArrivedEvent, 'rulesOf' | 'scope' | 'input' | 'facts' | 'identity'>;

/**
 * Its identity never expires, because a relay may deliver a mail again at any time. Automatic mail starts no run, so
 * that two programs never reply to each other. The exception is a trigger whose filter reads the field that is true for
 * the mail: `auto_submitted`, `bounce`, or both. Mail that an agent sent, and mail with this mailbox in `X-Loop`, never
 * starts a run.
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

function machineFilter(view: EmailView, isLooped: boolean, filter: Condition | null): Condition | undefined {
  if (isLooped) return ignoring('!email.loop');
  const unspoken = (['bounce', 'auto_submitted'] as const).find(
    (member) => view[member] && !filter?.mentions(['email', member]),
  );
  return unspoken && ignoring(`!email.${unspoken}`);
}

function ignoring(source: string): Condition {
  return { source, evaluate: () => false, mentions: () => false, readValues: () => [] };
}

function asJson(view: EmailView): JsonObject {
  return { ...view, attachments: view.attachments.map((attachment) => ({ ...attachment })) };
}
