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
          'Protocol of the SMTP listener. Use `lmtp` (RFC 2033) only for a relay on the same network that delivers ' +
          'to one recipient at a time.',
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
          'Names that your mail relays write into the header `Authentication-Results`. The service uses only ' +
          'results with these names (`email.spf`, `email.dkim`, `email.dmarc`). Your relays must remove results ' +
          'with their own name from mail that comes from outside.',
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
      /** Without them, the listener offers no STARTTLS. */
      smtpTls,
    };
  },
);
export type EmailConfig = ConfigOf<typeof emailConfig>;
