import {spawnSync} from 'node:child_process';
import {hash} from 'node:crypto';

/** How many cases with the tag `slow` a run makes: one of so many. */
const parts = 4;

/** The slow cases of a run. Data, as it is handed from the configuration to the workers. */
export type Share = {
	readonly parts: number;
	/** The checked out commit: the same cases for everybody who has it. */
	readonly commit: string;
	/** Test files that differ from `main`, all of whose cases run. */
	readonly changed: readonly string[];
};

declare module 'vitest' {
	interface ProvidedContext {
		share: Share | undefined;
	}
}

const git = (...args: readonly string[]): readonly string[] | undefined => {
	const {status, stdout} = spawnSync('git', args, {encoding: 'utf8'});
	return status === 0 ? stdout.split('\n').filter(line => line !== '') : undefined;
};

/** The share that `npm test` asks for with `SHARE`; undefined, which is all, without it, with `ALL`, and where git does not know the commit. */
export function readShare({SHARE, ALL}: NodeJS.ProcessEnv): Share | undefined {
	const [commit] = SHARE && !ALL ? (git('rev-parse', 'HEAD') ?? []) : [];
	if (commit === undefined) {
		return undefined;
	}

	const changed =
		git('diff', '--name-only', '--merge-base', 'main', '--', 'tests') ??
		git('diff', '--name-only', 'HEAD', '--', 'tests') ??
		[];
	const added = git('ls-files', '--others', '--exclude-standard', '--', 'tests') ?? [];
	return {parts, commit, changed: [...changed, ...added]};
}

/** Whether a case is drawn. A commit draws each for itself: in 20 commits a case is left out by all with a chance of 1 in 300. */
export function isDrawn({parts: among, commit}: Share, name: string): boolean {
	return Number.parseInt(hash('sha256', `${commit} ${name}`).slice(0, 8), 16) % among === 0;
}
