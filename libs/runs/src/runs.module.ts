import { AgentsModule } from '@app/agents';
import { QueueModule } from '@app/platform/queue';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Run } from './run.entity.js';
import { RunCancellation } from './run-cancellation.service.js';
import { RunIntake } from './run-intake.service.js';
import { RunJournal } from './run-journal.js';
import { RunQueries } from './run-queries.service.js';
import { RunStep } from './run-step.entity.js';
import { RunsRepository } from './runs.repository.js';
import { Fleet } from './fleet.js';

/** Starting, reading and cancelling runs: what the api needs. */
@Module({
  imports: [AgentsModule, QueueModule, TypeOrmModule.forFeature([Run, RunStep])],
  providers: [RunCancellation, RunIntake, RunJournal, RunQueries, RunsRepository, Fleet],
  exports: [RunCancellation, RunIntake, RunJournal, RunQueries, Fleet],
})
export class RunsModule {}
