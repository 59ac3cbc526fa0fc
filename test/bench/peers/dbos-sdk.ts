import { pathToFileURL } from 'node:url';

/**
 * Types of the part of `@dbos-inc/dbos-sdk` 5 that the benchmark uses. The package is installed on demand and is not a
 * dependency.
 */
export interface DbosSdk {
  DBOS: {
    setConfig(config: { name: string; systemDatabaseUrl: string; logLevel: string }): void;
    registerWorkflow<Input, Output>(
      workflow: (input: Input) => Promise<Output>,
      config: { name: string },
    ): (input: Input) => Promise<Output>;
    runStep<Output>(step: () => Promise<Output>, config: { name: string }): Promise<Output>;
    launch(): Promise<void>;
    registerQueue(name: string, options: DbosQueueOptions): Promise<unknown>;
    shutdown(): Promise<void>;
  };
  DBOSClient: {
    create(config: { systemDatabaseUrl: string; applicationName: string }): Promise<{
      enqueue(options: { queueName: string; workflowName: string }, input: unknown): Promise<{ workflowID: string }>;
      destroy(): Promise<void>;
    }>;
  };
}

export interface DbosQueueOptions {
  workerConcurrency?: number;
  minPollingIntervalMs?: number;
}

/** Settings of the API and worker programs of DBOS. The benchmark passes them as JSON in the only argument. */
export interface DbosSettings {
  sdk: string;
  databaseUrl: string;
  port: number;
  toolUrl: string;
  queueOptions: DbosQueueOptions;
}

export const DBOS_NAMES = { application: 'bench', queue: 'runs', workflow: 'fourSteps' } as const;

export const DBOS_READY = 'ready for workflows';

export function readDbosSettings(): DbosSettings {
  return JSON.parse(process.argv[2] ?? '') as DbosSettings;
}

export async function importDbosSdk({ sdk }: DbosSettings): Promise<DbosSdk> {
  const imported = (await import(pathToFileURL(sdk).href)) as { default: DbosSdk };
  return imported.default;
}
