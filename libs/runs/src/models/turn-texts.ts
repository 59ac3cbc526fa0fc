import type { Clock } from '@app/kernel';
import type { Notifications } from '@app/platform/database';
import { RUN_TEXT_CHANNEL, type RunText, sendable } from '../live-view/run-texts.service.js';

/** It limits the load on Postgres, and readers do not notice it. */
const SEND_EVERY_MILLIS = 200;
const MAX_WAITING_CHARACTERS = 256 * 1024;

export interface TurnText {
  add(text: string): void;
  end(): void;
}

/** Text may be lost. The recorded turn always contains the complete text. */
export class TurnTexts {
  private readonly waiting = new Map<string, RunText>();
  private characters = 0;
  private isSending = false;
  private wake = new AbortController();

  constructor(
    private readonly notifications: Notifications,
    private readonly clock: Clock,
  ) {}

  openTurn({ runId, n, path }: { runId: string; n: number; path: string }): TurnText {
    return { add: (text) => this.add({ run: runId, n, path, text }), end: () => this.wake.abort() };
  }

  private add(more: RunText): void {
    if (more.text === '' || this.characters > MAX_WAITING_CHARACTERS) return;
    const key = `${more.run}.${more.n}`;
    const before = this.waiting.get(key);
    this.waiting.set(key, { ...more, text: (before?.text ?? '') + more.text });
    this.characters += more.text.length;
    if (!this.isSending) void this.send();
  }

  private async send(): Promise<void> {
    this.isSending = true;
    while (this.waiting.size > 0) {
      const texts = [...this.waiting.values()];
      this.waiting.clear();
      this.characters = 0;
      for (const payload of sendable(texts))
        await this.notifications.send(RUN_TEXT_CHANNEL, payload).catch(() => undefined);
      this.wake = new AbortController();
      await this.clock.sleep(SEND_EVERY_MILLIS, this.wake.signal);
    }
    this.isSending = false;
  }
}
