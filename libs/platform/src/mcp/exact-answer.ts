import type { ReadableWritablePair } from 'node:stream/web';
import { exactJsonText } from '@app/kernel';

const LINE_END = /\r\n|\n|\r/g;

export function exactAnswer(response: Response, isStream: boolean): Response {
  const { body, status, headers } = response;
  if (!body) return response;
  const exact = (line: string): string => (isStream && !line.startsWith('data:') ? line : exactJsonText(line));
  const lines = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(byLine(exact))
    .pipeThrough(new TextEncoderStream());
  return new Response(lines, { status, headers });
}

function byLine(change: (line: string) => string): TransformStream<string, string> {
  let rest: string[] = [];
  return new TransformStream({
    transform: (chunk, controller) => {
      const changed: string[] = [];
      let from = 0;
      for (const { 0: end, index } of chunk.matchAll(LINE_END)) {
        changed.push(change([...rest, chunk.slice(from, index)].join('')), end);
        rest = [];
        from = index + end.length;
      }
      if (from < chunk.length) rest.push(chunk.slice(from));
      if (changed.length > 0) controller.enqueue(changed.join(''));
    },
    flush: (controller) => {
      if (rest.length > 0) controller.enqueue(change(rest.join('')));
    },
  });
}
