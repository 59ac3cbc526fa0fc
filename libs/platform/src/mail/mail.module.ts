import { ENV, type Env } from '@app/platform/config';
import { Module } from '@nestjs/common';
import { MailRelay } from './mail-relay.js';

/** The relay that SMTP_RELAY_URL names. */
@Module({
  providers: [{ provide: MailRelay, inject: [ENV], useFactory: (env: Env) => new MailRelay(env.smtpRelayUrl) }],
  exports: [MailRelay],
})
export class MailModule {}
