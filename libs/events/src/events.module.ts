import { EgressModule } from '@app/platform/egress';
import { QueueModule } from '@app/platform/queue';
import { IdempotencyModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EndpointRules } from './endpoint-rules.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { EventLog } from './event-log.service.js';
import { EventOutboxModule } from './event-outbox.module.js';
import { EventRepository } from './event.repository.js';
import { WebhookClaimEntity } from './webhook-claim.entity.js';
import { WebhookDeliveries } from './webhook-deliveries.service.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
import { WebhookEndpointRepository } from './webhook-endpoint.repository.js';
import { WebhookEndpoints } from './webhook-endpoints.service.js';
import { WebhookMessageEntity } from './webhook-message.entity.js';

@Module({
  imports: [
    EgressModule,
    EventOutboxModule,
    IdempotencyModule,
    QueueModule,
    WorkspaceModule,
    TypeOrmModule.forFeature([WebhookClaimEntity, WebhookEndpointEntity, WebhookDeliveryEntity, WebhookMessageEntity]),
  ],
  providers: [
    EndpointRules,
    EndpointSecrets,
    EventLog,
    EventRepository,
    WebhookDeliveries,
    WebhookDeliveryRepository,
    WebhookEndpointRepository,
    WebhookEndpoints,
  ],
  exports: [
    EventLog,
    WebhookDeliveries,
    WebhookEndpoints,
    // For EventDeliveryModule.
    EndpointSecrets,
    WebhookDeliveryRepository,
    WebhookEndpointRepository,
    EventOutboxModule,
    WorkspaceModule,
  ],
})
export class EventsModule {}
