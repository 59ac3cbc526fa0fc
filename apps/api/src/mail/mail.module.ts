import { Module } from '@nestjs/common';
import { SmtpListener } from './smtp-listener.service.js';

@Module({ providers: [SmtpListener] })
export class MailModule {}
