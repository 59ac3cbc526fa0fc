import { Module } from '@nestjs/common';
import { WebhookEndpointsController } from './webhook-endpoints.controller.js';
import { WebhookSubscriptionsService } from './webhook-subscriptions.service.js';

@Module({ controllers: [WebhookEndpointsController], providers: [WebhookSubscriptionsService] })
export class WebhookEndpointsApiModule {}
