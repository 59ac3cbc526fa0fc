import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { CommandError, usageError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';
import { PROJECT_FILE } from './project-file.js';

const HELLO = `# An agent that answers without tools. Start it: aas runs start hello --input name=Ada --wait
name: hello
description: Greets a person.
input:
  type: object
  required: [name]
  properties: { name: { type: string } }
steps:
  - id: greet
    output: { greeting: 'Hello, \${{ input.name }}!' }
`;

const HTTP = `# An agent that reads from an HTTP API. The service refuses private addresses unless an operator allows them.
name: status-reader
description: Reads a status page.
input:
  type: object
  required: [path]
  properties: { path: { type: string } }
tools:
  - name: status
    type: http
    base_url: https://status.example.com
    operations:
      - { name: read, method: GET, path: '/{path}' }
policy_defaults: { read: allow, write: deny }
steps:
  - id: page
    tool: status.read
    with: { path: '\${{ input.path }}' }
  - id: answer
    output: { page: '\${{ steps.page.output }}' }
`;

const APPROVAL = `# An agent whose write waits for a person of the group finance. Make the group: aas groups create finance --member <email>
name: refunds
description: Refunds an order after an approval.
input:
  type: object
  required: [order, amount]
  properties: { order: { type: string }, amount: { type: number } }
tools:
  - name: orders
    type: http
    base_url: https://orders.example.com
    operations:
      - name: refund
        method: POST
        path: '/orders/{order}/refunds'
        effect: at_most_once
policies:
  - name: refunds-need-finance
    when: tool.scope == "write"
    action: require_approval
    approval: finance
approvals:
  finance: { approvers: [finance], timeout: 24h }
steps:
  - id: refund
    tool: orders.refund
    with: { order: '\${{ input.order }}', amount: '\${{ input.amount }}' }
  - id: answer
    output: { refund: '\${{ steps.refund.output }}' }
`;

const TEMPLATES: Readonly<Record<string, { file: string; text: string }>> = {
  hello: { file: 'hello.yaml', text: HELLO },
  http: { file: 'status-reader.yaml', text: HTTP },
  approval: { file: 'refunds.yaml', text: APPROVAL },
};

/**
 * Creates `aas.yaml` and a folder `agents/` with one agent, and returns the paths. Existing files are never
 * overwritten.
 */
export async function initProject(name: string): Promise<string[]> {
  const template = Object.hasOwn(TEMPLATES, name) ? TEMPLATES[name] : undefined;
  if (!template) {
    const known = Object.keys(TEMPLATES).join(', ');
    throw usageError(`There is no template \`${name}\`.`, '[template]', `Choose one of ${known}.`);
  }
  const agent = join('agents', template.file);
  for (const file of [PROJECT_FILE, agent]) if (await exists(file)) throw existsError(file);
  await mkdir('agents', { recursive: true });
  await makeFile(PROJECT_FILE, `project: ${JSON.stringify(basename(resolve('.')) || 'agents')}\n`);
  await makeFile(agent, template.text);
  return [PROJECT_FILE, agent];
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}

async function makeFile(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx' }).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? existsError(file) : error;
  });
}

function existsError(file: string): CommandError {
  const remedy = 'Choose another folder, or delete the file if it is not needed.';
  return new CommandError('The file exists already. No file was created.', {
    exitCode: EXIT.conflict,
    where: file,
    remedy,
  });
}
