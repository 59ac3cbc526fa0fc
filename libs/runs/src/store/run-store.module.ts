import { Module } from '@nestjs/common';
import { RunStore } from './run.store.js';
import { WorkerStore } from './worker.store.js';

@Module({ providers: [RunStore, WorkerStore], exports: [RunStore, WorkerStore] })
export class RunStoreModule {}
