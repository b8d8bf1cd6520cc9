import {statSync} from 'node:fs';
import type {HomePaths} from './config.ts';

/** Bits of a mode that let others write, and those that let them read or write. */
const writeByOthers = 0o022;
const useByOthers = 0o066;

/**
 * What of a home other users of this machine could change or read though they must not: one sentence each, with the command that mends it.
 *
 * @see manual/files.md
 */
export function looseFiles({
	home,
	scripts,
	run,
	config,
	env,
	subscriptions,
	markKey,
}: HomePaths): readonly string[] {
	return [
		...[home, scripts, run].map(path => ({path, bits: writeByOthers, mode: '700'})),
		...[config, env, subscriptions, markKey].map(path => ({path, bits: useByOthers, mode: '600'})),
	].flatMap(({path, bits, mode}) =>
		(modeOf(path) & bits) === 0
			? []
			: [`Other users can get at "${path}": chmod ${mode} "${path}"`],
	);
}

/** Permission bits; 0 for what is not there. */
function modeOf(path: string): number {
	try {
		return statSync(path).mode & 0o777;
	} catch {
		return 0;
	}
}
