import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ResourceNamesGuard } from './resource-names.guard.js';
import { ResourceNamesService } from './resource-names.service.js';

/**
 * Separate from `HttpModule`, because the stop listener imports `HttpModule` but has no agents. Import this module
 * after `HttpModule`, so that its guard runs after authentication.
 */
@Module({
  providers: [ResourceNamesService, { provide: APP_GUARD, useClass: ResourceNamesGuard }],
  exports: [ResourceNamesService],
})
export class ResourceNamesModule {}
