import { Agent, get } from 'node:http';
import { json } from 'node:stream/consumers';

import { DBOS_NAMES, DBOS_READY, importDbosSdk, readDbosSettings } from './dbos-sdk.js';

/**
 * A DBOS worker, which runs as a separate program. It executes the four steps of the measured agent as a durable
 * workflow that stores the result of each step. It prints a line when it is ready.
 */
const settings = readDbosSettings();
const { DBOS } = await importDbosSdk(settings);
const keptAlive = new Agent({ keepAlive: true });

interface Input {
  order: string;
  limit: number;
}
interface Order {
  total: number;
  tax: number;
  open: boolean;
}

function order(id: string): Promise<Order> {
  return new Promise((resolve, reject) => {
    const request = get(`${settings.toolUrl}/orders/${id}`, { agent: keptAlive }, (response) => {
      if (response.statusCode === 200) json(response).then((body) => resolve(body as Order), reject);
      else reject(new Error(`The tool answered ${response.statusCode ?? '?'}.`));
    });
    request.once('error', reject);
  });
}

DBOS.setConfig({ name: DBOS_NAMES.application, systemDatabaseUrl: settings.databaseUrl, logLevel: 'warn' });
DBOS.registerWorkflow(
  async (input: Input) => {
    const found = await DBOS.runStep(() => order(input.order), { name: 'order' });
    const net = await DBOS.runStep(async () => found.total - found.tax, { name: 'sums' });
    const open = await DBOS.runStep(async () => net <= input.limit && found.open, { name: 'route' });
    if (!open) throw new Error('The order is not open.');
    return DBOS.runStep(async () => ({ order: input.order, net }), { name: 'result' });
  },
  { name: DBOS_NAMES.workflow },
);
await DBOS.launch();
await DBOS.registerQueue(DBOS_NAMES.queue, settings.queueOptions);
process.stdout.write(`${DBOS_READY}\n`);
process.once('SIGTERM', () => {
  void DBOS.shutdown().then(() => process.exit(0));
});
