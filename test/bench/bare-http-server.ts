import { createServer } from 'node:http';

/** Size of the response in bytes. It is about the size of the API's response when a run starts. */
const ANSWER_BYTES = 600;

/**
 * An HTTP server that does only the minimum for a POST request in Node.js: it reads and parses the body, and responds
 * with JSON. The benchmark starts this program with `fork`. The program sends its port to the parent process, and exits
 * when the parent process exits.
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
