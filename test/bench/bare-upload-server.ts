import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * An HTTP server that does only the minimum for an upload in Node.js: it streams the body to a file, syncs it and removes
 * it. The benchmark starts this program with `fork` and the folder for the file.
 */
const file = join(process.argv[2] ?? '.', 'upload');
const server = createServer((request, response) => {
  void pipeline(request, createWriteStream(file, { flush: true }))
    .then(() => rm(file))
    .then(() => response.writeHead(201).end());
});
// The connection stays open while the benchmark uploads to the service, which may take longer than Node's 5 s.
server.keepAliveTimeout = 65_000;
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.once('disconnect', () => process.exit(0));
