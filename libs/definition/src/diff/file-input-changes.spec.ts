import type { JsonObject } from '@app/kernel';
import { compareDefinitions } from './compare-definitions.js';

const plain: JsonObject = {
  name: 'a',
  input: { type: 'object', properties: { doc: {} } },
  triggers: [{ id: 'daily', type: 'schedule', cron: '0 5 * * *' }],
  steps: [
    { id: 'more', ask: { title: 'More?', to: ['desk'], form: { properties: { scan: { type: 'string' } } } } },
    { id: 'scan', wait: { callback: { schema: { properties: { scan: {} } } } } },
  ],
};
const scan = { properties: { scan: { file: {} } } };
const gained = (further: JsonObject) =>
  compareDefinitions(plain, { ...plain, ...further }).capabilityChanges.filter(
    ({ kind }) => kind === 'file_input_gained',
  );

describe('the capability to take files', () => {
  it.each([
    ['the input', { input: { type: 'object', properties: { docs: { items: { file: {} } } } } }, '/input'],
    ['a form', { steps: [{ id: 'more', ask: { title: 'More?', to: ['desk'], form: scan } }] }, '/steps/0/ask'],
    ['a callback', { steps: [{ id: 'scan', wait: { callback: { schema: scan } } }] }, '/steps/0/wait/callback'],
    ['a mail', { triggers: [{ id: 'inbox', type: 'email.received', mailbox: 'a@example.com' }] }, '/triggers/0'],
    ['a webhook', { triggers: [{ id: 'hook', type: 'webhook' }] }, '/triggers/0'],
  ])('is gained by %s', (_, further, pointer) => {
    expect(gained(further)).toEqual([expect.objectContaining({ severity: 'warning', pointer })]);
  });

  it('is not gained twice', () => {
    const taking = { ...plain, input: scan };
    expect(compareDefinitions(taking, { ...taking, input: { ...scan, title: 'Scan' } }).capabilityChanges).toEqual([]);
    expect(gained({ triggers: [] })).toEqual([]);
  });
});
