import { parseArgs } from 'node:util';

import { defaultPackagesFolder } from './peer-packages.js';

const PEERS = ['n8n', 'dbos', 'restate'] as const;
type Peer = (typeof PEERS)[number];

export interface PeerOptions {
  /**
   * True to run only one round of a few seconds per contender. Such a run checks that the benchmark works. Its figures
   * mean nothing.
   */
  quick: boolean;
  rounds: number;
  only: readonly Peer[];
  json: string | undefined;
  packages: string;
}

/**
 * Parses the command-line arguments.
 *
 * @throws if the arguments are invalid. The message names the invalid argument and the valid options.
 */
export function readPeerOptions(args: readonly string[]): PeerOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string', multiple: true, default: [...PEERS] },
      json: { type: 'string' },
      packages: { type: 'string', default: defaultPackagesFolder() },
    },
  });
  const only = values.only.flatMap((each) => each.split(','));
  const unknown = only.find((each) => !isPeer(each));
  if (unknown !== undefined)
    throw new Error(`There is no peer ${JSON.stringify(unknown)}. There are: ${PEERS.join(', ')}.`);
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a number from 1 on.');
  return { quick: values.quick, rounds, only: only.filter(isPeer), json: values.json, packages: values.packages };
}

function isPeer(name: string): name is Peer {
  return PEERS.some((peer) => peer === name);
}
