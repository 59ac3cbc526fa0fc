import type { ModelProvider } from '@app/platform/models';
import type { Prompt } from '../interpreter/prompt.js';
import type { StreamedTurn, TurnCall } from './turn-call.js';

export interface AskedModel {
  readonly provider: ModelProvider;
  readonly name: string;
  readonly fetch: typeof fetch;
}

/**
 * Takes one turn: sends one request to the provider and passes text to `onText` as it arrives. The provider libraries
 * are loaded by the first turn, because most processes never take one.
 * @throws any error of the provider, the library or the network
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
