import { Module } from '@nestjs/common';
import { WebhookCallsService } from './webhook-calls.service.js';
import { WebhookTriggersController } from './webhook-triggers.controller.js';

@Module({ controllers: [WebhookTriggersController], providers: [WebhookCallsService] })
export class WebhookTriggersApiModule {}
