import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

export const emailConfig = defineDerivedConfig(
  {
    title: 'Incoming mail',
    readBy: ['api'],
    settings: {
      smtpListenPort: setting.integer('SMTP_LISTEN_PORT', {
        default: 0,
        min: 0,
        max: 65_535,
        description: "Port at HOST of the api's SMTP listener for `email.received` triggers. 0 disables the listener.",
        readBy: ['api', 'npm start'],
      }),
      smtpListenProtocol: setting.oneOf('SMTP_LISTEN_PROTOCOL', {
        values: ['smtp', 'lmtp'],
        default: 'smtp',
        description:
          '`lmtp` is for a relay on the same network that hands mail over one recipient at a time (RFC 2033).',
      }),
      certificateFile: setting.text('SMTP_TLS_CERT', {
        allowed: 'the path of a PEM file',
        defaultNote: 'STARTTLS is not offered',
        description: 'Certificate for STARTTLS.',
      }),
      keyFile: setting.text('SMTP_TLS_KEY', {
        allowed: 'the path of a PEM file',
        description: 'Key of the certificate in SMTP_TLS_CERT.',
      }),
      smtpTrustedRelays: setting.list('SMTP_TRUSTED_RELAYS', {
        accepts: (name) => /^[a-z0-9._-]+$/i.test(name),
        allowed: 'names such as mx.example.com, separated by commas',
        defaultNote: 'none',
        description:
          'Names that your relays write into `Authentication-Results`. The service trusts only results with these names (`email.spf`, `email.dkim`, ' +
          '`email.dmarc`). The relays must remove headers with their own name from mail that comes from outside.',
        readBy: ['api', 'worker'],
      }),
    },
  },
  ({ certificateFile, keyFile, ...values }, reader) => {
    if ((certificateFile === undefined) !== (keyFile === undefined)) {
      const missing = certificateFile === undefined ? 'SMTP_TLS_CERT' : 'SMTP_TLS_KEY';
      reader.reject(missing, '', 'both SMTP_TLS_CERT and SMTP_TLS_KEY, or neither of them');
    }
    const smtpTls = certificateFile !== undefined && keyFile !== undefined ? { certificateFile, keyFile } : undefined;
    return {
      ...values,
      /** Paths of the PEM files of the certificate and its key. Without them, the listener offers no STARTTLS. */
      smtpTls,
    };
  },
);
export type EmailConfig = ConfigOf<typeof emailConfig>;
