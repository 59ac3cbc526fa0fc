import { importRestateSdk, readRestateSettings, RESTATE_NAMES } from './restate-sdk.js';
import { type OrderInput, readOrder } from './order-tool.js';

/**
 * A Restate worker, which runs as a separate program with Node.js 22. It executes the four steps of the measured agent
 * as durable steps.
 */
const settings = readRestateSettings();
const { service, serve, TerminalError } = await importRestateSdk(settings);

const bench = service({
  name: RESTATE_NAMES.service,
  handlers: {
    [RESTATE_NAMES.handler]: async (context, given) => {
      const input = given as OrderInput;
      const found = await context.run('order', () => readOrder(settings.toolUrl, input.order));
      const net = await context.run('sums', () => Promise.resolve(found.total - found.tax));
      const open = await context.run('route', () => Promise.resolve(net <= input.limit && found.open));
      if (!open) throw new TerminalError('The order is not open.');
      return context.run('result', () => Promise.resolve({ order: input.order, net }));
    },
  },
});
await serve({ services: [bench], port: settings.port });
process.once('SIGTERM', () => process.exit(0));
