import { Module } from '@nestjs/common';
import { SmtpListener } from './smtp.listener.js';

@Module({ providers: [SmtpListener] })
export class MailModule {}
