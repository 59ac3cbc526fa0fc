import { agentFunctions } from '@app/agents';
import { evaluationFunctions } from '@app/evaluation';
import { eventFunctions } from '@app/events';
import { migrateDatabase, type MigrationReport, platformFunctions } from '@app/platform/database';
import { runFunctions } from '@app/runs';
import { triggerFunctions } from '@app/triggers';
import { workspaceFunctions } from '@app/workspace';

/** The whole schema step of the service: tables first, then the functions of each lib, lower libs first. */
export function migrateSchema(databaseUrl: string): Promise<MigrationReport> {
  return migrateDatabase(databaseUrl, [
    platformFunctions(),
    workspaceFunctions(),
    eventFunctions(),
    agentFunctions(),
    runFunctions(),
    triggerFunctions(),
    evaluationFunctions(),
  ]);
}
