import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { BudgetsModule } from '../calls/budgets.module.js';
import { RunStoreModule } from '../store/run-store.module.js';
import { ModelNetworkModule } from './model-network.module.js';
import { ModelTurnsService } from './model-turns.service.js';

@Module({
  imports: [BudgetsModule, ModelNetworkModule, RunStoreModule],
  providers: [{ provide: Clock, useValue: systemClock }, ModelTurnsService],
  exports: [ModelTurnsService],
})
export class ModelsModule {}
