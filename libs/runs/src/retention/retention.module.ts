import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { RunForgetting } from './run-forgetting.js';
import { RunRetention } from './run-retention.service.js';

/** Forgetting what has ended long ago: part of every worker. */
@Module({
  providers: [{ provide: Clock, useValue: systemClock }, RunForgetting, RunRetention],
  exports: [RunRetention],
})
export class RetentionModule {}
