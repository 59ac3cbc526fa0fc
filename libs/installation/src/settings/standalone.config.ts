import { type ConfigOf, defineConfig, setting } from '@app/platform/config';

export const standaloneConfig = defineConfig({
  title: 'npm start',
  readBy: ['npm start'],
  settings: {
    workers: setting.integer('WORKERS', {
      default: 1,
      min: 1,
      max: 64,
      unit: 'processes',
      description: 'Number of worker processes that `npm start` starts.',
    }),
  },
});
export type StandaloneConfig = ConfigOf<typeof standaloneConfig>;
