import type { JsonObject } from '@app/kernel';

let agents = 0;

/** Returns the definition of an agent. Each mail to the mailbox starts a run of it. The agent returns its input. */
export function aMailAgent(mailbox: string, trigger: JsonObject = {}, further: JsonObject = {}): JsonObject {
  agents += 1;
  return {
    name: `mail-agent-${agents}`,
    triggers: [{ id: 'inbox', type: 'email.received', mailbox, ...trigger }],
    steps: [{ id: 'result', output: { got: '${{ input }}' } }],
    ...further,
  };
}
