import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@app/kernel';
import { stringify } from 'yaml';
import type { RunAnswer } from './api-client.js';
import { eventually } from './eventually.js';
import { ModelServer } from './model-server.js';
import { endAll, Scene, type SceneOptions } from './scene.js';

/**
 * Prices of the models: one euro per million input tokens and ten euros per million output tokens. A turn of 100 input
 * and 10 output tokens costs 0.0002 euros.
 */
const PRICES = { priced: { input_per_million: '1.00', output_per_million: '10.00', currency: 'EUR' } };
const WRITTEN = { ...PRICES.priced, cache_write_per_million: '1000.00' };
export const COST_OF_A_TURN = '0.0002';
export const MODEL_API_KEY = 'sk-test-0123456789abcdefghij';

const DOLLARS = { priced: { ...PRICES.priced, currency: 'USD' } };

/**
 * A scene with model servers that run in the process of the test. The model profiles are `fake` (OpenAI-compatible),
 * `openai`, `responses`, `anthropic`, `google`, `bedrock`, `spare` and `dollars`.
 */
export class ModelScene {
  private constructor(
    readonly scene: Scene,
    readonly models: ModelServer,
    readonly spare: ModelServer,
    private readonly ends: (() => Promise<void>)[],
  ) {}

  static async start(options: SceneOptions = {}): Promise<ModelScene> {
    const ends: (() => Promise<void>)[] = [];
    try {
      const [models, spare] = [await ModelServer.start(), await ModelServer.start()];
      ends.push(
        () => models.close(),
        () => spare.close(),
      );
      const directory = await mkdtemp(join(tmpdir(), 'models-'));
      ends.push(() => rm(directory, { recursive: true }));
      const file = join(directory, 'providers.yaml');
      await writeFile(file, stringify({ providers: profiles(models.url, spare.url) }));
      const env = { MODEL_PROVIDERS: file, TEST_MODEL_KEY: MODEL_API_KEY, ...options.env };
      const scene = await Scene.start({ ...options, env });
      ends.push(() => scene.stop());
      return new ModelScene(scene, models, spare, ends);
    } catch (error) {
      await endAll(ends).catch(() => undefined);
      throw error;
    }
  }

  get client(): Scene['stack']['client'] {
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

function profiles(models: string, spare: string): JsonObject {
  const key = { api_key_env: 'TEST_MODEL_KEY' };
  return {
    fake: { type: 'openai-compatible', base_url: models, ...key, prices: PRICES },
    openai: { type: 'openai', base_url: models, api_key: MODEL_API_KEY, prices: { 'gpt-6.1-terra': PRICES.priced } },
    responses: {
      type: 'openai',
      api: 'responses',
      base_url: models,
      ...key,
      prices: { ...PRICES, written: WRITTEN },
      models: { formed: { structured_output: true } },
    },
    anthropic: { type: 'anthropic', base_url: models, ...key, prices: PRICES },
    google: { type: 'google', base_url: models, ...key, prices: PRICES },
    bedrock: { type: 'bedrock', region: 'eu-central-1', base_url: models, ...key },
    spare: { type: 'openai-compatible', base_url: spare, prices: PRICES },
    dollars: { type: 'openai-compatible', base_url: models, prices: DOLLARS },
  };
}
