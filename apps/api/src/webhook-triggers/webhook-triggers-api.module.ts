import { Module } from '@nestjs/common';
import { WebhookAuthenticationService } from './webhook-authentication.service.js';
import { WebhookCallsService } from './webhook-calls.service.js';
import { WebhookResponsesService } from './webhook-responses.service.js';
import { WebhookTriggersController } from './webhook-triggers.controller.js';

@Module({
  controllers: [WebhookTriggersController],
  providers: [WebhookAuthenticationService, WebhookCallsService, WebhookResponsesService],
})
export class WebhookTriggersApiModule {}
