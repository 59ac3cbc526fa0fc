import { Exchange } from './exchange.js';
import { CollectedAnswer } from './collected-answer.js';
import { RequestCancellation } from './request-cancellation.js';

describe('a request that exceeds its time limit', () => {
  it('names the limit in whole milliseconds', async () => {
    const answer = new CollectedAnswer(1);
    const cancellation = new RequestCancellation(4.2377270000195, undefined);
    const request = { url: new URL('http://example.com/'), method: 'GET', headers: {}, body: undefined };
    const limits = { headersTimeoutMs: 5, maxResponseBytes: 1, onBeforeSend: undefined };
    cancellation.watch(new Exchange({ ...request, ...limits }, answer));
    await expect(answer.response).rejects.toMatchObject({
      reason: 'timeout',
      message: 'No complete response was received within 5 ms.',
    });
    cancellation.release();
  });
});
