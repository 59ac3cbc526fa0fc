import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { PendingDeliveries } from './pending-deliveries.service.js';
import { EventsModule } from './events.module.js';

/** For the app that is scraped: what subscribers are still owed. */
@Module({ imports: [EventsModule], providers: [{ provide: Clock, useValue: systemClock }, PendingDeliveries] })
export class DeliveryMetricsModule {}
