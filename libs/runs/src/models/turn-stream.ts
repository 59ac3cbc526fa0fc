import type { ModelParams } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import {
  type CallWarning,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  type ProviderMetadata,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from 'ai';
import type { Prompt } from '../interpreter/prompt.js';
import { promptMessages, promptTools } from './prompt-messages.js';
import type { PromptCache } from './prompt-cache.js';
import { paramNamed, type RequestParams } from './request-params.js';
import { StreamedAnswer, withoutReasoning } from './reasoning-blocks.js';
import type { TurnPart } from './run-turns.js';
import type { ShownFiles } from './shown-files.service.js';
import type { StreamedTurn, TurnCall } from './turn-call.js';
import type { SentParts } from './turn-states.js';
import { tokenCount, type TurnUsage, UNKNOWN_USAGE } from './turn-cost.js';

/** Without this setting, the library logs a warning for each parameter that a model ignores. */
globalThis.AI_SDK_LOG_WARNINGS = false;

class BrokenTurn extends Error {
  override readonly name = 'BrokenTurn';
}

/** `breakpoint` marks the system text and the last message as the ends of prompts that the provider may cache. */
type TurnRequest = RequestParams & Pick<PromptCache, 'breakpoint'> & Pick<TurnCall, 'signal'>;

export async function streamTurn(
  { model, hasReasoningBlocks }: { model: LanguageModel; hasReasoningBlocks: boolean },
  { params, options, effort, warnings, breakpoint, signal }: TurnRequest,
  { sent, shown, ...prompt }: Prompt & { sent?: SentParts | undefined; shown?: ShownFiles | undefined },
  onText: (text: string) => void,
): Promise<StreamedTurn> {
  const tools = promptTools(prompt);
  const messages = promptMessages(prompt.messages, sent, shown?.contents);
  // After a failure, the library would otherwise read the rest of the response.
  const ended = new AbortController();
  const { fullStream } = streamText({
    model,
    system: breakpoint ? { role: 'system', content: prompt.system, providerOptions: breakpoint } : prompt.system,
    messages: breakpoint ? endedBy(breakpoint, messages) : messages,
    ...(prompt.tools.length > 0 && { tools, toolChoice: prompt.mayCallTools ? 'auto' : 'none' }),
    ...settings(params),
    ...(Object.keys(options).length > 0 && { providerOptions: options }),
    maxRetries: 0,
    abortSignal: AbortSignal.any([signal, ended.signal]),
    // The callback does nothing, because the stream also contains each error as a part, and `take` throws it.
    onError: () => undefined,
    experimental_include: { requestBody: false },
  });
  const turn: StreamedTurn = { ...emptyTurn(), effort, warnings: [...warnings] };
  const open = new Map<string, TurnPart>();
  const streamed = new StreamedAnswer();
  try {
    for await (const part of fullStream) {
      if (part.type === 'text-delta') onText(hasReasoningBlocks ? streamed.add(part.text) : part.text);
      take(turn, part);
      if (part.type === 'start-step') addWarnings(turn, params, part.warnings);
      takePart(turn.parts, open, part);
    }
  } finally {
    ended.abort();
  }
  if (turn.finish === 'other' && turn.text === '' && turn.calls.length === 0)
    throw new BrokenTurn('The response ended before it contained any data.');
  if (!hasReasoningBlocks) return turn;
  const { text, reasoning } = withoutReasoning(turn.text);
  return { ...turn, text, reasoning: [turn.reasoning, reasoning].filter(Boolean).join('\n') };
}

function endedBy(breakpoint: ProviderMetadata, messages: ModelMessage[]): ModelMessage[] {
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, providerOptions: breakpoint } : message,
  );
}

function emptyTurn(): StreamedTurn {
  return {
    text: '',
    reasoning: '',
    calls: [],
    finish: 'other',
    usage: UNKNOWN_USAGE,
    parts: [],
    warnings: [],
  };
}

function addWarnings(turn: StreamedTurn, params: ModelParams, found: readonly CallWarning[]): void {
  for (const warning of found) {
    if (!('feature' in warning)) continue;
    const param = paramNamed(params, warning.feature);
    if (param === undefined) continue;
    const reason = warning.details ?? 'The model does not accept this parameter. It was left out.';
    if (!turn.warnings.some((each) => each.param === param && each.reason === reason))
      turn.warnings.push({ param, reason });
    if (param === 'effort') turn.effort = undefined;
  }
}

function take(turn: StreamedTurn, part: TextStreamPart<ToolSet>): void {
  switch (part.type) {
    case 'text-delta':
      turn.text += part.text;
      break;
    case 'reasoning-delta':
      turn.reasoning += part.text;
      break;
    case 'tool-call':
      turn.calls.push({ id: part.toolCallId, name: part.toolName, input: part.input as JsonValue });
      break;
    case 'finish-step':
      turn.finish = part.finishReason;
      turn.usage = usageOf(part.usage);
      break;
    case 'error':
      throw part.error;
    case 'abort':
      throw new BrokenTurn('The request to the model was aborted.');
    default:
      break;
  }
}

function usageOf({ inputTokens, inputTokenDetails, outputTokens, outputTokenDetails }: LanguageModelUsage): TurnUsage {
  return {
    input: tokenCount(inputTokens),
    output: tokenCount(outputTokens),
    cacheRead: tokenCount(inputTokenDetails.cacheReadTokens) ?? 0,
    cacheWrite: tokenCount(inputTokenDetails.cacheWriteTokens) ?? 0,
    reasoning: tokenCount(outputTokenDetails.reasoningTokens) ?? 0,
  };
}

/** `open` contains the parts of the response that have not ended, by type and id. */
function takePart(parts: TurnPart[], open: Map<string, TurnPart>, part: TextStreamPart<ToolSet>): void {
  if (part.type === 'tool-call') {
    parts.push({ type: 'call', text: '', ...optionsOf(part) });
    return;
  }
  const [, type, stage] = /^(text|reasoning)-(start|delta|end)$/.exec(part.type) ?? [];
  if ((type !== 'text' && type !== 'reasoning') || !('id' in part)) return;
  const key = `${type} ${part.id}`;
  const current: TurnPart | undefined = stage === 'start' ? { type, text: '' } : open.get(key);
  if (!current) return;
  if (stage === 'start') parts.push(current);
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') current.text += part.text;
  open.set(key, Object.assign(current, optionsOf(part)));
}

function optionsOf(part: object): { options?: JsonObject } {
  return 'providerMetadata' in part && part.providerMetadata ? { options: part.providerMetadata as JsonObject } : {};
}

function settings({ temperature, topP, maxOutputTokens, seed, stop }: TurnCall['params']) {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(seed !== undefined && { seed }),
    ...(stop !== undefined && { stopSequences: [...stop] }),
  };
}
