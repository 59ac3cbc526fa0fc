import { Clock, systemClock } from '@app/kernel';
import { EgressModule } from '@app/platform/egress';
import { Module } from '@nestjs/common';
import { AttemptRecorderService } from './attempt-recorder.service.js';
import { ClaimedDeliveriesService } from './claimed-deliveries.service.js';
import { DeliveryOutboxRepository } from './delivery-outbox.repository.js';
import { FailingEndpointsService } from './failing-endpoints.service.js';
import { WebhookPublisherService } from './webhook-publisher.service.js';
import { WebhookRetentionService } from './webhook-retention.service.js';
import { WebhookSenderService } from './webhook-sender.service.js';
import { EventsModule } from './events.module.js';

/** Sends deliveries. Only workers import this module. */
@Module({
  imports: [EventsModule, EgressModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    AttemptRecorderService,
    ClaimedDeliveriesService,
    DeliveryOutboxRepository,
    FailingEndpointsService,
    WebhookPublisherService,
    WebhookRetentionService,
    WebhookSenderService,
  ],
  exports: [WebhookPublisherService, WebhookRetentionService],
})
export class EventDeliveryModule {}
