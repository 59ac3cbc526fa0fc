import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import MiniSearch from 'minisearch';
import type { Plugin } from 'vite';
import { type FoundSection, SEARCH_OPTIONS } from '../src/search-options.js';
import { type GuideFile, HOME, readGuideFiles } from './guide-files.js';
import { GuideLinks } from './guide-links.js';
import { guidePage, indexPage } from './page-layout.js';
import { type RenderedGuide, renderGuide } from './render-guide.js';
import { SKILL, skillFiles } from './skill-files.js';

const IMAGES = 'docs/images';
const ICON = 'apps/console/src/ui/icon.svg';
const HASH_LENGTH = 10;

/** Renders all guides. `addressOf` returns the URL of an image. */
export function renderGuides(root: string, addressOf: (image: string) => string): RenderedGuide[] {
  const files: GuideFile[] = readGuideFiles(root);
  const images = existsSync(join(root, IMAGES)) ? readdirSync(join(root, IMAGES)) : [];
  const addresses = images.map((name) => [`${IMAGES}/${name}`, addressOf(`${IMAGES}/${name}`)] as const);
  const links = new GuideLinks(files, new Map(addresses));
  return files.map((file) => renderGuide(file, links));
}

/** Vite plugin that adds the guides, their images and the search index to the build. */
export function guidesPlugin(root: string): Plugin {
  return {
    name: 'guides',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const built = Object.keys(bundle);
      const address = (pattern: RegExp): string => HOME + (built.find((name) => pattern.test(name)) ?? '');
      const emit = (fileName: string, source: string | Uint8Array): string => {
        this.emitFile({ type: 'asset', fileName, source });
        return HOME + fileName;
      };
      const emitHashed = (name: string, source: string | Uint8Array): string => {
        const hash = createHash('sha256').update(source).digest('hex').slice(0, HASH_LENGTH);
        return emit(`assets/${basename(name, extname(name))}-${hash}${extname(name)}`, source);
      };
      const emitCopy = (path: string): string => emitHashed(path, readFileSync(join(root, path)));
      const guides = renderGuides(root, emitCopy);
      const assets = {
        script: address(/^assets\/.+\.js$/),
        style: address(/^assets\/.+\.css$/),
        icon: emitCopy(ICON),
        index: emitHashed('search.json', searchIndex(guides)),
      };
      for (const [path, text] of Object.entries(skillFiles(root))) emit(`skill/${SKILL}/${path}`, text);
      emit('index.html', indexPage(guides, assets));
      for (const guide of guides) emit(`${guide.path}.html`, guidePage(guide, guides, assets));
    },
  };
}

/** Returns the search index of all sections as JSON. */
function searchIndex(guides: readonly RenderedGuide[]): string {
  const index = new MiniSearch<FoundSection>(SEARCH_OPTIONS);
  for (const { path, title, sections } of guides)
    index.addAll(
      sections.map(({ heading, text }) => ({
        id: heading.level === 1 ? HOME + path : `${HOME}${path}#${heading.id}`,
        page: title,
        heading: heading.level === 1 ? '' : heading.text,
        text,
      })),
    );
  return JSON.stringify(index);
}
