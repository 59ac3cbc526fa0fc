import { Module } from '@nestjs/common';
import { RunStore } from './run.store.js';
import { WorkerStore } from './worker.store.js';

/** Module for reading and writing the run state machine. */
@Module({ providers: [RunStore, WorkerStore], exports: [RunStore, WorkerStore] })
export class RunStoreModule {}
