import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { RunTexts } from './run-texts.service.js';
import { RunWatcher } from './run-watcher.service.js';
import { WatchedRunsRepository } from './watched-runs.repository.js';

/** Following runs while they are carried out. */
@Module({
  providers: [{ provide: Clock, useValue: systemClock }, RunTexts, RunWatcher, WatchedRunsRepository],
  exports: [RunTexts, RunWatcher],
})
export class LiveViewModule {}
