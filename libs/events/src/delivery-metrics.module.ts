import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { PendingDeliveriesService } from './pending-deliveries.service.js';
import { EventsModule } from './events.module.js';

@Module({ imports: [EventsModule], providers: [{ provide: Clock, useValue: systemClock }, PendingDeliveriesService] })
export class DeliveryMetricsModule {}
