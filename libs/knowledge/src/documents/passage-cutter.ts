import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { nextTurn } from '@app/kernel';
import { type NewPassage, passageBatches, type TextToCut } from './passages.js';

interface CutterOptions {
  /** Tests run from TypeScript sources, so they pass another path. */
  program?: string;
  /**
   * Maximum length, in characters, of a text that is cut on the main thread. Cutting such a text takes a few
   * milliseconds, less than starting a thread.
   */
  shortText?: number;
}

export class PassageCutter {
  private readonly program: string;
  private readonly shortText: number;

  constructor({ program, shortText = 200_000 }: CutterOptions = {}) {
    this.program = program ?? fileURLToPath(new URL('./passage-thread.js', import.meta.url));
    this.shortText = shortText;
  }

  /** At most two batches are in memory, regardless of the length of the text. */
  async *cut(text: TextToCut): AsyncGenerator<NewPassage[]> {
    if (text.text.length <= this.shortText) {
      // A sync cuts hundreds of short texts in succession. In between, the event loop must handle other work.
      await nextTurn();
      yield* passageBatches(text);
    } else yield* this.cutInThread(text);
  }

  private async *cutInThread({ document, text, settings }: TextToCut): AsyncGenerator<NewPassage[]> {
    const { chunking } = settings;
    const thread = new Worker(this.program, { workerData: { document, text, settings: { chunking } } });
    try {
      for (let batch = await requestBatch(thread); batch !== null;) {
        const next = requestBatch(thread);
        // Prevents an unhandled rejection if the thread dies while the caller handles a batch. `await next` throws the
        // same error later.
        next.catch(() => undefined);
        yield batch;
        batch = await next;
      }
    } finally {
      await thread.terminate();
    }
  }
}

async function requestBatch(thread: Worker): Promise<NewPassage[] | null> {
  const answered = once(thread, 'message');
  thread.postMessage('next');
  const [batch] = (await answered) as [NewPassage[] | null];
  return batch;
}
