/** A piece of what a model is writing in a turn of a run. */
export interface RunText {
  run: string;
  /** Position of the turn in the trace. */
  n: number;
  path: string;
  text: string;
}

export const RUN_TEXT_CHANNEL = 'run_text';

/** Postgres takes less than 8 000 bytes at a time, and JSON makes up to six of one character. */
const CHARACTERS_PER_PIECE = 1_000;

/** Payloads of notifications that carry these pieces. */
export function sendable(texts: readonly RunText[]): string[] {
  return texts.flatMap(({ text, ...place }) => {
    const pieces: string[] = [];
    for (let start = 0; start < text.length; start += CHARACTERS_PER_PIECE)
      pieces.push(JSON.stringify({ ...place, text: text.slice(start, start + CHARACTERS_PER_PIECE).toWellFormed() }));
    return pieces;
  });
}
