import { dirname, join } from 'node:path/posix';
import { type GuideFile, HOME } from './guide-files.js';

/** Resolves the links of Markdown files to URLs of the service. */
export class GuideLinks {
  private readonly addresses: ReadonlyMap<string, string>;

  /** `images` contains the URL of each image, keyed by the path of the image relative to the root of the repository. */
  constructor(
    guides: readonly GuideFile[],
    private readonly images: ReadonlyMap<string, string>,
  ) {
    this.addresses = new Map([
      ['README.md', HOME],
      ...guides.map(({ source, path }) => [source, HOME + path] as const),
    ]);
  }

  /**
   * Returns the URL of a link. Returns undefined if the service does not serve the target, for example a source file.
   * Such a link becomes plain text, because an installation does not know where its source code is published.
   */
  resolve(source: string, target: string): string | undefined {
    if (/^https?:|^#/.test(target)) return target;
    const [file = '', fragment] = target.split('#');
    const path = join(dirname(source), decodeURI(file));
    const address = this.addresses.get(path) ?? this.images.get(path);
    if (address === undefined) return undefined;
    return fragment === undefined ? address : `${address}#${fragment}`;
  }
}
