import { Clock, systemClock } from '@app/kernel';
import { ENV } from '@app/platform/config';
import { Module } from '@nestjs/common';
import { RunBudgets } from '../costs/run-budgets.service.js';
import { RunsModule } from '../runs.module.js';
import { MODEL_EGRESS, modelEgress } from './model-egress.js';
import { ModelTurns } from './model-turns.service.js';
import { TurnTexts } from './turn-texts.service.js';

/** Asking models. */
@Module({
  imports: [RunsModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    { provide: MODEL_EGRESS, inject: [ENV], useFactory: modelEgress },
    ModelTurns,
    RunBudgets,
    TurnTexts,
  ],
  exports: [ModelTurns],
})
export class ModelsModule {}
