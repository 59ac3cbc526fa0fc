import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { CommandError, usageError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';
import { PROJECT_FILE } from './project-file.js';

const HELLO = `# An agent that answers without tools. Start it: aas runs start hello --input name=Ada --wait
name: hello
description: Greets a person.
files: reference
input:
  type: object
  required: [name]
  properties: { name: { type: string } }
steps:
  - id: greet
    output: { greeting: 'Hello, \${{ input.name }}!' }
`;

const helloWith = (
  model: string,
): string => `# An agent that answers with a model. Start it: aas runs start hello --input name=Ada --wait
name: hello
description: Greets a person.
files: reference
input:
  type: object
  required: [name]
  properties: { name: { type: string } }
model: ${model}
instructions: Greet the person in one sentence.
limits: { max_steps: 3 }
`;

const HTTP = `# An agent that reads from an HTTP API. The service refuses private addresses unless an operator allows them.
name: status-reader
description: Reads a status page.
files: reference
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

const APPROVAL = `# An agent whose write waits for a person of the group finance. Create the group: aas groups create finance --member <email>
name: refunds
description: Refunds an order after an approval.
files: reference
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

const AGENTS_FILE = 'AGENTS.md';
/** For coding assistants. */
const AGENTS = `# Agents of the Agent Automation Service

Each file in \`agents/\` is the definition of an agent in the format agent/v1 (YAML). \`aas.yaml\` names the project.

- \`aas validate agents\` checks the definitions. Each error has a place and a remedy.
- \`aas diff agents\` compares them with the latest versions in the service.
- \`aas apply agents\` creates agents and versions. It does not change production: a person promotes a version.
- The JSON Schema of definitions is at \`/v1/schemas/agent.v1.json\` of the service.
- \`aas skill install\` writes a skill that explains how to write, test and evaluate definitions.
- \`aas mcp config <client> --author\` prints the settings with which an assistant uses the service directly.

Values of secrets do not belong in these files. Write \`\${{ secrets.NAME }}\`, and let a person store the value.
`;

interface ModelName {
  provider: string;
  name: string;
}

interface Template {
  name: string;
  title: string;
  /** The definitions, which become the files in `agents/`. */
  files: readonly { file: string; text: string }[];
  /** Whether docs/cookbook has a page about the template. */
  isOfCookbook: boolean;
}

const BASICS: readonly Template[] = [
  { name: 'hello', title: 'Answer without tools', files: [{ file: 'hello.yaml', text: HELLO }], isOfCookbook: false },
  {
    name: 'http',
    title: 'Read from an HTTP API',
    files: [{ file: 'status-reader.yaml', text: HTTP }],
    isOfCookbook: false,
  },
  {
    name: 'approval',
    title: 'Write after an approval',
    files: [{ file: 'refunds.yaml', text: APPROVAL }],
    isOfCookbook: false,
  },
];

/** Returns three basic templates and the agents of docs/cookbook. */
export async function listTemplates(): Promise<readonly Template[]> {
  // The module exists only in the build, so it is not imported at the top.
  const { cookbook } = await import('virtual:cookbook');
  return [...BASICS, ...cookbook.map((template) => ({ ...template, isOfCookbook: true }))];
}

/**
 * Creates `aas.yaml`, and `agents/` with the definitions of a template. Returns the template and the created paths.
 * Never overwrites files. Also creates `AGENTS.md`, unless it exists.
 * @param model the model of the definitions; undefined if no model is known
 */
export async function initProject(name: string, model?: ModelName): Promise<{ template: Template; created: string[] }> {
  const template = (await listTemplates()).find((each) => each.name === name);
  if (!template)
    throw usageError(`There is no template \`${name}\`.`, '[template]', 'Run `aas init --list` to see the templates.');
  const agents = template.files.map(({ file, text }) => ({
    path: join('agents', file),
    text: model ? withModel(text, model) : text,
  }));
  const created = [PROJECT_FILE, ...agents.map(({ path }) => path)];
  for (const file of created) if (await exists(file)) throw existsError(file);
  await mkdir('agents', { recursive: true });
  await makeFile(PROJECT_FILE, `project: ${JSON.stringify(basename(resolve('.')) || 'agents')}\n`);
  for (const { path, text } of agents) await makeFile(path, text);
  const isNew = !(await exists(AGENTS_FILE));
  if (isNew) await makeFile(AGENTS_FILE, AGENTS);
  return { template, created: [...created, ...(isNew ? [AGENTS_FILE] : [])] };
}

/** Writes the model into a definition. Definitions without a model stay as they are, except the greeting. */
function withModel(text: string, { provider, name }: ModelName): string {
  const scalar = yamlScalar(`${provider}/${name}`);
  if (text === HELLO) return helloWith(scalar);
  const parts = `{ provider: ${yamlScalar(provider)}, name: ${yamlScalar(name)}`;
  return text
    .replace(/^model: [^\s{]+$/m, () => `model: ${scalar}`)
    .replace(/^model: \{ provider: [^\s,]+, name: [^\s,}]+/m, () => `model: ${parts}`);
}

/** A name is quoted if YAML would read it as another type or as a comment. */
function yamlScalar(text: string): string {
  return /^[A-Za-z][\w./-]*(?::[\w.-]+)*$/.test(text) && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
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
