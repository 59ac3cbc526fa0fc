import type { Command } from 'commander';
import type { Cli } from '../session/cli.js';
import { openPage } from '../session/browser-sign-in.js';

/** Paths of the console's screens, by id prefix. */
const SCREENS: Readonly<Record<string, string>> = {
  run: 'runs',
  apr: 'approvals',
  agt: 'agents',
  evl: 'evaluations',
  eval: 'evaluations',
  kb: 'knowledge',
  whe: 'settings/webhooks',
};

export function configureOpen(open: Command, cli: Cli): void {
  open.argument('<id>', 'id of a run, an approval, an agent, an evaluation or a base, or the name of an agent').action(
    cli.action(async (id: string) => {
      const { aas, address } = await cli.connection();
      const screen = SCREENS[/^([a-z]+)_[0-9a-z]{26}$/.exec(id)?.[1] ?? ''];
      const path = screen === undefined ? `agents/${(await aas.agents.get(id)).id}` : `${screen}/${id}`;
      const page = `${address}/console/${path}`;
      await cli.output.print(page);
      if (cli.terminal.stdout.isTTY) openPage(page, cli.terminal);
    }),
  );
}
