import { Clock, systemClock } from '@app/kernel';
import { EgressModule } from '@app/platform/egress';
import { Module } from '@nestjs/common';
import { AttemptLog } from './attempt-log.js';
import { DeliveriesInHand } from './deliveries-in-hand.js';
import { DeliveryOutbox } from './delivery-outbox.repository.js';
import { FailingEndpoints } from './failing-endpoints.service.js';
import { WebhookPublisher } from './webhook-publisher.service.js';
import { WebhookRetention } from './webhook-retention.service.js';
import { WebhookSender } from './webhook-sender.service.js';
import { EventsModule } from './events.module.js';

/** Sends deliveries: what a worker process needs in addition to {@link EventsModule}. */
@Module({
  imports: [EventsModule, EgressModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    AttemptLog,
    DeliveriesInHand,
    DeliveryOutbox,
    FailingEndpoints,
    WebhookPublisher,
    WebhookRetention,
    WebhookSender,
  ],
  exports: [WebhookPublisher, WebhookRetention],
})
export class EventDeliveryModule {}
