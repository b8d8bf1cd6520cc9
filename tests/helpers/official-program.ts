import {resolve} from 'node:path';

/** The program of an official tool server, as `tests/official-servers.mjs` bundles it. */
export const officialProgram = (name: 'everything' | 'filesystem' | 'memory'): string =>
	resolve('node_modules/.cache/servers', name, 'dist/index.mjs');
