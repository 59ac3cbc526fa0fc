import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ResourceNamesGuard } from './resource-names.guard.js';
import { ResourceNamesService } from './resource-names.service.js';

/**
 * Names in paths. It is apart from `HttpModule`, which the listener for the emergency stop shares and which knows no
 * agents. Imported after `HttpModule`, so that its guard runs after authentication.
 */
@Module({
  providers: [ResourceNamesService, { provide: APP_GUARD, useClass: ResourceNamesGuard }],
  exports: [ResourceNamesService],
})
export class ResourceNamesModule {}
