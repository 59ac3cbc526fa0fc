import { type MailConfig, mailConfig } from './mail.config.js';
import { Module } from '@nestjs/common';
import { MailRelay } from './mail-relay.js';

@Module({
  providers: [
    {
      provide: MailRelay,
      inject: [mailConfig.KEY],
      useFactory: (config: MailConfig) => new MailRelay(config.smtpRelayUrl),
    },
  ],
  exports: [MailRelay],
})
export class MailModule {}
