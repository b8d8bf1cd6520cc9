import {resolve} from 'node:path';

/** The program of an official tool server, or the official suite, as `tests/official-programs.mjs` bundles it. */
export const officialProgram = (
	name: 'everything' | 'filesystem' | 'memory' | 'conformance',
): string => resolve('node_modules/.cache/official', name, 'dist/index.mjs');
