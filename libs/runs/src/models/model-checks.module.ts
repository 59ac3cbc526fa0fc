import { Clock, systemClock } from '@app/kernel';
import { WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { ModelChecksService } from './model-checks.service.js';
import { ModelNetworkModule } from './model-network.module.js';

@Module({
  imports: [ModelNetworkModule, WorkspaceModule],
  providers: [{ provide: Clock, useValue: systemClock }, ModelChecksService],
  exports: [ModelChecksService],
})
export class ModelChecksModule {}
