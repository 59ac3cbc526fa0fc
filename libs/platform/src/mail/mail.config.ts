import { type ConfigOf, defineConfig, setting } from '@app/platform/config';

export const mailConfig = defineConfig({
  title: 'Outgoing mail',
  readBy: ['api', 'worker'],
  settings: {
    smtpRelayUrl: setting.url('SMTP_RELAY_URL', {
      schemes: ['smtp', 'smtps'],
      secret: true,
      defaultNote: 'no mail is sent',
      description: 'SMTP server for outgoing mail: `smtp://user:password@host:587`.',
    }),
    mailFrom: setting.matching('MAIL_FROM', {
      default: 'agents@localhost',
      pattern: /^[^\s@<>,;"]+@[^\s@<>,;"]+$/,
      allowed: 'an address such as agents@example.com',
      description: 'Sender address of the mails that agents send, and of sign-in mails.',
    }),
  },
});
export type MailConfig = ConfigOf<typeof mailConfig>;
