import { Module } from '@nestjs/common';
import { EventOutbox } from './event-outbox.js';

/** For libs that record events. */
@Module({ providers: [EventOutbox], exports: [EventOutbox] })
export class EventOutboxModule {}
