import { EgressModule } from '@app/platform/egress';
import { QueueModule } from '@app/platform/queue';
import { IdempotencyModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EndpointSecretsService } from './endpoint-secrets.service.js';
import { EventStore } from './event.store.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
import { WebhookEndpointRepository } from './webhook-endpoint.repository.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';

@Module({
  imports: [
    EgressModule,
    IdempotencyModule,
    QueueModule,
    WorkspaceModule,
    TypeOrmModule.forFeature([WebhookEndpointEntity, WebhookDeliveryEntity]),
  ],
  providers: [
    EndpointSecretsService,
    EventStore,
    WebhookDeliveriesService,
    WebhookDeliveryRepository,
    WebhookEndpointRepository,
    WebhookEndpointsService,
  ],
  exports: [
    EventStore,
    WebhookDeliveriesService,
    WebhookEndpointsService,
    // The next providers are exported for EventDeliveryModule only.
    EndpointSecretsService,
    WebhookDeliveryRepository,
    WebhookEndpointRepository,
    WorkspaceModule,
  ],
})
export class EventsModule {}
