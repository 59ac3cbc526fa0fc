import { Module } from '@nestjs/common';
import { EventOutbox } from './event-outbox.js';

/** Recording events: what a lib needs whose changes become events. */
@Module({ providers: [EventOutbox], exports: [EventOutbox] })
export class EventOutboxModule {}
