import { Module } from '@nestjs/common';
import { WebhookEndpointsController } from './webhook-endpoints.controller.js';
import { WebhookSubscriptions } from './webhook-subscriptions.service.js';

@Module({ controllers: [WebhookEndpointsController], providers: [WebhookSubscriptions] })
export class WebhookEndpointsApiModule {}
