import type { CompileContext } from '../contract/compile-context.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import { cel, choice, object, pattern, text, whole } from '../contract/building-blocks.js';
import type { ImapAccount } from '../model/compiled-definition.js';
import { checkInputMembers, type TriggerDescriptor, map, triggerId } from '../contract/trigger-descriptor.js';

export const emailTrigger: TriggerDescriptor<'email.received'> = {
  schema: object(
    'Starts a run for each e-mail.',
    {
      id: triggerId,
      type: text('email.received'),
      mailbox: pattern('Address of the mailbox.', 'email'),
      filter: cel('Condition on `email`. If it is false, the e-mail starts no run.'),
      map,
      imap: object(
        'IMAP account from which the service reads the mail. Default: the SMTP server of the service receives the mail.',
        {
          host: text('Host name or IP address of the IMAP server.', { maxLength: 253, pattern: '^[A-Za-z0-9.:_-]+$' }),
          port: whole('Port of the server. Default: 993, or 143 with starttls.', 1, 65_535),
          security: choice(
            'Encryption of the connection. `tls` encrypts it from the beginning, `starttls` after a STARTTLS command.',
            ['tls', 'starttls'],
            { default: 'tls' },
          ),
          user: text('User name of the IMAP account.', { maxLength: 255 }),
          password: text('Password of the IMAP account, as a reference `${{ secrets.NAME }}`.', { maxLength: 1_024 }),
          folder: text('Folder that the service reads.', { default: 'INBOX', maxLength: 255 }),
        },
        ['host', 'user', 'password'],
      ),
    },
    ['id', 'type', 'mailbox'],
  ),
  compile: (node, context) => ({
    id: node.text('id'),
    kind: 'email.received',
    mailbox: node.text('mailbox').toLowerCase(),
    filter: context.optionalCondition(node, 'filter', 'emailTrigger'),
    map: context.optionalTemplate(node, 'map', 'emailTrigger'),
    imap: compileImap(node.optionalChild('imap'), context),
  }),
  check: (node, input) => checkInputMembers(node, 'map', input),
};

function compileImap(node: DefinitionNode | null, context: CompileContext): ImapAccount | null {
  if (!node) return null;
  const secretNames: string[] = [];
  const path = node.pathOf('password');
  const onSecret = (name: string): void => {
    secretNames.push(name);
    context.secretUses.push({ name, path });
  };
  const password = context.template(node.text('password'), path, 'imapPassword', { onSecret });
  const security = node.choiceOr('security', ['tls', 'starttls'], 'tls');
  return {
    host: node.text('host').toLowerCase(),
    port: node.numberOr('port', security === 'tls' ? 993 : 143),
    security,
    user: node.text('user'),
    password,
    secretNames,
    folder: node.optionalText('folder') ?? 'INBOX',
  };
}
