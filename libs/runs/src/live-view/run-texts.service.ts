import { isJsonObject, type JsonValue } from '@app/kernel';
import { Notifications } from '@app/platform/database';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

export interface RunText {
  run: string;
  n: number;
  path: string;
  text: string;
}

export const RUN_TEXT_CHANNEL = 'run_text';

/** Postgres limits a notification to 8 000 bytes, and one character needs up to six bytes in JSON. */
const CHARACTERS_PER_PIECE = 1_000;

export function sendable(texts: readonly RunText[]): string[] {
  return texts.flatMap(({ text, ...place }) => {
    const pieces: string[] = [];
    for (let start = 0; start < text.length; start += CHARACTERS_PER_PIECE)
      pieces.push(JSON.stringify({ ...place, text: text.slice(start, start + CHARACTERS_PER_PIECE).toWellFormed() }));
    return pieces;
  });
}

type Reader = (text: RunText) => void;

/** The text is not stored. A reader that connects later finds the finished turn in the trace. */
@Injectable()
export class RunTextsService implements OnApplicationShutdown {
  private readonly readers = new Map<string, Set<Reader>>();
  private readonly stopped = new AbortController();
  private listening: Promise<void> | undefined;

  constructor(private readonly notifications: Notifications) {}

  followText(runId: string, reader: Reader, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.listening ??= this.listen();
    const readers = this.readers.get(runId) ?? new Set();
    readers.add(reader);
    this.readers.set(runId, readers);
    signal.addEventListener('abort', () => {
      readers.delete(reader);
      if (readers.size === 0 && this.readers.get(runId) === readers) this.readers.delete(runId);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped.abort();
    await this.listening;
  }

  private listen(): Promise<void> {
    const handlers = { [RUN_TEXT_CHANNEL]: (payload: string) => this.deliver(payload) };
    // A lost connection is ignored, because live views then show the steps without the text.
    return this.notifications.listen(
      { handlers, onConnected: () => undefined, onDisconnected: () => undefined },
      this.stopped.signal,
    );
  }

  private deliver(payload: string): void {
    const text = readRunText(payload);
    for (const reader of this.readers.get(text?.run ?? '') ?? []) if (text) reader(text);
  }
}

function readRunText(payload: string): RunText | undefined {
  const message = JSON.parse(payload) as JsonValue;
  if (!isJsonObject(message)) return undefined;
  const { run, n, path, text } = message;
  if (typeof run !== 'string' || typeof n !== 'number' || typeof path !== 'string' || typeof text !== 'string')
    return undefined;
  return { run, n, path, text };
}
