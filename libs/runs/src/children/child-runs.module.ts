import { Module } from '@nestjs/common';
import { ChildRunStore } from './child-run.store.js';

/** Runs that calls of runs have started. */
@Module({ providers: [ChildRunStore], exports: [ChildRunStore] })
export class ChildRunsModule {}
