import { FakeTiming } from './testing/fake-timing.js';
import { ApiError, ConnectionError } from './errors.js';
import type { ServerEvent } from './event-parser.js';
import { followEvents } from './event-stream.js';

type Connection = string[] | Error | 'over';

/**
 * Follows an event stream of a fake service. The n-th connection responds with `connections[n]`: pieces of a stream, or
 * an error.
 */
async function follow(
  connections: Connection[],
  timing = new FakeTiming(),
): Promise<{ data: string[]; resumed: (string | undefined)[]; pauses: number[]; error: unknown; closed: number }> {
  const resumed: (string | undefined)[] = [];
  const data: string[] = [];
  let closed = 0;
  const connect = (lastId: string | undefined): ReturnType<Parameters<typeof followEvents>[0]['connect']> => {
    const connection = connections[Math.min(resumed.length, connections.length - 1)]!;
    resumed.push(lastId);
    if (connection instanceof Error) return Promise.reject(connection);
    const bytes = connection === 'over' ? undefined : streamOf(connection);
    return Promise.resolve({ body: bytes, close: () => (closed += 1) });
  };
  const isLast = ({ type }: ServerEvent): boolean => type === 'end';
  let error: unknown;
  try {
    const events = followEvents({ connect, isLast, timing, signal: new AbortController().signal });
    for await (const event of events) data.push(event.data);
  } catch (thrown) {
    error = thrown;
  }
  return { data, resumed, pauses: timing.pauses, error, closed };
}

function streamOf(pieces: string[]): ReadableStream<Uint8Array> {
  const [...left] = pieces;
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift();
      if (piece === undefined) controller.close();
      else if (piece === 'cut') controller.error(new Error('cut'));
      else controller.enqueue(new TextEncoder().encode(piece));
    },
  });
}

const unavailable = (status: number, retryAfter?: number): ApiError =>
  new ApiError({ type: '', title: '', status, code: 'unavailable', detail: 'No.', request_id: '' }, retryAfter);

describe('a followed stream', () => {
  it('ends with its last event and closes the connection', async () => {
    expect(await follow([['data: a\n\nevent: end\ndata: b\n\ndata: c\n\n']])).toMatchObject({
      data: ['a', 'b'],
      resumed: [undefined],
      closed: 1,
    });
  });

  it('is opened again after the last id that arrived', async () => {
    const seen = await follow([
      ['retry: 100\n\nid: 1\ndata: a\n\nid: 2\nda', 'cut'],
      new ConnectionError('refused'),
      unavailable(503, 3),
      ['data: text\n\n'],
      ['id: 2\ndata: b\n\nevent: end\ndata: c\n\n'],
    ]);
    expect(seen).toMatchObject({ data: ['a', 'text', 'b', 'c'], resumed: [undefined, '1', '1', '1', '1'] });
    expect(seen.pauses).toEqual([100, 200, 3_000, 500]);
  });

  it('ends when the service has nothing more to send', async () => {
    expect(await follow([['id: end\ndata: a\n\n'], 'over'])).toMatchObject({
      data: ['a'],
      resumed: [undefined, 'end'],
    });
  });

  it('throws the failure of the first connection, and refusals of later ones', async () => {
    const refused = unavailable(404);
    expect(await follow([new ConnectionError('x')])).toMatchObject({ resumed: [undefined], error: { message: 'x' } });
    expect(await follow([['id: 1\ndata: a\n\n'], refused])).toMatchObject({ data: ['a'], error: refused });
  });

  it('throws after five minutes without an event', async () => {
    const { error, pauses } = await follow([['data: a\n\n'], new ConnectionError('gone')]);
    expect(error).toMatchObject({ message: 'gone' });
    const waited = pauses.reduce((sum, each) => sum + each, 0);
    expect(waited).toBeGreaterThan(300_000);
    expect(waited).toBeLessThan(330_000);
  });
});
