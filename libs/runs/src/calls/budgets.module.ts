import { Module } from '@nestjs/common';
import { DayBudgetsService } from './day-budgets.service.js';
import { RunBudgetsService } from './run-budgets.service.js';

@Module({ providers: [DayBudgetsService, RunBudgetsService], exports: [DayBudgetsService, RunBudgetsService] })
export class BudgetsModule {}
