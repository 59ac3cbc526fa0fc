import type { ModelProvider } from '@app/platform/models';
import type { Prompt } from '../interpreter/prompt.js';
import type { StreamedTurn, TurnCall } from './turn-call.js';

export interface AskedModel {
  readonly provider: ModelProvider;
  /** Of the model, as the provider calls it. */
  readonly name: string;
  /** The way to the provider. */
  readonly fetch: typeof fetch;
}

/**
 * Takes one turn: one request to the provider. `onText` is told the text as it comes. The libraries that speak with providers
 * are loaded by the first turn, since most processes never take one.
 * @throws whatever the provider, the library or the network makes of it
 */
export async function askModel(
  { provider, name, fetch }: AskedModel,
  call: Pick<TurnCall, 'params' | 'signal'>,
  prompt: Prompt,
  onText: (text: string) => void,
): Promise<StreamedTurn> {
  const [{ languageModel }, { streamTurn }] = await Promise.all([
    import('./language-model.js'),
    import('./turn-stream.js'),
  ]);
  return streamTurn(languageModel(provider, name, fetch), call, prompt, onText);
}
