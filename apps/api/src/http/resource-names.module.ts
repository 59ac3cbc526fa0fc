import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ResourceNamesGuard } from './resource-names.guard.js';
import { ResourceNamesService } from './resource-names.service.js';

/**
 * Separate from `HttpModule`, because the stop listener uses that module but has no agents. Must be imported after
 * `HttpModule`, so that its guard runs after authentication.
 */
@Module({
  providers: [ResourceNamesService, { provide: APP_GUARD, useClass: ResourceNamesGuard }],
  exports: [ResourceNamesService],
})
export class ResourceNamesModule {}
