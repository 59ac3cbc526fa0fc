import { pathToFileURL } from 'node:url';

/**
 * Types of the part of `@restatedev/restate-sdk` 1 that the benchmark uses. The package is installed on demand and is
 * not a dependency.
 */
export interface RestateSdk {
  service(definition: {
    name: string;
    handlers: Record<string, (context: RestateContext, input: unknown) => Promise<unknown>>;
  }): unknown;
  serve(options: { services: unknown[]; port: number }): Promise<number>;
  TerminalError: new (message: string) => Error;
}

interface RestateContext {
  run<Output>(name: string, step: () => Promise<Output>): Promise<Output>;
}

/** Settings of the worker program of Restate. The benchmark passes them as JSON in the only argument. */
export interface RestateSettings {
  sdk: string;
  /** Port at which the server calls the worker. */
  port: number;
  toolUrl: string;
}

export const RESTATE_NAMES = { service: 'bench', handler: 'fourSteps' } as const;

export function readRestateSettings(): RestateSettings {
  return JSON.parse(process.argv[2] ?? '') as RestateSettings;
}

export async function importRestateSdk({ sdk }: RestateSettings): Promise<RestateSdk> {
  return (await import(pathToFileURL(sdk).href)) as RestateSdk;
}
