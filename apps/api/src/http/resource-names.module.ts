import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { KeyAgentsGuard } from './key-agents.guard.js';
import { ResourceNamesGuard } from './resource-names.guard.js';
import { ResourceNamesService } from './resource-names.service.js';

/**
 * Separate from `HttpModule`, because the stop listener imports `HttpModule` but has no agents. Import this module
 * after `HttpModule`, so that its guard runs after authentication.
 */
@Module({
  // The guards run in this order.
  providers: [
    ResourceNamesService,
    { provide: APP_GUARD, useClass: ResourceNamesGuard },
    { provide: APP_GUARD, useClass: KeyAgentsGuard },
  ],
  exports: [ResourceNamesService],
})
export class ResourceNamesModule {}
