import { Agent, get } from 'node:http';
import { json } from 'node:stream/consumers';

export interface Order {
  total: number;
  tax: number;
  open: boolean;
}

export interface OrderInput {
  order: string;
  limit: number;
}

const keptAlive = new Agent({ keepAlive: true });

export function readOrder(toolUrl: string, id: string): Promise<Order> {
  return new Promise((resolve, reject) => {
    const request = get(`${toolUrl}/orders/${id}`, { agent: keptAlive }, (response) => {
      if (response.statusCode === 200) json(response).then((body) => resolve(body as Order), reject);
      else reject(new Error(`The tool answered ${response.statusCode ?? '?'}.`));
    });
    request.once('error', reject);
  });
}
