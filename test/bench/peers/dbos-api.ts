import { createServer } from 'node:http';

import { DBOS_NAMES, importDbosSdk, readDbosSettings } from './dbos-sdk.js';

/**
 * An HTTP API for DBOS, built with `node:http` only. It runs as a separate program. A POST request enqueues one
 * workflow. The program responds when the workflow is stored. A GET request checks readiness.
 */
const settings = readDbosSettings();
const { DBOSClient } = await importDbosSdk(settings);
const client = await DBOSClient.create({
  systemDatabaseUrl: settings.databaseUrl,
  applicationName: DBOS_NAMES.application,
});
const options = { queueName: DBOS_NAMES.queue, workflowName: DBOS_NAMES.workflow };

async function accept(body: string): Promise<string> {
  const { workflowID } = await client.enqueue(options, JSON.parse(body));
  return JSON.stringify({ id: workflowID, status: 'queued' });
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  const answer = (status: number, text: string): void => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  };
  if (request.method === 'GET') {
    answer(200, '{}');
    return;
  }
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    accept(Buffer.concat(chunks).toString('utf8')).then(
      (text) => answer(202, text),
      (error: unknown) => answer(500, JSON.stringify({ error: String(error) })),
    );
  });
});
server.listen(settings.port, '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void client.destroy().then(() => process.exit(0));
});
