import type { ReadableWritablePair } from 'node:stream/web';
import { exactJsonText, isJsonObject, type JsonValue } from '@app/kernel';
import type { ModelProvider } from '@app/platform/models';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { AnswerGuard } from './answer-guard.js';
import { FrameGuard } from './frame-guard.js';
import { hasRefusal, repaired, usesChatCompletions, withExactArguments } from './provider-quirks.js';

type Fetch = typeof fetch;

const CHAT_FINISH = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}';

/** The library of Mistral cannot parse an event without a choice, such as one with the token counts only. */
const EMPTY_CHOICE = { index: 0, delta: { content: '' }, finish_reason: null };

/**
 * Limits and repairs the responses. Stores the first error of the network or of the provider, because the provider
 * library may throw a different error instead.
 */
export class WatchedFetch {
  failure: unknown;
  isRefused = false;

  private readonly isChat: boolean;

  constructor(
    private readonly inner: Fetch,
    private readonly provider: Pick<ModelProvider, 'type' | 'api'>,
  ) {
    this.isChat = usesChatCompletions(provider);
  }

  readonly fetch: Fetch = async (input, init) => {
    try {
      const { ok, status, headers, body } = await this.inner(input, init);
      const type = headers.get('content-type') ?? '';
      const isStream = /^text\/event-stream\b/i.test(type);
      const isBinary = /^application\/vnd\.amazon\.eventstream\b/i.test(type);
      const watched = body && this.watched(body, isBinary ? new FrameGuard() : new AnswerGuard(isStream));
      if (!ok || !watched) return new Response(watched, { status, headers });
      if (isStream) return new Response(this.repairedEvents(watched), { status, headers });
      const response = new Response(watched, { status, headers });
      if (!/\bjson\b/i.test(type)) return response;
      const text = await response.text();
      return new Response(this.repairedText(text) ?? text, { status, headers });
    } catch (error) {
      throw this.seen(error);
    }
  };

  private repairedEvents(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    let isFinished = false;
    return body
      .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
      .pipeThrough(new EventSourceParserStream())
      .pipeThrough(
        new TransformStream<{ event?: string; data: string }, string>({
          transform: ({ event, data }, controller) => {
            try {
              if (this.isChat && data === '[DONE]' && !isFinished) controller.enqueue(eventOf(event, CHAT_FINISH));
              const text = this.repairedText(data);
              isFinished ||= text?.includes('"finish_reason":"') === true;
              if (text !== undefined) controller.enqueue(eventOf(event, text));
            } catch (error) {
              controller.error(this.seen(error));
            }
          },
        }),
      )
      .pipeThrough(new TextEncoderStream());
  }

  private repairedText(text: string): string | undefined {
    let body: JsonValue;
    try {
      body = JSON.parse(text) as JsonValue;
      const exact = exactJsonText(text);
      if (exact !== text) body = withExactArguments(body, JSON.parse(exact) as JsonValue);
    } catch {
      return text;
    }
    this.isRefused ||= hasRefusal(body);
    const value = repaired(body, this.isChat);
    if (this.provider.type === 'mistral' && isJsonObject(value) && isEmptyList(value.choices))
      return JSON.stringify({ ...value, choices: [EMPTY_CHOICE] });
    return value === undefined ? undefined : JSON.stringify(value);
  }

  private watched(body: ReadableStream<Uint8Array>, guard: Pick<AnswerGuard, 'check'>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    let isCancelled = false;
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (isCancelled) return;
          if (done) return controller.close();
          guard.check(value);
          controller.enqueue(value);
        } catch (error) {
          controller.error(this.seen(error));
          await reader.cancel(error).catch(() => undefined);
        }
      },
      cancel: (reason) => {
        isCancelled = true;
        return reader.cancel(reason);
      },
    });
  }

  private seen(error: unknown): unknown {
    this.failure ??= error;
    return error;
  }
}

function isEmptyList(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}

function eventOf(event: string | undefined, data: string): string {
  return `${event ? `event: ${event}\n` : ''}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`;
}
