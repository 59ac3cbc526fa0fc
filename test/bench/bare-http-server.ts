import { createServer } from 'node:http';

/** As large as the response to an accepted run. */
const ANSWER_BYTES = 600;

/**
 * The lower bound for a POST in Node: reads and parses the body, and responds with JSON of the usual size. A separate
 * program, started with `fork`; it sends its port to its parent and exits with it.
 */
const answer = JSON.stringify({ status: 'queued', padding: 'x'.repeat(ANSWER_BYTES) });
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString('utf8'));
    response.writeHead(202, { 'content-type': 'application/json', 'content-length': answer.length });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.once('disconnect', () => process.exit(0));
