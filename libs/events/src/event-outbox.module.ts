import { Module } from '@nestjs/common';
import { EventOutboxStore } from './event-outbox.store.js';

@Module({ providers: [EventOutboxStore], exports: [EventOutboxStore] })
export class EventOutboxModule {}
