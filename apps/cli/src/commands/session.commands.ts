import type { Command } from 'commander';
import type { AgentAutomation, Duration } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { duration } from '../input/command-arguments.js';
import { CommandError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';
import { Authorisation, CodeListener, openPage } from '../session/browser-sign-in.js';
import { clientOf, withStopUrl } from '../session/service-connection.js';
import { type Context, Contexts, normalAddress } from '../session/contexts.js';
import { readStdin } from '../input/terminal.js';
import { Deadline } from '../waiting/wait-deadline.js';

interface LoginOptions {
  withKey?: boolean;
  browser: boolean;
  name?: string;
  timeout: Duration;
}

export function configureLogin(login: Command, cli: Cli): void {
  login
    .argument('<address>', 'address of the service, for example https://agents.example.com')
    .option('--with-key', 'read an API key from standard input')
    .option('--no-browser', 'do not open a browser; paste the code that the page shows')
    .option('--name <name>', 'name of the context; default: the host')
    .option('--timeout <duration>', 'stop waiting for the browser after this time', duration, '5m')
    .action(
      cli.action(async (given: string, options: LoginOptions) => {
        const address = normalAddress(given);
        cli.address = address;
        warnOfPlainHttp(cli, address);
        const context = options.withKey ? await keyContext(cli, address) : await browserContext(cli, address, options);
        const me = await clientOf(address, context.api_key).me.get();
        const name = options.name ?? new URL(address).host;
        await new Contexts(cli.terminal).save(name, await withStopUrl(context));
        cli.output.words(`Signed in to ${address}, workspace ${me.workspace.name}, as ${me.role}. Context: ${name}.`);
      }),
    );
}

async function keyContext(cli: Cli, address: string): Promise<Context> {
  const text = cli.prompts.canAsk
    ? await cli.prompts.line('API key', 'Pipe the key into `aas login --with-key`.', true)
    : await readStdin(cli.terminal);
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return { address, api_key: key };
  throw new CommandError('Standard input holds no API key.', {
    exitCode: EXIT.usage,
    where: 'standard input',
    remedy: 'Pipe the key in: `aas login <address> --with-key < key.txt`.',
  });
}

async function browserContext(cli: Cli, address: string, { browser, timeout }: LoginOptions): Promise<Context> {
  const authorisation = new Authorisation();
  const anonymous = clientOf(address, null);
  const code = browser
    ? await codeOfListener(cli, address, authorisation, timeout)
    : await pastedCode(cli, address, authorisation);
  const { api_key, key } = await anonymous.auth.redeemCliCode({ code, verifier: authorisation.verifier });
  return { address, api_key, key_id: key.id };
}

async function codeOfListener(
  cli: Cli,
  address: string,
  authorisation: Authorisation,
  timeout: Duration,
): Promise<string> {
  const listener = await CodeListener.open(authorisation);
  const watch = new AbortController();
  try {
    const page = authorisation.page(address, listener.port);
    cli.output.report(`Authorise this computer at ${page}`);
    openPage(page, cli.terminal);
    return await Promise.race([listener.code, expiry(timeout, watch.signal)]);
  } finally {
    watch.abort();
    listener.close();
  }
}

function expiry(timeout: Duration, signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const failure = new CommandError('The sign-in was not authorised in the browser within the time limit.', {
      exitCode: EXIT.timedOut,
      where: `--timeout ${timeout}`,
      remedy: 'Run `aas login` again. If this computer has no browser, add `--no-browser`.',
    });
    const timer = setTimeout(() => reject(failure), new Deadline(timeout).pauseWithin(2 ** 31 - 1));
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}

async function pastedCode(cli: Cli, address: string, authorisation: Authorisation): Promise<string> {
  cli.output.report(`Authorise this computer at ${authorisation.page(address)}`);
  const code = cli.prompts.canAsk ? await cli.prompts.line('Code', 'Pipe the code in.') : await readStdin(cli.terminal);
  return code.trim();
}

function warnOfPlainHttp(cli: Cli, address: string): void {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) return;
  cli.output.words('Warning: the address does not use https, so the API key crosses the network unencrypted.');
}

export function configureLogout(logout: Command, cli: Cli): void {
  logout.argument('[name]', 'name of the context; default: the one in use').action(
    cli.action(async (given: string | undefined) => {
      const contexts = new Contexts(cli.terminal);
      const name = given ?? (await contexts.read()).current;
      if (name === null) {
        cli.output.words('No context is in use.');
        return;
      }
      const context = await contexts.named(name);
      await contexts.remove(name);
      cli.output.words(`Signed out of ${context.address}. Context ${name} is removed.`);
      if (context.key_id !== undefined) await revoke(cli, clientOf(context.address, context.api_key), context.key_id);
    }),
  );
}

/**
 * Tries to revoke the API key of the context. The API permits this only to admins. If the person is not an admin, the
 * key stays valid until it expires.
 */
async function revoke(cli: Cli, aas: AgentAutomation, keyId: string): Promise<void> {
  try {
    await aas.apiKeys.revoke(keyId);
    cli.output.words('Its API key is revoked.');
  } catch {
    cli.output.words(
      `Its API key ${keyId} could not be revoked. Ask an admin to revoke it; it expires 90 days after login.`,
    );
  }
}

export function configureWhoami(whoami: Command, cli: Cli): void {
  whoami.action(
    cli.action(async () => {
      const me = await (await cli.client()).me.get();
      await cli.output.object(me, me.member);
    }),
  );
}

interface ContextRow {
  name: string;
  address: string;
  current: boolean;
}

export function configureContext(command: Command, cli: Cli): void {
  command
    .command('list')
    .description('List the contexts of this computer.')
    .action(
      cli.action(async () => {
        const { current, contexts } = await new Contexts(cli.terminal).read();
        const rows = Object.entries(contexts).map(([name, { address }]) => ({
          name,
          address,
          current: name === current,
        }));
        await cli.output.list<ContextRow>(rows, {
          columns: [
            ['', (row) => (row.current ? '*' : '')],
            ['NAME', (row) => row.name],
            ['ADDRESS', (row) => row.address],
          ],
          nameOf: (row) => row.name,
        });
      }),
    );
  command
    .command('use')
    .description('Switch to a context.')
    .argument('<name>', 'name of the context')
    .action(
      cli.action(async (name: string) => {
        await new Contexts(cli.terminal).use(name);
        cli.output.words(`Context ${name} is in use.`);
      }),
    );
  command
    .command('add')
    .description('Add a context with an API key from standard input, and use it.')
    .argument('<name>', 'name of the context')
    .argument('<address>', 'address of the service')
    .action(
      cli.action(async (name: string, given: string) => {
        const address = normalAddress(given);
        cli.address = address;
        const context = await keyContext(cli, address);
        await clientOf(address, context.api_key).me.get();
        await new Contexts(cli.terminal).save(name, await withStopUrl(context));
        cli.output.words(`Context ${name} is added and in use.`);
      }),
    );
}
