import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ResourceNamesGuard } from './resource-names.guard.js';
import { ResourceNamesService } from './resource-names.service.js';

/**
 * Resolves names in paths. It is separate from `HttpModule`, because the stop listener also uses `HttpModule` and has
 * no agents. It is imported after `HttpModule`, so that its guard runs after authentication.
 */
@Module({
  providers: [ResourceNamesService, { provide: APP_GUARD, useClass: ResourceNamesGuard }],
  exports: [ResourceNamesService],
})
export class ResourceNamesModule {}
