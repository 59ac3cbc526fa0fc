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
    smtpMaxMessageBytes: setting.integer('SMTP_MAX_MESSAGE_BYTES', {
      default: 10_485_760,
      min: 1_024,
      max: 104_857_600,
      unit: 'bytes',
      description:
        'Maximum size of one received mail. Also the maximum total size of the attachments of one sent mail. A ' +
        'larger received mail is rejected with 552.',
    }),
  },
});
export type MailConfig = ConfigOf<typeof mailConfig>;
