import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { RunBudgets } from '../costs/run-budgets.service.js';
import { RunsModule } from '../runs.module.js';
import { ModelNetworkModule } from './model-network.module.js';
import { ModelTurns } from './model-turns.service.js';
import { TurnTexts } from './turn-texts.service.js';

/** Asking models. */
@Module({
  imports: [RunsModule, ModelNetworkModule],
  providers: [{ provide: Clock, useValue: systemClock }, ModelTurns, RunBudgets, TurnTexts],
  exports: [ModelTurns],
})
export class ModelsModule {}
