import { Module } from '@nestjs/common';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';

@Module({ controllers: [WebhookDeliveriesController] })
export class WebhookDeliveriesApiModule {}
