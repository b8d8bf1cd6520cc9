import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

/** 0 none (as under NO_COLOR), 1 the 16 colours, 2 the 256, 3 all. */
export type ColorLevel = 0 | 1 | 2 | 3;

type Chalk = {readonly default: {level: ColorLevel}};

const here = createRequire(import.meta.url);

/** Ink's chalk looks at the real terminal, not at the one of the test. */
export async function setColorLevel(level: ColorLevel): Promise<void> {
	const path = createRequire(here.resolve('ink')).resolve('chalk');
	const chalk = (await import(pathToFileURL(path).href)) as Chalk;
	chalk.default.level = level;
}
