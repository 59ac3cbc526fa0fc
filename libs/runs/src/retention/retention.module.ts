import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { RetentionRepository } from './retention.repository.js';
import { RunRetentionService } from './run-retention.service.js';

@Module({
  providers: [{ provide: Clock, useValue: systemClock }, RetentionRepository, RunRetentionService],
  exports: [RunRetentionService],
})
export class RetentionModule {}
