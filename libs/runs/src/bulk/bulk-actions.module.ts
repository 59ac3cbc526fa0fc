import { Clock, systemClock } from '@app/kernel';
import { IdempotencyModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RunQueriesModule } from '../read/run-queries.module.js';
import { RunReplaysModule } from '../replay/run-replays.module.js';
import { RunStartModule } from '../start/run-start.module.js';
import { BulkActionResultEntity } from './bulk-action-result.entity.js';
import { BulkActionEntity } from './bulk-action.entity.js';
import { BulkActionStore } from './bulk-action.store.js';
import { BulkActionWorker } from './bulk-action.worker.js';
import { BulkActionsService } from './bulk-actions.service.js';

@Module({
  imports: [
    IdempotencyModule,
    RunQueriesModule,
    RunReplaysModule,
    RunStartModule,
    TypeOrmModule.forFeature([BulkActionEntity, BulkActionResultEntity]),
    WorkspaceModule,
  ],
  providers: [{ provide: Clock, useValue: systemClock }, BulkActionStore, BulkActionWorker, BulkActionsService],
  exports: [BulkActionWorker, BulkActionsService],
})
export class BulkActionsModule {}
