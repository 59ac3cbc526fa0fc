import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { PendingDeliveries } from './pending-deliveries.service.js';
import { EventsModule } from './events.module.js';

@Module({ imports: [EventsModule], providers: [{ provide: Clock, useValue: systemClock }, PendingDeliveries] })
export class DeliveryMetricsModule {}
