import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { nextTurn } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { type NewPassage, passageBatches, type TextToCut } from './passages.js';

/** Characters of a text that is cut at once: a few milliseconds. Beginning a thread takes longer. */
const SHORT_TEXT = 200_000;

/** Cuts texts: short ones where they are, long ones in a thread, so that nothing else of the process waits for them. */
@Injectable()
export class PassageCutter {
  private program = fileURLToPath(new URL('./passage-thread.js', import.meta.url));
  private shortText = SHORT_TEXT;

  /** For tests, which run from sources. */
  static with(settings: { program?: string; shortText: number }): PassageCutter {
    return Object.assign(new PassageCutter(), settings);
  }

  /** The passages in order, batch by batch. At most two batches are held, however long the text is. */
  async *cut(text: TextToCut): AsyncGenerator<NewPassage[]> {
    if (text.text.length <= this.shortText) {
      // They come by the hundred.
      await nextTurn();
      yield* passageBatches(text);
    } else yield* this.cutInThread(text);
  }

  private async *cutInThread({ document, text, settings }: TextToCut): AsyncGenerator<NewPassage[]> {
    const { chunking } = settings;
    const thread = new Worker(this.program, { workerData: { document, text, settings: { chunking } } });
    try {
      for (let batch = await answer(thread); batch !== null;) {
        const next = answer(thread);
        // A thread that dies while a batch is written is noticed by whoever asks for the next one.
        next.catch(() => undefined);
        yield batch;
        batch = await next;
      }
    } finally {
      await thread.terminate();
    }
  }
}

async function answer(thread: Worker): Promise<NewPassage[] | null> {
  const answered = once(thread, 'message');
  thread.postMessage('next');
  const [batch] = (await answered) as [NewPassage[] | null];
  return batch;
}
