import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { BudgetsModule } from '../calls/budgets.module.js';
import { ModelNetworkModule } from './model-network.module.js';
import { ModelTurns } from './model-turns.service.js';
import { TurnTexts } from './turn-texts.service.js';

/** Asking models. */
@Module({
  imports: [BudgetsModule, ModelNetworkModule],
  providers: [{ provide: Clock, useValue: systemClock }, ModelTurns, TurnTexts],
  exports: [ModelTurns],
})
export class ModelsModule {}
