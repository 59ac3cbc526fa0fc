import { Module } from '@nestjs/common';
import { DayBudgets } from './day-budgets.service.js';
import { RunBudgets } from './run-budgets.service.js';

/** The budgets of agents and of runs. */
@Module({ providers: [DayBudgets, RunBudgets], exports: [DayBudgets, RunBudgets] })
export class BudgetsModule {}
