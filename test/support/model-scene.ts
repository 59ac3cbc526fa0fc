import type { JsonObject } from '@app/kernel';
import { stringify } from 'yaml';
import type { ApiClient, RunAnswer } from './api-client.js';
import { eventually } from './eventually.js';
import { MODEL_API_KEY, modelProfiles } from './model-profiles.js';
import { ModelServer } from './model-server.js';
import { endAll, type LoneScene, opened, Scene, type SceneOptions } from './scene.js';
import type { Service } from './stack.js';

/**
 * A scene with model servers that run in the process of the test. The model profiles are `fake` (OpenAI-compatible),
 * `openai`, `responses`, `anthropic`, `google`, `bedrock`, `spare` and `dollars`.
 */
export class ModelScene<S extends Scene<Service> = Scene> {
  private constructor(
    readonly scene: S,
    readonly models: ModelServer,
    readonly spare: ModelServer,
    private readonly ends: (() => Promise<void>)[],
  ) {}

  /** See {@link Scene.start}. */
  static start(options: { workers?: number } = {}): Promise<ModelScene> {
    return opened(async (ends) => {
      const [models, spare] = await modelServers(ends);
      const scene = await Scene.start(options);
      ends.push(() => scene.stop());
      await scene.stack.lead('models', models.url);
      await scene.stack.lead('spare', spare.url);
      return new ModelScene(scene, models, spare, ends);
    });
  }

  /** See {@link Scene.alone}. */
  static alone(options: SceneOptions): Promise<ModelScene<LoneScene>> {
    return opened(async (ends) => {
      const [models, spare] = await modelServers(ends);
      const providers = stringify({ providers: modelProfiles(models.url, spare.url) });
      const env = { MODEL_PROVIDERS: providers, TEST_MODEL_KEY: MODEL_API_KEY, ...options.env };
      const scene = await Scene.alone({ ...options, env });
      ends.push(() => scene.stop());
      return new ModelScene(scene, models, spare, ends);
    });
  }

  get client(): ApiClient {
    return this.scene.stack.client;
  }

  async start(definition: JsonObject, input: JsonObject = {}): Promise<string> {
    return (await this.client.startRun(await this.client.createAgent(definition), input)).id;
  }

  ended(id: string): Promise<RunAnswer & { cost: JsonObject; approvals: JsonObject[] }> {
    return eventually(async () => {
      const run = await this.client.expect<RunAnswer & { cost: JsonObject; approvals: JsonObject[] }>(
        'GET',
        `/v1/runs/${id}`,
      );
      if (run.ended_at !== null) return run;
      throw new Error(`The run ${id} is ${run.status}.`);
    });
  }

  reset(): void {
    this.models.reset();
    this.spare.reset();
    this.scene.ledger.reset();
  }

  stop(): Promise<void> {
    return endAll(this.ends);
  }
}

async function modelServers(ends: (() => Promise<void>)[]): Promise<[ModelServer, ModelServer]> {
  const servers: [ModelServer, ModelServer] = [await ModelServer.start(), await ModelServer.start()];
  ends.push(...servers.map((server) => () => server.close()));
  return servers;
}
