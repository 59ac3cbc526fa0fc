import type { AsyncCommand } from 'fast-check';
import { agreeOnEverything } from './agreement.js';
import type { RunDatabase } from './run-database.js';
import type { World } from './world.js';

export type Command = AsyncCommand<World, RunDatabase>;

/**
 * Creates a command. A command simulates one event in the life of a run. After each command, the model and the database
 * must have the same state.
 */
export function command(
  name: string,
  when: (world: World) => boolean,
  does: (world: World, database: RunDatabase) => Promise<void>,
): Command {
  return {
    check: when,
    async run(world, database) {
      await does(world, database);
      await agreeOnEverything(world, database);
    },
    toString: () => name,
  };
}
