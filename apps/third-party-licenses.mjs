import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the package that contains a module: the last `node_modules` counts, because packages can be nested. */
const FOLDER_OF_PACKAGE = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;
const FILE_NAME = 'third-party-licenses.txt';
const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i;

/**
 * A plugin of Rolldown and Vite that writes the licenses of the bundled packages beside the bundle. Most licenses ask
 * for their text in each copy, and a bundle contains no file of a package.
 * @throws an error that names a package that has neither a license file nor a license in their package.json
 */
export function thirdPartyLicenses() {
  return {
    name: 'third-party-licenses',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
      const folders = new Set(modules.flatMap((id) => FOLDER_OF_PACKAGE.exec(id.replace('\0', ''))?.[1] ?? []));
      const texts = new Map([...folders].map(licensesOf));
      const source = [...texts]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, text]) => `${name}\n\n${text}`);
      this.emitFile({ type: 'asset', fileName: FILE_NAME, source: source.join(`\n\n${'-'.repeat(80)}\n\n`) });
    },
  };
}

/** Name and version of a package, and the text of its license files or the name of its license. */
function licensesOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = entries.filter((each) => each.isFile() && LICENSE_FILE.test(each.name)).map(({ name: file }) => file);
  if (files.length === 0 && !license) throw new Error(`${name} ${version} has no license`);
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version}`, files.length > 0 ? texts.join('\n\n') : `License: ${license}`];
}
