import type { StandaloneSettings } from '@app/installation/settings';

import { OperatorError } from '../operator-error.js';
import { findBinaries } from '../postgres/binaries.js';
import { openCluster } from '../postgres/cluster.js';
import { currentPlace } from '../postgres/data-place.js';
import { switchBack } from '../postgres/generations.js';
import { shutDown } from '../postgres/server.js';
import { databaseDirectory } from './installation-data.js';

/**
 * The caller must hold the lock on the data directory.
 * @throws OperatorError if there is no such database
 */
export async function returnToFormer(settings: StandaloneSettings): Promise<{ note: string; result: string }> {
  const place = await currentPlace(databaseDirectory(settings));
  const cluster = await openCluster(place);
  // If an earlier `npm start` was killed, its database server may still be running.
  if (cluster !== undefined) await shutDown(cluster, await findBinaries(place.account, () => undefined));
  const back = await switchBack(place);
  if (back === undefined) {
    throw new OperatorError(
      `${settings.dataDir} contains no former database. "npm run restore" and "npm run upgrade-database" keep the database that they replace.`,
    );
  }
  return {
    note: `Data that was written since then is only in the other database, which is kept in ${back.kept}.`,
    result: `The former database in ${back.directory} is in use again.`,
  };
}
