import { createServer } from 'node:http';

/** As large as a run that was accepted. */
const ANSWER_BYTES = 600;

/**
 * The least that a service in Node can do with a POST: read it, parse it, answer JSON of the usual size. A program of its own,
 * started with `fork`; it tells its port to whoever started it and ends with it.
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
