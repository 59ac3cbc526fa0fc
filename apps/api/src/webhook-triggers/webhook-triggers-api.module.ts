import { Module } from '@nestjs/common';
import { WebhookCalls } from './webhook-calls.service.js';
import { WebhookTriggersController } from './webhook-triggers.controller.js';

@Module({ controllers: [WebhookTriggersController], providers: [WebhookCalls] })
export class WebhookTriggersApiModule {}
