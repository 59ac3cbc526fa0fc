import { compileDefinition } from '@app/definition';
import type { JsonValue } from '@app/kernel';
import { emailEvent } from './email-event.js';
import type { EmailView } from './received-email.js';

const MAILBOX = 'desk@example.com';
const VIEW: EmailView = {
  from: 'ann@example.com',
  from_name: 'Ann',
  sender: 'ann@example.com',
  to: [MAILBOX],
  cc: [],
  reply_to: null,
  subject: 'Delivery',
  text: 'x',
  html: null,
  date: null,
  message_id: '<1@example.com>',
  in_reply_to: null,
  references: [],
  auto_submitted: false,
  bounce: false,
  spf: null,
  dkim: null,
  dmarc: null,
  attachments: [],
  truncated: false,
  replaced_characters: 0,
};

/** Whether the mail passes the filter that applies to it. */
function passes(filter: string | undefined, view: Partial<EmailView>): boolean {
  const trigger: Record<string, JsonValue> = { id: 'mail', type: 'email.received', mailbox: MAILBOX };
  if (filter !== undefined) trigger.filter = filter;
  const definition = compileDefinition({ name: 'desk', triggers: [trigger], steps: [{ id: 'a', output: 1 }] });
  const { rulesOf, scope } = emailEvent({ view: { ...VIEW, ...view }, isOwn: false, loopAddresses: [] }, MAILBOX);
  const [rule] = rulesOf(definition);
  return rule?.filter?.evaluate(scope) ?? true;
}

describe('automatic mail', () => {
  it.each([
    ['email.bounce'],
    ['email["bounce"]'],
    ['email.?bounce.orValue(false)'],
    ['has(email.bounce) && email.subject != ""'],
    ['[email].exists(mail, mail == email) || email.bounce'],
  ])('starts a run if the filter reads the field: %s', (filter) => {
    expect(passes(filter, { bounce: true })).toBe(true);
  });

  it.each([
    [undefined],
    ['true'],
    ['email.subject != "bounce"'],
    ['!email.text.contains("email.bounce")'],
    ['["x"].exists(bounce, bounce == "x")'],
    ['!email.auto_submitted'],
  ])('starts no run if the filter does not: %s', (filter) => {
    expect(passes(filter, { bounce: true })).toBe(false);
  });

  it('starts no run if the filter reads only one of two fields', () => {
    const view = { bounce: true, auto_submitted: true };
    expect(passes('email.bounce', view)).toBe(false);
    expect(passes('email.bounce && email.auto_submitted', view)).toBe(true);
  });

  it('does not concern other mail', () => {
    expect(passes('email.subject == "Delivery"', {})).toBe(true);
  });
});
