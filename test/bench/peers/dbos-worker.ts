import { DBOS_NAMES, DBOS_READY, importDbosSdk, readDbosSettings } from './dbos-sdk.js';
import { type OrderInput, readOrder } from './order-tool.js';

/**
 * A DBOS worker, which runs as a separate program. It executes the four steps of the measured agent as a durable
 * workflow, which stores the result of each step. The program prints a line when it is ready.
 */
const settings = readDbosSettings();
const { DBOS } = await importDbosSdk(settings);

DBOS.setConfig({ name: DBOS_NAMES.application, systemDatabaseUrl: settings.databaseUrl, logLevel: 'warn' });
DBOS.registerWorkflow(
  async (input: OrderInput) => {
    const found = await DBOS.runStep(() => readOrder(settings.toolUrl, input.order), { name: 'order' });
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
