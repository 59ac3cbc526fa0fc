import type { JsonObject } from '@app/kernel';

let agents = 0;

/** Returns the definition of an agent that is started by each mail to a mailbox and returns its input. */
export function aMailAgent(mailbox: string, trigger: JsonObject = {}, further: JsonObject = {}): JsonObject {
  agents += 1;
  return {
    name: `mail-agent-${agents}`,
    triggers: [{ id: 'inbox', type: 'email.received', mailbox, ...trigger }],
    steps: [{ id: 'result', output: { got: '${{ input }}' } }],
    ...further,
  };
}
