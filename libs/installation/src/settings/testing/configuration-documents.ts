import type { FeatureConfig, Setting } from '@app/platform/config';

const WIDTH = 120;

export function renderConfigurationPage(features: readonly FeatureConfig[]): string {
  const count = features.flatMap(({ settings }) => settings).filter(({ name }) => !name.startsWith('OTEL_')).length;
  return `# Configuration

After reading this page you know every environment variable that the service reads. It is generated from the \`*.config.ts\` files
(\`npm run configuration\`), as is \`.env.example\`.

\`\`\`sh
PORT=8080 WORKER_CONCURRENCY=32 npm start
\`\`\`

- There are ${count} variables of the service, and the standard variables of OpenTelemetry. All are optional for \`npm start\`. The api
  and the workers of a fleet need \`DATABASE_URL\` and \`ENCRYPTION_KEY\`.
- An empty value counts as not set. Unknown variables are ignored.
- Each process validates all variables at its start. If a value is wrong, it stops with one line for each mistake.

${features.map(renderSection).join('\n')}`;
}

function renderSection({ title, readBy, settings }: FeatureConfig): string {
  const rows = settings.map(({ name, help, defaultText, allowed }) => [
    `\`${name}\``,
    help.defaultNote ?? (defaultText === '' ? '–' : `\`${defaultText}\``),
    help.unit === undefined ? allowed : `${allowed} ${help.unit}`,
    (help.readBy ?? readBy).join(', '),
    help.description,
  ]);
  const table = [['variable', 'default', 'allowed', 'read by', 'meaning'], Array<string>(5).fill('---'), ...rows];
  const lines = table.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
  const examples = settings.flatMap(({ name, help: { example } }) =>
    example === undefined ? [] : ['', `\`${name}\`:`, '', '```yaml', example, '```'],
  );
  return [`## ${title}`, '', ...lines, ...examples, ''].join('\n');
}

export function renderEnvExample(features: readonly FeatureConfig[]): string {
  const head = wrapped(
    'All variables that the service reads. All are optional for `npm start`. Separate api and worker processes need DATABASE_URL ' +
      'and ENCRYPTION_KEY. An empty value counts as not set. If a value is invalid, the process does not start and prints one ' +
      'line per mistake. docs/configuration.md contains the same variables as tables.',
  );
  const sections = features.map(({ title, settings }) => [heading(title), ...settings.map(renderVariable)].join('\n'));
  return `${[head, ...sections].join('\n\n')}\n`;
}

function heading(title: string): string {
  return `# --- ${title} `.padEnd(WIDTH - 1, '-');
}

function renderVariable({ name, help, defaultText, allowed }: Setting): string {
  const range = /^\d+ to \d+$/.test(allowed) ? ` (${allowed}${help.unit === undefined ? '' : ` ${help.unit}`})` : '';
  const note = help.defaultNote === undefined ? '' : ` Default: ${help.defaultNote}.`;
  const example = help.example?.split('\n').map((line) => `#   ${line}`) ?? [];
  return [wrapped(`${help.description}${range}${note}`), ...example, `${name}=${defaultText}`].join('\n');
}

function wrapped(text: string): string {
  const lines: string[] = [];
  let line = '#';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return [...lines, line].join('\n');
}
