import { Clock } from '@app/kernel';
import { Notifications } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { RUN_TEXT_CHANNEL, type RunText, sendable } from '../live-view/run-texts.service.js';

/** Whoever reads sees no difference between this and every word by itself; the database does. */
const SEND_EVERY_MILLIS = 200;
/** What does not get out in time is old news. */
const MAX_WAITING_CHARACTERS = 256 * 1024;

/** Where the text of a turn goes while it comes. */
export interface TurnText {
  add(text: string): void;
  /** Nothing more comes: what is left goes out now. */
  end(): void;
}

/**
 * Tells live views what models are writing, of all turns of this process together and a few times a second. It is for
 * people who watch: it may be lost, nobody waits for it, and the recorded turn is what counts.
 */
@Injectable()
export class TurnTextsService {
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
